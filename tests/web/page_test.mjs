// SPDX-License-Identifier: Apache-2.0
// The page in Chromium: what a person does, what must never happen, and what it costs. Speed is
// measured and printed; what makes it quick (rows in the document, bytes) is asserted.
import assert from 'node:assert/strict';
import {mkdirSync, readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {after, before, test} from 'node:test';
import {gzipSync} from 'node:zlib';

import {launch, proxy, ROOT, serve, visit} from './server.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TOUR = process.env.JAQUE_TOUR ? ROOT + 'docs/tour/' : undefined;
const SAMPLES = ROOT + 'deploy/samples';
const MANY = `document: {dsl: '1.0.3', namespace: test, name: many, version: '1.0.0'}
do:
  - each:
      for: {each: item, in: '\${ [range(2500)] }'}
      do:
        - double: {set: {value: '\${ $item * 2 }'}}
        - add: {set: {value: '\${ .value + 1 }'}}
`;
const FAILING = `document: {dsl: '1.0.3', namespace: test, name: failing, version: '1.0.0'}
do:
  - prepare: {set: {ready: true}}
  - fail:
      raise:
        error: {type: https://example.com/errors/broken, status: 500, title: It is broken,
          detail: the lamp fell}
`;
const HOSTILE = `document:
  dsl: '1.0.3'
  namespace: test
  name: hostile
  version: '1.0.0'
  title: '<img src=x onerror=alert(1)>'
  summary: '[x](javascript:alert(1)) <script>alert(2)</script>'
do:
  - 'a"><b>':
      set: {text: '</script><script>alert(3)</script>', link: 'javascript:alert(4)',
        turned: "user\\u202Etxt.exe"}
  - fail:
      raise:
        error: {type: 'javascript:alert(5)', status: 500, title: '<svg onload=alert(6)>',
          detail: '</script><img src=x onerror=alert(7)>'}
`;

let server;
let browser;
before(async () => {
  server = await serve(['-samples', SAMPLES]);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(path, options) {
  const visited = await visit(browser, server.url, options);
  await visited.page.goto(server.url + path);
  return visited;
}

async function close({context, faults}) {
  await context.close();
  assert.deepEqual(faults, []);
}

async function picture(page, name) {
  if (!TOUR) return;
  mkdirSync(TOUR, {recursive: true});
  await page.screenshot({path: `${TOUR}${name}.png`});
}

test('a newcomer starts a sample in two clicks, answers it and sees it complete', async () => {
  const visited = await open('/');
  const {page} = visited;
  await page.getByRole('button', {name: 'Start human-approval'}).waitFor();
  await picture(page, 'first-steps');
  await page.getByRole('button', {name: 'Start human-approval'}).click();
  await page.getByLabel('request', {exact: true}).waitFor();
  await picture(page, 'start');
  await page.getByRole('button', {name: 'Start', exact: true}).last().click();
  await page.getByText('com.example.approval.answered.v1').waitFor();
  await page.locator('.task-node.tone-waiting, .box-node.tone-waiting').first().waitFor();
  await picture(page, 'instance');
  await page.getByRole('button', {name: 'Send event'}).click();
  const data = page.getByLabel('Data');
  const filled = JSON.parse(await data.inputValue());
  assert.equal(typeof filled.request, 'string', 'what it waits for is filled in');
  await data.fill(JSON.stringify({...filled, approved: true, by: 'Eve'}));
  await page.getByRole('button', {name: 'Send', exact: true}).click();
  await page.locator('.instance-head .tone-completed').waitFor();
  await page.getByRole('tab', {name: 'Input and output'}).click();
  await page.getByText('"Eve"').waitFor();
  await close(visited);
});

test('a failing instance shows the error at its place and is retried', async () => {
  await server.define(FAILING);
  const {id} = await server.start('test/failing', {}, '?wait=20s');
  const visited = await open(`/instances/${id}`);
  const {page} = visited;
  await page.getByText('It is broken').first().waitFor();
  await page.locator('.excerpt-line.here', {hasText: 'fail:'}).waitFor();
  await page.locator('.task-node.tone-faulted').waitFor();
  await picture(page, 'failed');
  await page.getByRole('button', {name: 'Retry', exact: true}).click();
  await page.getByRole('link', {name: 'does another one again'}).waitFor();
  assert.ok(!page.url().includes(id), 'it is a new instance');
  await close(visited);
});

test('five thousand tasks: the first are seen at once, few are in the document', async () => {
  await server.define(MANY);
  const {id} = await server.start('test/many', {}, '?wait=60s');
  const visited = await open('/instances');
  const {page} = visited;
  let release;
  const held = new Promise((done) => (release = done));
  await page.route(/tasks\?.*cursor=/, (route) => held.then(() => route.continue()));
  const began = performance.now();
  await page.goto(`${server.url}/instances/${id}?tab=timeline`);
  await page.locator('.gantt-row').nth(10).waitFor();
  const seen = performance.now() - began;
  await page.getByText('more are on their way').waitFor();
  release();
  await page.getByText(/5,00\d tasks/).waitFor();
  const opened = performance.now() - began;
  const frames = await page.locator('.gantt-scroll').evaluate(
    (element) =>
      new Promise((done) => {
        const times = [];
        const step = (time) => {
          times.push(time);
          element.scrollTop += 400;
          if (times.length < 90) requestAnimationFrame(step);
          else done((1000 * (times.length - 1)) / (times[times.length - 1] - times[0]));
        };
        requestAnimationFrame(step);
      }),
  );
  console.log(
    `of 5,000 tasks the first are seen after ${Math.round(seen)} ms, all are there after ` +
      `${Math.round(opened)} ms; they scroll at ${Math.round(frames)} frames/s`,
  );
  const rows = await page.locator('.gantt-row').count();
  assert.ok(rows > 10 && rows < 50, `${rows} rows are in the document`);
  const nodes = await page.locator('.gantt-scroll *').count();
  assert.ok(nodes < 12 * rows + 40, `${nodes} elements are in the timeline`);
  await picture(page, 'timeline');
  await page.getByRole('tab', {name: 'Graph'}).click();
  await page.getByLabel('iteration', {exact: true}).first().waitFor();
  await page.getByRole('button', {name: 'Previous iteration'}).click();
  assert.equal(await page.locator('.picker input').inputValue(), '2499');
  await close(visited);
});

test('what comes from workflows is text', async () => {
  await server.define(HOSTILE);
  const tag = encodeURIComponent('"><svg onload=alert(8)>:y');
  const {id} = await server.start(
    'test/hostile',
    {html: '<script>alert(9)</script>'},
    `?wait=20s&tag=${tag}`,
  );
  for (const path of [
    `/instances/${id}`,
    `/instances/${id}?tab=timeline`,
    `/instances/${id}?tab=history`,
    `/instances/${id}?tab=values`,
    '/instances?namespace=test',
    '/definitions',
    '/definitions/test/hostile',
    '/audit',
  ]) {
    const visited = await open(path);
    const {page} = visited;
    await page.locator('main').waitFor();
    await page.waitForLoadState('networkidle');
    const found = await page.evaluate(() => ({
      links: [...document.querySelectorAll('a[href]')].map((link) => link.protocol),
      foreign: document.querySelectorAll('main svg[onload], main img[onerror], main script').length,
    }));
    assert.ok(
      found.links.every((protocol) => protocol === 'http:'),
      String(found.links),
    );
    assert.equal(found.foreign, 0);
    await close(visited);
  }
  const visited = await open(`/instances/${id}`);
  await visited.page.locator('.task-node .task-head').first().click();
  await visited.page.getByRole('tab', {name: 'Output', exact: true}).click();
  await visited.page.getByText('U+202E').waitFor();
  await close(visited);
});

const PAGES = [
  'instances',
  'definitions',
  'definitions/new',
  'definitions/samples/human-approval',
  'schedules',
  'events',
  'dead-letters',
  'cluster',
  'pools',
  'audit',
];

for (const colorScheme of ['light', 'dark']) {
  test(`no page has a fault for those who cannot see it well (${colorScheme})`, async () => {
    const {id} = await server.start('samples/human-approval', {request: 'A-1', amount: 500});
    const visited = await open('/', {colorScheme, bypassCSP: true});
    const {page} = visited;
    const violations = [];
    for (const path of [
      ...PAGES,
      `instances/${id}`,
      `instances/${id}?tab=timeline`,
      `instances/${id}?tab=history`,
      `instances/${id}?tab=values`,
    ]) {
      await page.goto(`${server.url}/${path}`);
      await page.locator('h1').first().waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
      if (colorScheme === 'light')
        await picture(
          page,
          path.split('?')[0].replace(/\W+/g, '-').replace(id, 'waiting') +
            (path.includes('?') ? '-' + path.split('=')[1] : ''),
        );
      await page.evaluate(AXE);
      const {violations: found} = await page.evaluate(() =>
        globalThis.axe.run(document, {
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
        }),
      );
      for (const {id: rule, nodes} of found) {
        violations.push(
          `${path}: ${rule}: ${nodes[0].html.slice(0, 160)} ` +
            nodes[0].any
              .map(({message}) => message)
              .join(' ')
              .slice(0, 200),
        );
      }
    }
    assert.deepEqual(violations, []);
    await close(visited);
  });
}

test('it can be used with keys alone', async () => {
  const {id} = await server.start('samples/human-approval', {request: 'keys', amount: 7});
  const visited = await open('/definitions');
  const {page} = visited;
  await page.locator('.table-row.line').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.locator('.table-row.line:nth-child(2) a:focus').waitFor();
  await page.keyboard.press('k');
  await page.locator('.table-row.line:nth-child(1) a:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/definitions\/samples\/clean-contacts/);
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await page.waitForURL(/\/instances$/);
  await page.locator('[data-search]').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', {name: 'Keys'}).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({state: 'detached'});
  await page.keyboard.press('/');
  await page.locator('[data-search]:focus').waitFor();
  await page.keyboard.type(id);
  await page.waitForURL(`**/instances?q=${id}`);
  await page.locator('.table-row.line').nth(1).waitFor({state: 'detached'});
  await page.locator(`.table-row.line a[href$="${id}"]`).first().waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.locator('.table-row.line:nth-child(1) a:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/instances/${id}`);
  await close(visited);
});

test('it works below a prefix, from any address', async () => {
  const behind = await proxy(server.url, '/tools/jaque');
  try {
    for (const path of ['/', '/definitions', '/definitions/samples/human-approval']) {
      const visited = await visit(browser, behind.url);
      await visited.page.goto(behind.url + path);
      await visited.page.locator('h1').first().waitFor();
      await visited.page.getByRole('link', {name: 'Cluster'}).click();
      await visited.page.getByRole('heading', {name: 'Cluster'}).waitFor();
      assert.equal(visited.page.url(), behind.url + '/cluster');
      await close(visited);
    }
  } finally {
    await behind.stop();
  }
});

test('it says that the server is away, and goes on when it is back', async () => {
  let other = await serve(['-samples', SAMPLES]);
  const visited = await visit(browser, other.url);
  const {page} = visited;
  await page.goto(other.url + '/definitions');
  await page.locator('.table-row.line').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({name}) => name.includes('/pools-')));
  const {port} = other;
  await other.stop();
  await page.getByRole('link', {name: 'Pools'}).click();
  await page.getByText('The server cannot be reached.').waitFor();
  other = await serve(['-samples', SAMPLES], port);
  await page.getByText('The server cannot be reached.').waitFor({state: 'detached'});
  await other.stop();
  await close(visited);
});

test('it fits a phone', async () => {
  const visited = await open('/', {viewport: {width: 390, height: 844}});
  const {page} = visited;
  for (const path of PAGES) {
    await page.goto(`${server.url}/${path}`);
    await page.locator('h1').first().waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${path} is ${wide} wide`);
  }
  await page.goto(server.url + '/instances');
  await page.locator('h1').first().waitFor();
  await picture(page, 'phone');
  await close(visited);
});

test('the first load is small', () => {
  const dist = process.env.JAQUE_DIST ?? ROOT + 'build/ui/web/dist';
  const size = (name) => gzipSync(readFileSync(`${dist}/assets/${name}`), {level: 9}).length;
  const files = readdirSync(dist + '/assets');
  const lazy = /^(editor|view|workbench)-/;
  const first = files
    .filter((name) => !lazy.test(name))
    .map(size)
    .reduce((a, b) => a + b, 0);
  const all = files.map(size).reduce((a, b) => a + b, 0);
  console.log(`every page but editor and graph: ${first} bytes, all: ${all} bytes, gzip`);
  assert.ok(
    files.some((name) => name.startsWith('editor-')),
    'the editor comes by itself',
  );
  assert.ok(first < 300_000 && all < 600_000);
});
