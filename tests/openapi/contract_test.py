#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every operation of the OpenAPI document against the real server."""
import http.client
import os
import sys
import unittest
import urllib.parse

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
from cluster import wait_for  # noqa: E402
from exchanges import Client  # noqa: E402

YAML = {'Content-Type': 'application/yaml'}


def definition(name, tasks, version='1.0.0', more=''):
    return (f"document: {{dsl: '1.0.3', namespace: api, name: {name}, version: '{version}', "
            f"tags: {{team: blue}}}}\n{more}do:\n{tasks}")


STEPS = definition('steps', """\
  - one: {set: {m: 1}}
  - choose:
      switch:
        - big: {when: '.m > 5', then: fail}
        - small: {then: continue}
  - wait: {listen: {to: {all: [{with: {type: go, source: /t}}, {with: {type: also}}]}}}
  - fail: {raise: {error: {type: 'https://example.org/e', status: 503, title: Down}}}
""")
NEWER = STEPS.replace("'1.0.0'", "'1.1.0'").replace('m: 1', 'm: 2')
RHYTHM = definition('rhythm', '  - one: {set: {x: 1}}\n', more="schedule: {cron: '0 3 * * *'}\n")


class ContractTest(unittest.TestCase):
    """One server; each test does its part of the document with definitions of its own."""

    @classmethod
    def setUpClass(cls):
        cls.served = jaque.Served()
        cls.served.__enter__()
        cls.addClassCleanup(cls.served.stop)
        cls.client = Client(cls.served)
        cls.has_store = cls.client.ask('GET', '/api/v1/server')[2]['features']['store'] != 'none'
        for text in (STEPS, NEWER, RHYTHM):
            cls.client.ask('POST', '/api/v1/definitions', text, YAML, expected=201)

    def start(self, name='steps', query='', body=None):
        status, _, outcome = self.client.ask(
            'POST', f'/api/v1/definitions/api/{name}/instances{query}', body)
        self.assertIn(status, (200, 202), outcome)
        return outcome['id']

    def stored(self, path, condition=lambda body: True):
        """What the store says, once it has caught up; None where there is none."""
        def found():
            status, _, body = self.client.ask('GET', path)
            if status == 503 and not self.has_store:
                return 'none'
            return status == 200 and condition(body) and (body,)
        answer = wait_for(path, found)
        return None if answer == 'none' else answer[0]

    def test_definitions(self):
        ask, base = self.client.ask, '/api/v1/definitions'
        ask('GET', base + '?latest=true&limit=1&q=steps&namespace=api', expected=200)
        ask('GET', base + '?limit=x', expected=400)
        ask('POST', base + '?dryRun=true', STEPS, YAML, expected=200)
        ask('POST', base, STEPS.replace('m: 1', 'm: 7'), YAML, expected=409)
        ask('POST', base, 'do: [', YAML, expected=400)
        ask('POST', base, '<xml/>', {'Content-Type': 'multipart/form-data'}, expected=415)
        ask('POST', base + '/validate', 'do: []', YAML, expected=200)
        ask('POST', base + '/validate', STEPS, YAML, expected=200)
        _, headers, _ = ask('GET', base + '/api/steps?version=1.0.0', expected=200)
        ask('GET', base + '/api/steps?version=1.0.0', None,
            {'If-None-Match': headers['ETag']}, expected=304)
        ask('GET', base + '/api/none', expected=404)
        _, _, versions = ask('GET', base + '/api/steps/versions', expected=200)
        self.assertEqual([one['version'] for one in versions['items']], ['1.1.0', '1.0.0'])
        _, _, diff = ask('GET', base + '/api/steps/diff?from=1.0.0', expected=200)
        self.assertIn('+  - one: {set: {m: 2}}', diff['unified'])
        self.assertIn('/do/0/one/set/m', [change['pointer'] for change in diff['changes']])
        ask('GET', base + '/api/steps/diff', expected=400)
        _, _, graph = ask('GET', base + '/api/steps/graph', expected=200)
        self.assertIn({'from': '/do/1/choose', 'to': '/do/3/fail', 'kind': 'case', 'label': 'big'},
                      graph['edges'])
        ask('GET', base + '/api/none/versions', expected=404)

    def test_a_definition_that_is_deleted(self):
        ask = self.client.ask
        text = definition('short', '  - one: {set: {x: 1}}\n')
        _, headers, _ = ask('POST', '/api/v1/definitions', text, YAML, expected=201)
        path = '/api/v1/definitions/api/short?version=1.0.0'
        ask('DELETE', path, None, {'If-Match': '"other"'}, expected=412)
        ask('DELETE', '/api/v1/definitions/api/short', expected=400)
        ask('DELETE', path, None, {'If-Match': headers['ETag']}, expected=204)
        ask('DELETE', path, expected=404)
        ask('POST', '/api/v1/definitions/api/short/instances?version=1.0.0', {}, expected=404)
        ask('POST', '/api/v1/definitions', text, YAML, expected=201)

    def test_an_instance_from_start_to_end(self):
        ask = self.client.ask
        instance = self.start(query='?tag=order:17&id=contract-1')
        path = f'/api/v1/instances/{instance}'
        ask('POST', '/api/v1/definitions/api/steps/instances?id=a.b', {}, expected=400)
        ask('POST', '/api/v1/definitions/api/steps/instances', '{', expected=400)
        ask('POST', '/api/v1/definitions/api/steps/instances?id=contract-1', {'other': 1},
            expected=409)
        wait_for('waiting', lambda: ask('GET', path)[2]['status'] == 'waiting')
        ask('GET', '/api/v1/instances/none', expected=404)
        ask('GET', path + '?wait=1', expected=400)
        ask('POST', path + '/suspend', {'reason': 'lunch'}, expected=200)
        self.assertEqual(ask('GET', path)[2]['reason'], 'lunch')
        ask('POST', path + '/resume', expected=200)
        self.stored(path + '/waiting-for', lambda body: body['items'])
        ask('POST', '/api/v1/events', {'specversion': '1.0', 'id': '1', 'source': '/t',
                                       'type': 'go'},
            {'Content-Type': 'application/cloudevents+json'}, expected=202)
        ask('POST', '/api/v1/events', {'specversion': '1.0', 'id': '2', 'source': '/t',
                                       'type': 'also'}, expected=202)
        ask('POST', '/api/v1/events', {'id': '2'}, expected=400)
        self.assertEqual(ask('GET', path + '?wait=30s', expected=200)[2]['status'], 'faulted')
        self.read_back(instance, path)

    def read_back(self, instance, path):
        ask = self.client.ask
        found = self.stored('/api/v1/instances?namespace=api&status=faulted&tag=order:17&q=steps',
                            lambda body: body['items'])
        if found is None:
            for rest in ('/history', '/tasks', '/tasks/1', '/children', '/waiting-for', '/events'):
                ask('GET', path + rest, expected=503)
            for rest in ('/retry', '/rerun'):
                ask('POST', path + rest, expected=503)
            ask('GET', '/api/v1/instances/summary', expected=503)
            ask('GET', '/api/v1/events/matches?source=/t&id=1', expected=503)
            return
        self.assertEqual(found['items'][0]['tags'], {'order': '17', 'team': 'blue'})
        ask('GET', '/api/v1/instances/summary', expected=200)
        history = ask('GET', path + '/history?limit=3', expected=200)[2]
        ask('GET', path + '/history?cursor=' + history['next'], expected=200)
        ask('GET', path + '/history?order=newest', expected=200)
        tasks = ask('GET', path + '/tasks', expected=200)[2]['items']
        ask('GET', path + '/tasks?changedSince=0', expected=200)
        self.assertEqual([task['name'] for task in tasks], ['one', 'choose', 'wait', 'fail'])
        task = ask('GET', f'{path}/tasks/{tasks[2]["seq"]}', expected=200)[2]
        self.assertEqual(task['input'], {'m': 2})
        ask('GET', f'{path}/tasks/{tasks[2]["seq"]}?part=output', expected=200)
        ask('GET', path + '/tasks/1', expected=404)
        ask('GET', path + '/children', expected=200)
        ask('GET', path + '/waiting-for', expected=200)
        ask('GET', '/api/v1/events/matches?source=/t&id=1', expected=200)
        status, headers, text = self.served.request('GET', path + '/events')
        self.client.document.check('GET', path + '/events', status, headers, text)
        self.assertIn('event: end\n', text)
        again = ask('POST', path + '/retry', expected=202)[2]['id']
        ask('POST', path + '/rerun', {'task': '/do/2/wait'}, expected=202)
        ask('POST', path + '/rerun', {'task': '/do/9/none'}, expected=409)
        ended = ask('GET', f'/api/v1/instances/{again}?wait=30s', expected=200)[2]
        self.assertEqual(ended['status'], 'faulted')
        again = self.stored(f'/api/v1/instances?rerunOf={instance}',
                            lambda body: len(body['items']) == 2)
        self.assertEqual({row['name'] for row in again['items']}, {'steps'})

    def test_many_at_once(self):
        ask = self.client.ask
        for name in ('m1', 'm2'):
            self.start(query=f'?id={name}&tag=many:yes')
        request = {'operation': 'cancel', 'filter': {'tag': ['many:yes']}, 'reason': 'enough'}
        if not self.has_store:
            ask('POST', '/api/v1/instances/bulk', request, expected=503)
            return
        self.stored('/api/v1/instances?tag=many:yes', lambda body: len(body['items']) == 2)
        preview = ask('POST', '/api/v1/instances/bulk', {**request, 'preview': True},
                      expected=200)[2]
        self.assertEqual(preview['matched'], 2)
        self.assertEqual(ask('POST', '/api/v1/instances/bulk', request, expected=200)[2]['done'], 2)
        ask('POST', '/api/v1/instances/bulk', {'operation': 'x', 'filter': {}}, expected=400)

    def test_cancel(self):
        instance = self.start()
        path = f'/api/v1/instances/{instance}/cancel'
        outcome = self.client.ask('POST', path, {'reason': 'no'}, expected=200)[2]
        self.assertEqual((outcome['status'], outcome['reason']), ('cancelled', 'no'))
        self.client.ask('POST', path, {'reason': 7}, expected=400)
        self.client.ask('POST', '/api/v1/instances/none/cancel', expected=404)

    def test_idempotency(self):
        path = '/api/v1/definitions/api/steps/instances'
        first, second = (self.client.ask('POST', path, {}, {'Idempotency-Key': 'k'})[2]['id']
                         for _ in range(2))
        self.assertEqual(first, second)
        self.client.ask('POST', path, {'other': 1}, {'Idempotency-Key': 'k'}, expected=409)
        self.client.ask('POST', path, {}, {'Idempotency-Key': 'k' * 256}, expected=400)

    def test_schedules(self):
        ask, path = self.client.ask, '/api/v1/schedules/api/rhythm'
        _, headers, shown = ask('GET', path + '?firings=3', expected=200)
        self.assertEqual(len(shown['next']), 3)
        self.assertEqual([due[11:] for due in shown['next']], ['03:00:00Z'] * 3)
        ask('POST', path + '/pause', {'reason': 'moving'}, {'If-Match': '"x"'}, expected=412)
        ask('POST', path + '/pause', {'reason': 'moving'}, {'If-Match': headers['ETag']},
            expected=200)
        ask('POST', path + '/resume', expected=200)
        started = ask('POST', path + '/trigger', {'input': {'n': 1}}, expected=202)[2]['started']
        wait_for('the firing', lambda: ask('GET', f'/api/v1/instances/{started[0]}?wait=10s')[2]
                 ['status'] == 'completed')
        filled = ask('POST', path + '/backfill',
                     {'from': '2026-01-01T00:00:00Z', 'to': '2026-01-03T00:00:00Z'}, expected=202)
        self.assertEqual(len(filled[2]['started']), 2)
        ask('POST', path + '/backfill', {'from': '2026-01-01T00:00:00Z'}, expected=400)
        ask('GET', '/api/v1/schedules/api/none', expected=404)
        self.stored('/api/v1/schedules', lambda body: body['items'])

    def test_operations(self):
        ask = self.client.ask
        for path in ('cluster', 'pools', 'me', 'server', 'dead-letters', 'openapi.json',
                     'openapi.yaml'):
            ask('GET', '/api/v1/' + path, expected=200)
        for path in ('/healthz', '/readyz', '/metrics'):
            ask('GET', path, expected=200)
        pools = ask('GET', '/api/v1/pools', expected=200)[2]['items']
        self.assertEqual([(pool['name'], pool['workers']) for pool in pools], [('default', 1)])
        cluster = self.stored('/api/v1/cluster', lambda body: [
            reader for reader in body['readers'] if reader['name'] == 'sink' and 'lag' in reader])
        if cluster is not None:
            self.assertEqual({member['state'] for member in cluster['members']}, {'alive'})
            self.assertTrue([shard for shard in cluster['owners'] if 'lag' in shard])
        ask('GET', '/api/v1/dead-letters?kind=x', expected=400)
        for method, rest in (('GET', ''), ('DELETE', ''), ('POST', '/redrive')):
            ask(method, '/api/v1/dead-letters/command-1' + rest, expected=404)
        evaluate = '/api/v1/expressions/evaluate'
        request = {'expression': '${ .a[] + $n }', 'input': {'a': [1, 2]}, 'variables': {'n': 1}}
        self.assertEqual(ask('POST', evaluate, request, expected=200)[2]['outputs'], [2, 3])
        wrong = ask('POST', evaluate, {'expression': '.a +'}, expected=400)[2]
        self.assertEqual(wrong['errors'][0]['line'], 1)
        ask('POST', evaluate, {'expression': 'error("no")'}, expected=400)
        ask('GET', '/api/v1/audit', expected=200 if self.has_store else 503)

    def test_other_methods_are_refused_and_say_which_there_are(self):
        document = self.client.document
        for path in document.paths:
            concrete = path.replace('{', '').replace('}', '')
            # Where a word stands another path may have an id: /instances/bulk is one too.
            documented = {method for method, other, _ in document.operations()
                          if document.paths[other].match(concrete)}
            for method in {'GET', 'POST', 'DELETE', 'PUT', 'PATCH'} - documented:
                status, headers, _ = self.served.request(method, concrete)
                self.assertEqual(status, 405, (method, path))
                self.assertEqual(set(headers['Allow'].split(', ')), documented, path)

    def test_head_is_get_without_a_body(self):
        connection = http.client.HTTPConnection(self.served.url, timeout=jaque.PATIENCE)
        connection.request('HEAD', '/api/v1/definitions')
        response = connection.getresponse()
        self.assertEqual((response.status, response.read()), (200, b''))
        self.assertGreater(int(response.headers['Content-Length']), 100)
        connection.close()

    def test_paths_that_are_not_there(self):
        for path in ('/api/v1', '/api/v2/instances', '/api/v1/instances/a/b/c', '/nothing'):
            status, headers, body = self.served.get(urllib.parse.quote(path))
            self.assertEqual((status, body['status']), (404, 404), path)
            self.assertEqual(headers['Content-Type'], 'application/problem+json')


def load_tests(loader, tests, _):
    """After the others: nothing in the document was left out."""
    class EverythingWasAsked(unittest.TestCase):
        def test_every_operation_was_seen(self):
            seen = {(method, path) for method, path, _ in ContractTest.client.document.seen}
            self.assertEqual([f'{method} {path}' for method, path, _ in
                              ContractTest.client.document.operations()
                              if (method, path) not in seen], [])
    tests.addTests(loader.loadTestsFromTestCase(EverythingWasAsked))
    return tests


if __name__ == '__main__':
    unittest.main()
