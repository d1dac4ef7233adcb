// SPDX-License-Identifier: Apache-2.0
// A small program on the client that is generated of the document: client_test.py checks it and
// runs it against a server, whose address is its argument.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

declare const process: { argv: string[]; exitCode?: number };

const api = createClient<paths>({ baseUrl: process.argv[2] });
const source = `document: {dsl: '1.0.3', namespace: generated, name: hello, version: '1.0.0'}
do:
  - greet: {set: '\${ {message: "Hello \\(.name)!"} }'}
`;

function expect(truth: boolean, what: string): asserts truth {
  if (!truth) throw new Error(what);
}

const created = await api.POST('/api/v1/definitions', {
  body: source,
  bodySerializer: (text) => text as string,
  headers: { 'Content-Type': 'application/yaml' },
});
expect(created.data !== undefined && 'id' in created.data, 'the definition is stored');

const started = await api.POST('/api/v1/definitions/{namespace}/{name}/instances', {
  params: { path: { namespace: 'generated', name: 'hello' }, query: { wait: '20s', tag: ['a:b'] } },
  body: { name: 'Ada' },
});
const outcome: components['schemas']['Outcome'] | undefined = started.data;
expect(outcome?.status === 'completed', 'the instance completed');
expect(JSON.stringify(outcome.output) === '{"message":"Hello Ada!"}', 'its output is unknown');

const shown = await api.GET('/api/v1/instances/{id}', { params: { path: { id: outcome.id } } });
expect(shown.data?.definition === 'generated/hello:1.0.0', 'the instance is shown');

const page = await api.GET('/api/v1/definitions', { params: { query: { latest: true } } });
expect(page.data?.items.some((row) => row.latest && row.tasks === 1) === true, 'the list has it');

const missing = await api.GET('/api/v1/instances/{id}', { params: { path: { id: 'none' } } });
const problem: components['schemas']['Problem'] | undefined = missing.error;
expect(problem?.status === 404, 'an error is problem details');
console.log('the generated client works');
