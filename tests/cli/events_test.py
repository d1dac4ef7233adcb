#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events that come before, while and after a workflow listens, and again: a thousand times."""
import concurrent.futures
import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
from bad_input_test import workflow  # noqa: E402

REPETITIONS = 1000

# Answers each question as soon as it is asked, before the one who asks can listen.
RESPONDER = workflow("""
  - answer:
      listen: {to: {any: [{with: {type: t.ask}}], until: {one: {with: {type: t.stop}}}}}
      foreach:
        item: question
        do:
          - reply: {emit: {event: {with: {type: t.reply, data: '${ {k: $question.k} }'}}}}""",
                     'responder')
ASKER = workflow("""
  - ask: {emit: {event: {with: {source: 'urn:t', type: t.ask, data: '${ {k: .k} }'}}}}
  - reply:
      listen: {to: {one: {with: {type: t.reply, data: '${ .k == $workflow.input.k }'}}}}
      timeout: {after: {seconds: 20}}""", 'asker')

# Two waits, one after the other; the first begins some milliseconds after the start.
TWO_WAITS = workflow("""
  - late: {wait: '${ {milliseconds: .late} }'}
  - first:
      listen: {to: {one: {with: {type: t.two, data: '${ .k == $workflow.input.k }'}}}}
      timeout: {after: {seconds: 20}}
      export: {as: '${ {first: .[0]} }'}
  - second:
      listen: {to: {one: {with: {type: t.two, data: '${ .k == $workflow.input.k }'}}}}
      timeout: {after: {seconds: 20}}
      output: {as: '${ [$context.first.n, .[0].n] }'}""", 'two-waits')


def event(kind, identity, data, source='urn:s'):
    return {'specversion': '1.0', 'type': kind, 'id': identity, 'source': source, 'data': data}


class EventTest(unittest.TestCase):
    def setUp(self):
        self.served = jaque.Served()
        self.served.__enter__()
        self.addCleanup(self.served.stop)

    def send(self, events):
        status, _, body = self.served.post(
            '/api/v1/events', events, {'Content-Type': 'application/cloudevents-batch+json'})
        self.assertEqual(status, 202, body)

    def test_a_reply_that_comes_at_once_is_never_lost(self):
        self.served.define(RESPONDER)
        self.served.define(ASKER)
        status, responder = self.served.start('cli/responder')
        self.assertEqual(status, 202)

        def ask(number):
            return self.served.start('cli/asker', {'k': number}, wait='60s')

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for number, (status, body) in enumerate(pool.map(ask, range(REPETITIONS))):
                self.assertEqual((status, body.get('output')), (200, [{'k': number}]), body)
        self.send([event('t.stop', 'stop', {})])
        _, _, body = self.served.get(f'/api/v1/instances/{responder["id"]}?wait=60s')
        self.assertEqual((body['status'], len(body['output'])), ('completed', REPETITIONS))

    def test_an_event_counts_once_whenever_and_how_often_it_comes(self):
        self.served.define(TWO_WAITS)
        step = 50
        for base in range(0, REPETITIONS, step):
            keys = range(base, base + step)
            started = [self.served.start('cli/two-waits', {'k': k, 'late': k % 4})[1]['id']
                       for k in keys]
            # The same three times, once with other data; then the same id of another source.
            self.send([event('t.two', f'e{k}', {'k': k, 'n': 1}) for k in keys] * 2)
            self.send([event('t.two', f'e{k}', {'k': k, 'n': 2}) for k in keys])
            self.send([event('t.two', f'e{k}', {'k': k, 'n': 3}, 'urn:other') for k in keys])
            for k, identity in zip(keys, started):
                _, _, body = self.served.get(f'/api/v1/instances/{identity}?wait=60s')
                self.assertEqual((body['status'], sorted(body.get('output', []))),
                                 ('completed', [1, 3]), (k, body))

    def test_what_came_before_the_start_is_not_waited_for_in_silence(self):
        self.served.define(TWO_WAITS.replace('seconds: 20', 'milliseconds: 50'))
        self.send([event('t.two', 'early', {'k': 1, 'n': 1})])
        _, body = self.served.start('cli/two-waits', {'k': 1, 'late': 0}, wait='60s')
        self.assertEqual((body['status'], body['error']['status'], body['error']['instance']),
                         ('faulted', 408, '/do/1/first'))


if __name__ == '__main__':
    unittest.main()
