// SPDX-License-Identifier: Apache-2.0
// The CloudEvent that a listen waits for, as far as its filter says: what is sent from the page
// then fits. Pure but for the expressions, which the server evaluates.
import {post, randomKey} from '../api/client';
import type {Awaited, Evaluation, Instance} from '../api/types';

export interface Draft {
  type: string;
  source: string;
  id: string;
  subject: string;
  data: string; // JSON
}

type Filter = Awaited['filters'][number];

export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && /^\s*\$\{[\s\S]*\}\s*$/.test(value);
}

// Puts a value at a plain path, ".data.request" or "$.data.request"; others say nothing about
// where.
export function setAt(data: Record<string, unknown>, path: string, value: unknown) {
  const inner = path.replace(/^\s*\$\{\s*|\s*\}\s*$/g, '');
  const match = /^\$?\.data((?:\.[A-Za-z_]\w*)+)$/.exec(inner.trim());
  if (!match) return;
  const steps = match[1].slice(1).split('.');
  let at = data;
  for (const step of steps.slice(0, -1)) at = (at[step] ??= {}) as Record<string, unknown>;
  at[steps[steps.length - 1]] = value;
}

async function expected(
  name: string,
  rule: {expect?: unknown},
  awaited: Awaited,
  instance: Instance,
): Promise<unknown> {
  const known = (awaited.correlation as Record<string, unknown> | undefined)?.[name];
  if (known !== undefined || rule.expect === undefined) return known;
  if (!isExpression(rule.expect)) return rule.expect;
  const answer = await post<Evaluation>('expressions/evaluate', {
    expression: rule.expect,
    variables: {workflow: {id: instance.id, input: instance.input}},
  }).catch(() => undefined);
  return answer?.outputs[0];
}

export function emptyDraft(): Draft {
  return {type: '', source: '/jaque/page', id: randomKey().slice(0, 12), subject: '', data: '{}'};
}

export async function draftFor(awaited: Awaited, instance: Instance): Promise<Draft> {
  const filter: Filter | undefined = awaited.filters.find((each) => !each.matched);
  const wanted = (filter?.with ?? {}) as Record<string, unknown>;
  const draft = emptyDraft();
  for (const name of ['type', 'source', 'id', 'subject'] as const) {
    const value = wanted[name];
    if (typeof value === 'string' && !isExpression(value)) draft[name] = value;
  }
  const data: Record<string, unknown> = {};
  const rules = (filter?.correlate ?? {}) as Record<string, {from?: unknown; expect?: unknown}>;
  for (const [name, rule] of Object.entries(rules)) {
    const value = await expected(name, rule, awaited, instance);
    if (typeof rule.from === 'string' && value !== undefined) setAt(data, rule.from, value);
  }
  draft.data = JSON.stringify(data, null, 2);
  return draft;
}

export async function sendEvent(draft: Draft): Promise<void> {
  const {data, subject, ...attributes} = draft;
  const text = data.trim() === '' ? '' : `,"datacontenttype":"application/json","data":${data}`;
  const head = JSON.stringify({specversion: '1.0', ...attributes, ...(subject && {subject})});
  // The data goes as it was typed: its numbers are not read by the page.
  await post('events', head.slice(0, -1) + text + '}', {type: 'application/cloudevents+json'});
}
