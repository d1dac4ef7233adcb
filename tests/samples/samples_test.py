#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every workflow of deploy/samples does its job: real processes against a stand-in server."""
import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
from stand_in import StandIn  # noqa: E402

SAMPLES = os.path.join(ROOT, 'deploy', 'samples')


def sample(name):
    return os.path.join(SAMPLES, name + '.yaml')


class SampleTest(unittest.TestCase):
    maxDiff = None

    def execute(self, name, given, *flags):
        result = jaque.run(sample(name), *flags, given=given)
        self.assertEqual(result.code, 0, result)
        return result.output

    def test_every_sample_is_valid(self):
        result = jaque.command('validate', SAMPLES)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.out, '')
        self.assertGreaterEqual(len(os.listdir(SAMPLES)), 8)

    def test_place_order_ships(self):
        def shop(request):
            if request.path == '/reservations':
                return 201, {'id': 'r1', 'total': 30}
            if request.path == '/payments':
                return 201, {'id': 'p1'}
            return 201, {'tracking': 'T-77'}

        with StandIn(shop) as server:
            output = self.execute('place-order', {
                'shop': server.url, 'item': 'lamp', 'quantity': 2, 'card': '4242'})
        self.assertEqual(output, {'status': 'shipped', 'reservation': 'r1', 'tracking': 'T-77'})
        self.assertEqual(server.seen(),
                         ['POST /reservations', 'POST /payments', 'POST /shipments'])
        self.assertEqual([request.json for request in server.requests], [
            {'item': 'lamp', 'quantity': 2}, {'card': '4242', 'amount': 30},
            {'reservation': 'r1', 'payment': 'p1'}])

    def test_place_order_gives_the_reservation_back(self):
        def shop(request):
            if request.path == '/reservations':
                return 201, {'id': 'r2', 'total': 30}
            if request.path == '/payments':
                return 402, {'why': 'no money'}
            return 200, {}

        with StandIn(shop) as server:
            output = self.execute('place-order', {
                'shop': server.url, 'item': 'lamp', 'quantity': 2, 'card': '4000'})
        self.assertEqual((output['status'], output['reservation']), ('refused', 'r2'))
        self.assertEqual(server.seen(),
                         ['POST /reservations', 'POST /payments', 'DELETE /reservations/r2'])

    def test_place_order_refuses_bad_input(self):
        result = jaque.run(sample('place-order'), given={'shop': 'http://127.0.0.1:1'})
        self.assertEqual(result.code, 1, result)
        self.assertEqual(result.error['status'], 400)
        self.assertIn('validation', result.error['type'])

    def poll(self, states):
        states = iter(states)

        def api(request):
            if request.method == 'POST':
                return 202, {'id': 'j9'}
            return 200, next(states)

        with StandIn(api) as server:
            return server, jaque.run(sample('poll-until-ready'), given={
                'api': server.url, 'document': 'a.odt', 'pause': 'PT0.01S'})

    def test_poll_until_ready(self):
        server, result = self.poll([{'state': 'queued'}, {'state': 'working'},
                                    {'state': 'ready', 'url': 'https://files.example/9'}])
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.output, {'job': 'j9', 'url': 'https://files.example/9'})
        self.assertEqual(server.seen(), ['POST /jobs'] + 3 * ['GET /jobs/j9'])

    def test_poll_until_failed(self):
        _, result = self.poll([{'state': 'failed', 'message': 'no such font'}])
        self.assertEqual(result.code, 1, result)
        self.assertEqual(result.error['type'], 'https://example.com/errors/conversion-failed')
        self.assertEqual(result.error['detail'], 'no such font')
        self.assertEqual(result.error['instance'], '/do/4/fail')

    def test_nightly_report(self):
        sales = {'north': [{'amount': 5}, {'amount': 7}], 'south': [], 'west': [{'amount': 20}]}

        def api(request):
            if request.method == 'POST':
                return 201, {'ok': True}
            region = request.path.split('region=')[1].split('&')[0]
            return (200, sales[region]) if region in sales else (500, {'why': 'down'})

        with StandIn(api) as server:
            output = self.execute('nightly-report', {
                'api': server.url, 'day': '2026-11-30',
                'regions': ['north', 'south', 'east', 'west']})
        expected = {'day': '2026-11-30', 'total': 32, 'best': 'west', 'missing': ['east'],
                    'regions': [{'region': 'west', 'total': 20, 'orders': 1},
                                {'region': 'north', 'total': 12, 'orders': 2},
                                {'region': 'south', 'total': 0, 'orders': 0}]}
        self.assertEqual(output, expected)
        self.assertEqual(server.requests[-1].json, expected)

    def test_fan_out(self):
        def status(request):
            return 200, {'up': request.path not in ('/status/asia/mail', '/status/europe/web')}

        with StandIn(status) as server:
            output = self.execute('fan-out', {'api': server.url})
        self.assertEqual(output, {'checked': 9, 'down': ['asia/mail', 'europe/web']})
        self.assertEqual(len(server.requests), 9)

    def deliver(self, answers):
        answers = iter(answers)
        with StandIn(lambda request: (next(answers), {'from': 'receiver'})) as server:
            return server, jaque.run(sample('retry-with-backoff'), given={
                'endpoint': server.url + '/inbox', 'message': {'n': 1}})

    def test_retry_delivers_in_the_end(self):
        server, result = self.deliver([503, 500, 200])
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.output, {'delivered': True, 'status': 200})
        self.assertEqual(len(server.requests), 3)

    def test_retry_puts_the_message_aside(self):
        server, result = self.deliver(5 * [503])
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.output, {'delivered': False, 'status': 503, 'message': {'n': 1}})
        self.assertEqual(len(server.requests), 5)

    def test_retry_does_not_repeat_what_is_refused(self):
        server, result = self.deliver([422])
        self.assertEqual(result.code, 1, result)
        self.assertEqual(result.error['status'], 422)
        self.assertEqual(len(server.requests), 1)

    def test_clean_contacts(self):
        output = self.execute('clean-contacts', {'contacts': [
            {'name': '  Ada   Lovelace ', 'email': 'ADA@Example.org '},
            {'name': 'Ada', 'email': 'ada@example.org'},
            {'name': 'Bob', 'email': 'nowhere'}, {'name': None, 'email': None},
            {'name': 'Cy', 'email': 'cy@example.com'}]})
        self.assertEqual(output, {'contacts': [
            {'name': 'Ada Lovelace', 'email': 'ada@example.org'},
            {'name': 'Cy', 'email': 'cy@example.com'}], 'dropped': 2, 'duplicates': 1})

    def test_onboard_customer_with_a_child_for_each_member(self):
        output = self.execute('onboard-customer', {
            'customer': 'acme', 'members': ['ada', 'Bob!', 'cy']}, '-definitions', SAMPLES)
        self.assertEqual(output, {
            'customer': 'acme', 'accounts': ['ada@acme', 'cy@acme'],
            'refused': [{'member': 'Bob!', 'why': '"Bob!" is no account name'}]})


class ApprovalTest(unittest.TestCase):
    """The sample that waits for a person, in a process that serves."""

    def setUp(self):
        self.served = jaque.Served('-samples', SAMPLES)
        self.served.__enter__()
        self.addCleanup(self.served.stop)

    def answer(self, request, approved, identity):
        return self.served.post('/api/v1/events', {
            'specversion': '1.0', 'id': identity, 'source': '/people/eve',
            'type': 'com.example.approval.answered.v1',
            'data': {'request': request, 'approved': approved, 'by': 'Eve'}},
            {'Content-Type': 'application/cloudevents+json'})

    def start(self, **given):
        status, body = self.served.start('human-approval', given)
        self.assertEqual(status, 202, body)
        return body['id']

    def ended(self, instance):
        status, _, body = self.served.get(f'/api/v1/instances/{instance}?wait=30s')
        self.assertEqual((status, body['status']), (200, 'completed'), body)
        return body['output']

    def test_the_answer_reaches_the_request_that_it_is_for(self):
        first = self.start(request='A-1', amount=500)
        second = self.start(request='A-2', amount=900)
        self.assertEqual(self.answer('A-2', False, 'e1')[0], 202)
        self.assertEqual(self.ended(second), {'request': 'A-2', 'approved': False, 'by': 'Eve'})
        _, _, body = self.served.get(f'/api/v1/instances/{first}')
        self.assertIn(body['status'], ('running', 'waiting'))
        self.assertEqual(self.answer('A-1', True, 'e2')[0], 202)
        self.assertEqual(self.ended(first), {'request': 'A-1', 'approved': True, 'by': 'Eve'})

    def test_small_amounts_need_nobody(self):
        self.assertTrue(self.ended(self.start(request='A-3', amount=5))['approved'])

    def test_without_an_answer_the_request_expires(self):
        output = self.ended(self.start(request='A-4', amount=500, patience='PT0.05S'))
        self.assertEqual(output, {'request': 'A-4', 'approved': False, 'by': 'nobody answered'})


if __name__ == '__main__':
    unittest.main()
