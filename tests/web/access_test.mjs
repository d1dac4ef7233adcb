// SPDX-License-Identifier: Apache-2.0
// Who may what, on the page: without a token one is asked for it; a viewer can look at everything
// and change nothing, and is told so.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {BINARY, launch, ROOT, serve, visit} from './server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'jaque-page-'));
const tokens = {};
let server;
let browser;
before(async () => {
  let lines = '';
  for (const [name, role] of [['vera', 'viewer'], ['otto', 'operator'], ['ada', 'admin']]) {
    const made = spawnSync(BINARY, ['token', name, role], {encoding: 'utf8'});
    lines += made.stdout;
    tokens[name] = made.stderr.trim().split(/\s+/).pop();
  }
  writeFileSync(join(folder, 'tokens'), lines);
  const flags = ['-auth', 'tokens', '-auth-tokens', join(folder, 'tokens')];
  server = await serve([...flags, '-samples', ROOT + 'deploy/samples'], 0, tokens.ada);
  await server.start('samples/human-approval', {request: 'A-7', amount: 900});
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, {recursive: true});
});

async function signedIn(name, act) {
  const {page, faults, context} = await visit(browser, server.url);
  await page.goto(server.url + '/instances');
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', {name: 'Sign in'}).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Token').fill(tokens[name]);
  await page.getByRole('button', {name: 'Sign in'}).click();
  await page.getByRole('heading', {name: 'Instances'}).waitFor();
  await page.getByText(name, {exact: true}).waitFor();
  await act(page);
  assert.ok(!(await page.content()).includes(tokens[name]), 'the token stands on no page');
  await context.close();
  assert.deepEqual(faults, []);
}

test('a viewer looks and changes nothing', async () => {
  await signedIn('vera', async (page) => {
    assert.ok(await page.getByRole('button', {name: 'Start', exact: true}).isDisabled());
    await page.locator('.table-row.line a').first().click();
    await page.getByRole('button', {name: 'Suspend'}).waitFor();
    for (const name of ['Send event', 'Suspend', 'Cancel']) {
      assert.ok(await page.getByRole('button', {name, exact: true}).isDisabled(), name);
    }
    await page.getByText('You may look; acting needs the role operator.').waitFor();
    await page.getByRole('link', {name: 'Events'}).click();
    await page.getByText('This needs the role operator.').waitFor();
    assert.equal(await page.getByRole('link', {name: 'Audit'}).count(), 0);
    assert.equal(await page.getByRole('link', {name: 'Dead letters'}).count(), 0);
    await page.goto(server.url + '/audit');
    await page.getByText('Ask somebody with the role for it').waitFor();
  });
});

test('an operator acts, and the history says who it was', async () => {
  await signedIn('otto', async (page) => {
    await page.locator('.table-row.line a').first().click();
    await page.getByRole('button', {name: 'Suspend'}).click();
    await page.getByLabel('Reason').fill('stock-taking');
    await page.getByRole('button', {name: 'Suspend it'}).click();
    await page.locator('.instance-head .tone-suspended').waitFor();
    await page.getByRole('button', {name: 'Resume'}).click();
    await page.locator('.instance-head .tone-suspended').waitFor({state: 'detached'});
    await page.getByRole('tab', {name: 'History'}).click();
    await page.locator('.fact', {hasText: 'stock-taking'}).getByText('by otto').waitFor();
    await page.getByRole('button', {name: 'Sign out'}).click();
    await page.getByLabel('Token').waitFor();
  });
});

test('an admin sees who did what', async () => {
  await signedIn('ada', async (page) => {
    await page.getByRole('link', {name: 'Audit'}).click();
    await page.getByText('otto').first().waitFor();
  });
});
