#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Retries and timeouts as the server sees them: how many requests, when, which answer counts."""
import os
import sys
import threading
import time
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
from bad_input_test import closed_port, workflow  # noqa: E402
from stand_in import StandIn  # noqa: E402


def tried(url, retry, status=503, more=''):
    return workflow(f"""
  - t:
      try:
        - c:
            call: http
            with: {{method: post, endpoint: '{url}/x'}}
            {more}
      catch:
        errors: {{with: {{status: {status}}}}}
        retry: {retry}""")


class RetryTest(unittest.TestCase):
    def hits(self, retry):
        """When each request came, in milliseconds after the first."""
        came = []

        def down(_):
            came.append(time.monotonic())
            return 503, {}

        with StandIn(down) as server:
            result = jaque.run(tried(server.url, retry))
        self.assertEqual((result.code, result.error['status']), (1, 503), result)
        return [(at - came[0]) * 1000 for at in came]

    def test_a_count_is_of_retries_and_the_first_delay_is_the_configured_one(self):
        limit = 'limit: {attempt: {count: 3}}'
        for backoff, delays in (('backoff: {exponential: {}}, ', (40, 80, 160)),
                                ('backoff: {linear: {}}, ', (40, 80, 120)),
                                ('backoff: {constant: {}}, ', (40, 40, 40)),
                                ('', (40, 40, 40))):
            with self.subTest(backoff):
                hits = self.hits(f'{{delay: {{milliseconds: 40}}, {backoff}{limit}}}')
                self.assertEqual(len(hits), 4)
                for i, delay in enumerate(delays):
                    self.assertGreaterEqual(hits[i + 1] - hits[i], delay)

    def test_a_count_of_zero_is_no_retry_and_none_is_the_products_limit(self):
        self.assertEqual(len(self.hits('{delay: {milliseconds: 1}, limit: {attempt: {count: 0}}}')),
                         1)
        self.assertEqual(len(self.hits('{delay: {milliseconds: 1}}')), 1001)

    def test_many_exponential_retries_never_hammer(self):
        # A port that nobody listens on; the limit of time ends it before the delays grow large.
        result = jaque.run(tried(
            f'http://127.0.0.1:{closed_port()}',
            '{delay: {milliseconds: 10}, backoff: {exponential: {}}, '
            'limit: {attempt: {count: 100}, duration: {seconds: 1}}}', status=500))
        self.assertEqual((result.code, result.error['status']), (1, 500), result)
        retries = result.err.count(' retry /do/0/t attempt ')
        self.assertIn(retries // 2, range(3, 8))  # each is told when planned and when begun

    def test_a_timeout_aborts_the_request_and_its_late_answer_is_dropped(self):
        second = threading.Event()
        closed = []

        def slow(request):
            if len(server.requests) > 1:
                second.set()
                return 200, {'attempt': 2}
            # Until the client has gone, which must be before it tries again.
            closed.append(request.connection.recv(1) == b'' and not second.is_set())
            return 200, {'attempt': 1}

        with StandIn(slow, at_once=True) as server:
            result = jaque.run(tried(
                server.url, '{delay: {milliseconds: 50}, limit: {attempt: {count: 1}}}', 408,
                'timeout: {after: {milliseconds: 200}}'))
            self.assertEqual((result.code, result.output), (0, {'attempt': 2}), result)
        self.assertEqual(closed, [True])
        self.assertEqual(len(server.requests), 2)


if __name__ == '__main__':
    unittest.main()
