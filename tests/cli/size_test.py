#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Values that no message can hold: a clear fault of that instance, and nobody else notices."""
import concurrent.futures
import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
from bad_input_test import TYPES, get, workflow  # noqa: E402
from stand_in import StandIn  # noqa: E402

GOOD = workflow('  - w: {wait: {milliseconds: 1}}\n  - a: {set: {sum: "${ .n + 1 }"}}', 'good')
MEGABYTE = 1 << 20


def text(size):
    return f'"x" * {size}'


def branches(size):
    """Three that each export so much."""
    return ''.join(f"\n          - {name}: {{set: {{x: 1}}, export: {{as: '${{ {text(size)} }}'}}}}"
                   for name in 'abc')


class SizeTest(unittest.TestCase):
    def setUp(self):
        self.served = jaque.Served()
        self.served.__enter__()
        self.addCleanup(self.served.stop)
        self.served.define(GOOD)

    def neighbours(self, count):
        """Others at the same time; each must be as if it were alone."""
        def one(n):
            return self.served.start('cli/good', {'n': n}, wait='60s')

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for n, (status, body) in enumerate(pool.map(one, range(count))):
                self.assertEqual((status, body.get('output')), (200, {'sum': n + 1}), body)

    def ended(self, definition, given=None):
        self.served.define(definition)
        status, body = self.served.start('cli/big', given)
        self.assertEqual(status, 202, body)
        self.neighbours(50)
        return self.served.get(f'/api/v1/instances/{body["id"]}?wait=60s')[2]

    def faulted(self, definition, kind, *words, given=None):
        body = self.ended(definition, given)
        self.assertEqual(body['status'], 'faulted', str(body)[:2000])
        self.assertEqual(body['error']['type'], TYPES + kind)
        for word in words:
            self.assertIn(word, body['error']['detail'])

    def test_an_answer_that_is_too_large(self):
        answer = (200, 'x' * (3 * MEGABYTE // 2), {'Content-Type': 'text/plain'})
        with StandIn(lambda request: answer) as server:
            self.faulted(get(server.url, 'big'), 'runtime', 'larger than the limit of 921600')

    def test_a_value_made_from_little(self):
        self.faulted(workflow(f"  - s: {{set: {{x: '${{ {text(2 * MEGABYTE)} }}'}}}}", 'big'),
                     'runtime', 'more than the limit of 921600')

    def test_a_value_just_below_a_message_with_long_names(self):
        name = 'n' * 1000
        task = f"{{set: {{x: '${{ {text(MEGABYTE - 100)} }}'}}}}"
        self.faulted(workflow(f'  - {name}: {task}', 'big'), 'runtime',
                     'more than the limit of 921600')

    def test_the_largest_value_with_long_names(self):
        name = 'n' * 1000
        body = self.ended(workflow(
            f"  - {name}: {{set: {{x: '${{ {text(921600 - 100)} }}'}}}}\n"
            f"  - {name}2: {{set: {{size: '${{ .x | length }}'}}}}", 'big'))
        self.assertEqual((body['status'], body.get('output')), ('completed', {'size': 921500}))

    def test_contexts_of_branches(self):
        fork = '\n  - f:\n      fork:\n        branches:'
        body = self.ended(workflow(fork + branches(900_000) + '\n  - t: {set: {x: 1}}', 'big'))
        self.assertEqual(body['status'], 'completed', str(body)[:2000])

    def test_contexts_of_branches_over_the_limit(self):
        fork = '\n  - f:\n      fork:\n        branches:'
        self.faulted(workflow(fork + branches(900 << 10), 'big'), 'runtime',
                     'with the exported context', 'more than the limit of 921600')

    def test_a_task_that_needs_more_than_a_message(self):
        stdin = '"${ [$workflow.input, $task.input, .] }"'
        task = f'{{run: {{shell: {{command: cat, stdin: {stdin}}}}}}}'
        self.faulted(workflow(f'  - s: {task}', 'big'), 'runtime',
                     'with the variables that it uses', given='"' + 'x' * 400_000 + '"')


class NameTest(unittest.TestCase):
    """Names that mean something in subjects, keys, paths or patterns, and mean nothing here."""

    HOSTILE = ['a b', 'a..b', '.a', 'a.', '*', 'x.>', '>', 'ä', 'a/b', '../a', 'x' * 300, 'A', 'a',
               '$x', 'a\\b', "a'b", 'a"b', '-', '%2e', 'a\tb']

    def setUp(self):
        self.served = jaque.Served()
        self.served.__enter__()
        self.addCleanup(self.served.stop)

    def test_the_reason_of_a_cancel_is_short(self):
        self.served.define(workflow('  - w: {wait: {hours: 1}}', 'waits'))
        _, body = self.served.start('cli/waits')
        cancel = f'/api/v1/instances/{body["id"]}/cancel'
        self.assertEqual(self.served.post(cancel, {'reason': 'x' * 16_385})[0], 400)
        status, _, body = self.served.post(cancel, {'reason': 'x' * 16_384})
        self.assertEqual((status, body['reason']), (200, 'x' * 16_384))

    def test_the_id_of_a_child_cannot_be_taken(self):
        self.served.define(workflow('  - w: {wait: {hours: 1}}', 'waits'))
        self.served.define(workflow(
            '  - c: {run: {workflow: {namespace: cli, name: waits, version: latest}}}', 'parent'))
        _, body = self.served.start('cli/parent', id='p')
        self.assertEqual(self.served.start('cli/waits', id='p-2')[0], 202)
        status, body = self.served.start('cli/waits', id='p.2')
        self.assertEqual(status, 400, body)
        # The child has an id that leads to it.
        _, _, body = self.served.get('/api/v1/instances/p.2?wait=1ms')
        self.assertEqual((body['id'], body['status']), ('p.2', 'waiting'), body)

    def test_names_of_definitions_are_labels(self):
        for name in self.HOSTILE:
            for member in ('namespace', 'name', 'version'):
                document = {'dsl': '1.0.3', 'namespace': 'cli', 'name': 'x', 'version': '1.0.0'}
                document[member] = name
                status, _, body = self.served.post(
                    '/api/v1/definitions',
                    {'document': document, 'do': [{'a': {'set': {'x': 1}}}]})
                allowed = name in ('A', 'a') and member != 'version'
                self.assertEqual(status, 201 if allowed else 400, (member, name, body))

    def test_ids_of_instances_are_words_and_differ_by_case(self):
        self.served.define(workflow('  - a: {set: "${ $workflow.input }"}', 'named'))
        for name in self.HOSTILE:
            allowed = name in ('A', 'a', '-')
            status, body = self.served.start('cli/named', {'own': name}, id=name, wait='60s')
            self.assertEqual(status, 200 if allowed else 400, (name, body))
        for name in 'Aa':
            self.assertEqual(self.served.get(f'/api/v1/instances/{name}')[2]['output'],
                             {'own': name})

    def test_tasks_and_events_may_be_called_anything(self):
        for number, name in enumerate(self.HOSTILE):
            definition = {
                'document': {'dsl': '1.0.3', 'namespace': 'cli', 'name': f'h{number}',
                             'version': '1.0.0'},
                'do': [{name: {'set': {'x': 1}}},
                       {'l': {'listen': {'to': {'all': [
                           {'with': {'type': name}, 'correlate': {'c': {'from': '.data.c'}}},
                           {'with': {'type': name, 'subject': name},
                            'correlate': {'c': {'from': '.data.c'}}}]}}}}]}
            status, _, body = self.served.post('/api/v1/definitions', definition)
            self.assertEqual(status, 201, (name, body))
        started = [self.served.start(f'cli/h{number}')[1]['id']
                   for number in range(len(self.HOSTILE))]
        # Each type goes to the one that named it, and none is a pattern for others.
        for name in self.HOSTILE + ['com.x.*', '**']:
            for subject in ('other', name):
                event = {'specversion': '1.0', 'source': name, 'id': name + subject, 'type': name,
                         'subject': subject, 'data': {'c': name}}
                status, _, body = self.served.post('/api/v1/events', event)
                self.assertEqual(status, 202, (name, body))
        for name, identity in zip(self.HOSTILE, started):
            _, _, body = self.served.get(f'/api/v1/instances/{identity}?wait=60s')
            self.assertEqual((body['status'], body.get('output')),
                             ('completed', [{'c': name}] * 2), body)


if __name__ == '__main__':
    unittest.main()
