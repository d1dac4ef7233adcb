// SPDX-License-Identifier: Apache-2.0
// The page at work: many instances at once, schedules, events, versions, expressions, families,
// attempts. Each test does with the page what people do, on real data.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {launch, serve, visit} from './server.mjs';

const WAITING = `document: {dsl: '1.0.3', namespace: work, name: waiting, version: '1.0.0'}
do:
  - answer:
      listen:
        to:
          one:
            with:
              type: com.example.work.answered.v1
              data: '\${ .order == $workflow.input.order }'
`;
const RHYTHM = `document: {dsl: '1.0.3', namespace: work, name: rhythm, version: '1.0.0'}
schedule: {cron: '0 0 * * *'}
do:
  - note: {set: {done: true}}
`;
const ATTEMPTS = `document: {dsl: '1.0.3', namespace: work, name: attempts, version: '1.0.0'}
do:
  - guarded:
      try:
        - broken:
            raise:
              error: {type: https://example.com/errors/busy, status: 503, title: Too busy}
      catch:
        errors: {with: {status: 503}}
        retry: {delay: {milliseconds: 1}, limit: {attempt: {count: 2}}}
        do:
          - settle: {set: {settled: true}}
`;
const CHILD = `document: {dsl: '1.0.3', namespace: work, name: child, version: '1.0.0'}
do:
  - answer: {set: {size: '\${ .name | length }'}}
`;
const PARENT = `document: {dsl: '1.0.3', namespace: work, name: parent, version: '1.0.0'}
do:
  - ask:
      run:
        workflow: {namespace: work, name: child, version: '1.0.0', input: {name: lamp}}
`;

const version = (number, add) => `document:
  {dsl: '1.0.3', namespace: work, name: versions, version: '${number}'}
input:
  schema:
    document:
      type: object
      required: [amount]
      properties:
        amount: {type: integer, minimum: 1, title: Amount}
        kind: {type: string, enum: [book, lamp]}
do:
  - total: {set: {total: '\${ .amount * ${add} }'}}
`;

let server;
let browser;
before(async () => {
  server = await serve();
  browser = await launch();
  for (const source of [WAITING, RHYTHM, ATTEMPTS, CHILD, PARENT]) await server.define(source);
  for (const [number, add] of [['1.0.0', 2], ['1.1.0', 3]]) {
    await server.define(version(number, add));
  }
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

// Runs `act` with the page at `path`; nothing that must not happen may have happened.
async function at(path, act) {
  const {page, faults, context} = await visit(browser, server.url);
  await page.goto(server.url + path);
  await act(page);
  await context.close();
  assert.deepEqual(faults, []);
}

const button = (page, name) => page.getByRole('button', {name, exact: true});

test('the chosen are suspended, and all that the filter finds are cancelled', async () => {
  for (let order = 1; order <= 5; ++order) await server.start('work/waiting', {order});
  await at('/instances?namespace=work&name=waiting', async (page) => {
    await page.locator('.table-row.line').nth(4).waitFor();
    for (const index of [0, 1]) {
      await page.locator('.table-row.line input[type=checkbox]').nth(index).check();
    }
    const bar = page.getByRole('toolbar');
    await bar.getByText('2 chosen').waitFor();
    await bar.getByRole('button', {name: 'Suspend'}).click();
    await button(page, 'Suspend 2 instances').click();
    await page.getByText('2 suspended').waitFor();
    await page.locator('.table-row.line .tone-suspended').nth(1).waitFor();
    assert.equal(await page.locator('.table-row.line .tone-suspended').count(), 2);
    await page.locator('.table-row.line input[type=checkbox]').first().check();
    await bar.getByRole('button', {name: 'all that the filter finds'}).click();
    await bar.getByRole('button', {name: 'Cancel'}).click();
    await page.getByLabel('Reason').fill('spring cleaning');
    await button(page, 'Cancel 5 instances').click();
    await page.getByText('5 cancelled').waitFor();
    await page.locator('.table-row.line .tone-cancelled').nth(4).waitFor();
  });
});

test('a schedule is paused, resumed, triggered and filled in', async () => {
  await at('/schedules', async (page) => {
    await page.getByRole('button', {name: 'rhythm'}).click();
    await page.getByRole('heading', {name: 'Next firings'}).waitFor();
    assert.ok((await page.locator('dialog .chips li').count()) > 1);
    await button(page, 'Pause').click();
    await button(page, 'Resume').waitFor();
    await button(page, 'Resume').click();
    await button(page, 'Pause').waitFor();
    await button(page, 'Trigger now').click();
    await button(page, 'Start it').click();
    await page.getByText('1 started').waitFor();
    await button(page, 'Fill in').click();
    await page.getByLabel('From').fill('2026-01-01T00:00');
    await page.getByLabel('To').fill('2026-01-03T12:00');
    await button(page, 'Start them').click();
    await page.getByText(/[23] started/).waitFor();
    await page.getByRole('link', {name: 'show them'}).click();
    await page.locator('.table-row.line').nth(2).waitFor();
  });
});

test('an event is sent, and the page says who took it', async () => {
  const {id} = await server.start('work/waiting', {order: 77});
  await at('/events', async (page) => {
    const form = page.getByRole('region', {name: 'Send an event'});
    await form.getByLabel('Type', {exact: true}).fill('com.example.work.answered.v1');
    await form.getByLabel('Source', {exact: true}).fill('https://example.com/desk');
    await form.getByLabel('Data').fill('{"order": 77');
    await form.getByRole('button', {name: 'Send'}).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Data').fill('{"order": 77}');
    await form.getByRole('button', {name: 'Send'}).click();
    await page.getByRole('list', {name: 'Instances that took it'}).getByText(id).click();
    await page.locator('.instance-head .tone-completed').waitFor();
  });
});

test('the form comes out of the schema and refuses what does not fit', async () => {
  await at('/definitions/work/versions', async (page) => {
    await button(page, 'Start').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', {name: 'Start', exact: true}).click();
    await dialog.getByRole('alert').first().waitFor();
    await dialog.getByLabel('Amount').fill('4');
    await dialog.getByLabel('kind').selectOption('lamp');
    await dialog.getByRole('button', {name: 'Start', exact: true}).click();
    await page.locator('.instance-head .tone-completed').waitFor();
  });
});

test('two versions are compared, in meaning and in text', async () => {
  await at('/definitions/work/versions', async (page) => {
    await page.getByRole('tab', {name: /Versions/}).click();
    await page.locator('.diff-changed', {hasText: 'changed'}).first().waitFor();
    await page.locator('.diff-line.added', {hasText: '.amount * 3'}).waitFor();
    await page.locator('.diff-line.removed', {hasText: '.amount * 2'}).waitFor();
  });
});

test('an expression is tried on what a past instance had', async () => {
  await server.start('work/versions', {amount: 6}, '?wait=20s');
  await at('/definitions/work/versions', async (page) => {
    await page.getByRole('tab', {name: /Expressions|Playground/}).click();
    await page.getByLabel('It is evaluated on').and(page.locator(':not(:empty)')).waitFor();
    await page.getByLabel('Expression', {exact: false}).last().fill('${ .amount + 100 }');
    await page.locator('.json-number', {hasText: '106'}).waitFor();
  });
});

test('attempts are told apart, in the graph and over time', async () => {
  const {id} = await server.start('work/attempts', {}, '?wait=20s');
  await at(`/instances/${id}`, async (page) => {
    await page.getByLabel('attempt', {exact: true}).first().waitFor();
    const shown = page.locator('.picker input');
    const last = Number(await shown.inputValue());
    assert.ok(last >= 2, `${last} attempts`);
    await page.getByRole('button', {name: 'Previous attempt'}).click();
    assert.equal(Number(await shown.inputValue()), last - 1);
    await page.getByRole('tab', {name: /Timeline/}).click();
    await page.locator('.gantt-row', {hasText: `attempt ${last}`}).first().click();
    await page.getByText('Too busy').first().waitFor();
  });
});

test('parent and child lead to each other; one is run again from a task', async () => {
  const {id} = await server.start('work/parent', {}, '?wait=20s');
  await at(`/instances/${id}?tab=family`, async (page) => {
    await page.getByText('Started by this one').waitFor();
    await page.locator('.family a', {hasText: 'child'}).click();
    await page.getByRole('link', {name: 'its parent'}).click();
    await page.waitForURL(`**/instances/${id}`);
    await page.locator('.task-node .task-head').first().click();
    await button(page, 'Rerun from here').click();
    await button(page, 'Run again').click();
    await page.getByRole('link', {name: 'does another one again'}).waitFor();
    await page.locator('.instance-head .tone-completed').waitFor();
    assert.ok(!page.url().includes(id));
  });
});
