// SPDX-License-Identifier: Apache-2.0
// The real binary for the tests of the page, a proxy that puts a prefix before it, and Chromium.
import {spawn} from 'node:child_process';
import http from 'node:http';
import {fileURLToPath} from 'node:url';

import {chromium} from 'playwright-core';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const BINARY = process.env.JAQUE_BINARY ?? ROOT + 'build/jaque';

// Serves on a free port, or on the one given; `url` has no slash at its end. Requests of the tests
// themselves carry the token.
export async function serve(flags = [], port = 0, token = undefined) {
  const target = flags.includes('-target') ? [] : ['-target', 'all'];
  const child = spawn(BINARY, [...target, '-http-listen', `127.0.0.1:${port}`, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  const url = await new Promise((ready, failed) => {
    child.stderr.on('data', (bytes) => {
      said += bytes;
      const found = /listening url=(http:\/\/\S+)/.exec(said);
      if (found && / ready /.test(said)) ready(found[1]);
    });
    child.once('exit', () => failed(new Error('the process ended: ' + said)));
  });
  const call = async (method, path, body, type = 'application/json') => {
    const response = await fetch(`${url}/api/v1/${path}`, {
      method,
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        ...(body !== undefined && {'Content-Type': type}),
        ...(token && {Authorization: `Bearer ${token}`}),
      },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
  return {
    url,
    port: Number(new URL(url).port),
    define: (source) => call('POST', 'definitions', source, 'application/yaml'),
    start: (name, input, query = '') =>
      call('POST', `definitions/${name}/instances${query}`, input),
    get: (path) => call('GET', path),
    stop: () =>
      new Promise((done) => {
        child.once('exit', done);
        child.kill('SIGTERM');
      }),
  };
}

// Answers below `prefix` alone and takes it off, as a reverse proxy does.
export async function proxy(target, prefix) {
  const server = http.createServer((request, response) => {
    if (!request.url.startsWith(prefix + '/')) {
      response.writeHead(404);
      return response.end();
    }
    const forward = http.request(
      target + request.url.slice(prefix.length),
      {method: request.method, headers: request.headers},
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    forward.on('error', () => response.destroy());
    request.pipe(forward);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}${prefix}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

// A page that remembers what must not happen: faults, refusals by the policy, requests elsewhere.
export async function visit(browser, origin, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 860}, ...options});
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push('fault: ' + error));
  page.on('dialog', (dialog) => {
    faults.push('dialog: ' + dialog.message());
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    const text = message.text();
    if (/Content Security Policy|Refused to/i.test(text)) faults.push('policy: ' + text);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (
      !url.startsWith(new URL(origin).origin) &&
      !url.startsWith('blob:') &&
      !url.startsWith('data:')
    )
      faults.push('elsewhere: ' + url);
  });
  page.setDefaultTimeout(12_000);
  return {page, faults, context};
}
