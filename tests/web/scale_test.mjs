// SPDX-License-Identifier: Apache-2.0
// A hundred thousand instances in the list. What makes it quick is asserted: few rows in the
// document wherever one stands, and pages of rows, never the whole list. Times are printed.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {launch, ROOT, serve, visit} from './server.mjs';

const FILL = process.env.JAQUE_STORE_BENCH ?? ROOT + 'build/tests/bench/jaque_store_bench';
const INSTANCES = 100_000;

const folder = mkdtempSync(join(tmpdir(), 'jaque-page-'));
const store = `sqlite:${folder}/store.db`;
let server;
let browser;
before(async () => {
  execFileSync(FILL, [store, String(INSTANCES)], {stdio: 'ignore'});
  server = await serve(['-target', 'ui', '-store', store]);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, {recursive: true});
});

async function timed(words, act) {
  const began = performance.now();
  await act();
  console.log(`${words}: ${Math.round(performance.now() - began)} ms`);
}

test('a hundred thousand instances are listed, searched and scrolled in parts', async () => {
  const {page, faults, context} = await visit(browser, server.url);
  page.setDefaultTimeout(60_000);
  let biggest = 0;
  page.on('response', async (response) => {
    if (!/\/instances\?/.test(response.url())) return;
    const {items} = await response.json().catch(() => ({items: []}));
    biggest = Math.max(biggest, items.length);
  });
  const rows = page.locator('.table-row.line');
  await timed('opened', async () => {
    await page.goto(server.url + '/instances');
    await rows.nth(8).waitFor();
  });
  const counts = page.getByRole('group', {name: 'Filter by status'});
  await counts.getByText(/\d\d,\d\d\d/).first().waitFor();
  const scroller = page.locator('.table');
  await timed('scrolled by two thousand rows', async () => {
    for (let known = 0; known < 2000; ) {
      const height = await scroller.evaluate((element) => {
        element.scrollTop = element.scrollHeight;
        return element.scrollHeight;
      });
      await page.waitForFunction(
        (before) => document.querySelector('.table').scrollHeight > before, height);
      known = height / 40;
      assert.ok((await rows.count()) < 60, 'only rows in sight are in the document');
    }
  });
  await timed('found one by its id', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('01K00000000000000000050000');
    await page.locator('a[href$="01K00000000000000000050000"]').first().waitFor();
    await rows.nth(1).waitFor({state: 'detached'});
  });
  await timed('filtered by status', async () => {
    await page.goto(server.url + '/instances?status=faulted');
    await rows.nth(8).waitFor();
    await page.locator('.table-row.line .tone-faulted').nth(8).waitFor();
  });
  assert.ok(biggest > 0 && biggest <= 200, `${biggest} rows in one answer`);
  await context.close();
  assert.deepEqual(faults, []);
});
