// SPDX-License-Identifier: Apache-2.0
// Writing a definition: it is completed and looked at while typing, drawn beside, saved, started.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {launch, serve, visit} from './server.mjs';

let server;
let browser;
before(async () => {
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

test('a definition is completed, checked, drawn, saved and started', async () => {
  const {page, faults, context} = await visit(browser, server.url);
  await page.goto(server.url + '/definitions/new');
  const editor = page.getByRole('textbox', {name: 'Source of the definition'});
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(
    `document: {dsl: '1.0.3', namespace: desk, name: typed, version: '1.0.0'}\n` +
      `do:\n  - first:\n      `,
  );
  await page.keyboard.type('swi');
  await page.locator('.cm-tooltip-autocomplete').getByText('switch').first().waitFor();
  await page.keyboard.press('Escape');
  for (let letter = 0; letter < 3; ++letter) await page.keyboard.press('Backspace');
  await page.keyboard.insertText('nonsense: {a: 1}');
  await page.getByRole('region', {name: 'What is wrong'}).getByRole('button').first().waitFor();
  await page.locator('.cm-lintRange-error, .cm-lint-marker-error').first().waitFor();
  assert.ok(await page.getByRole('button', {name: 'Save', exact: true}).isDisabled());
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.insertText('set: {a: 1}');
  await page.getByText('Valid.').waitFor();
  await page.locator('.task-node', {hasText: 'first'}).waitFor();
  await page.getByRole('button', {name: 'Save and start'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Start', exact: true}).click();
  await page.locator('.instance-head .tone-completed').waitFor();
  await context.close();
  assert.deepEqual(faults, []);
});
