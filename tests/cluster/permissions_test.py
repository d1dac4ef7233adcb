#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""deploy/nats/permissions.conf on a real nats-server: each role can do its work with what it may,
and nothing beside it."""
import contextlib
import json
import os
import re
import socket
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import cluster  # noqa: E402
import stand_in  # noqa: E402

# From the documentation of NATS ("Using NKeys").
SEED = 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY'
PUBLIC = 'UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4'

CONFIGURATION = f'''
listen: 127.0.0.1:%(port)s
http: 127.0.0.1:%(monitor)s
log_file: %(folder)s/log
jetstream {{ store_dir: %(folder)s/store }}
include permissions.conf
authorization {{
  users = [
    {{ nkey: {PUBLIC}, permissions: $JAQUE_ENGINE }}
    {{ user: worker, password: w, permissions: $JAQUE_WORKER }}
    {{ user: sink, password: s, permissions: $JAQUE_SINK }}
    {{ user: ui, password: u, permissions: $JAQUE_UI }}
    {{ user: notifier, password: n, permissions: $JAQUE_NOTIFIER }}
  ]
}}
'''


class Guarded(cluster.Nats):
    """One server with the users of the roles."""

    def start(self, index):
        with open(os.path.join(ROOT, 'deploy', 'nats', 'permissions.conf'),
                  encoding='utf-8') as file:
            permissions = file.read()
        for name, text in (('permissions.conf', permissions), ('nats.conf', CONFIGURATION % {
                'port': self.ports[0], 'monitor': self.monitors[0], 'folder': self.folder})):
            with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as file:
                file.write(text)
        self.processes[index] = cluster.subprocess.Popen(
            ['nats-server', '-c', os.path.join(self.folder, 'nats.conf')],
            stderr=cluster.subprocess.DEVNULL)

    def url_of(self, user, password):
        return f'nats://{user}:{password}@127.0.0.1:{self.ports[0]}'

    def log(self):
        with open(os.path.join(self.folder, 'log'), encoding='utf-8') as file:
            return file.read()


def refused(port, user, password, operation):
    """Whether the server refuses an operation of its protocol (PUB or SUB) to a user."""
    with socket.create_connection(('127.0.0.1', port)) as connection:
        lines = connection.makefile('rwb')
        lines.readline()
        lines.write(b'CONNECT ' + json.dumps(
            {'user': user, 'pass': password, 'verbose': False, 'pedantic': False}).encode() +
            b'\r\n' + operation.encode() + b'\r\nPING\r\n')
        lines.flush()
        said = b''
        while b'PONG' not in said:
            line = lines.readline()
            if not line:
                break
            said += line
    return b'Permissions Violation' in said


class PermissionsTest(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.nats = self.stack.enter_context(Guarded())

    def process(self, name, target, *flags):
        try:
            return self.stack.enter_context(cluster.Process(
                name, '-shards', 4, '-log-level', 'info', *flags, target=target))
        except AssertionError as error:
            raise AssertionError(f'{error}\n{self.violations()}') from error

    def violations(self):
        """What the server refused, as it says in its log."""
        return sorted(set(re.findall(r'(Publish|Subscription) Violation.*?Subject "([^"]*)"',
                                     self.nats.log())))

    def test_a_cluster_works_with_them(self):
        seed = os.path.join(self.stack.enter_context(tempfile.TemporaryDirectory()), 'seed')
        with open(seed, 'w', encoding='utf-8') as file:
            file.write(SEED + '\n')
        plain = f'nats://127.0.0.1:{self.nats.ports[0]}'
        self.process('e1', 'engine', '-queue', plain, '-coordination', plain, '-nats-nkey', seed)
        worker, ui = self.nats.url_of('worker', 'w'), self.nats.url_of('ui', 'u')
        self.process('w1', 'worker', '-queue', worker, '-coordination', worker)
        api = self.process('u1', 'ui', '-queue', ui, '-coordination', ui)
        api.define(cluster.Load.WORKFLOW)
        status, body = api.start('test/steps', {'n': 1}, wait='30s')
        self.assertEqual((status, body.get('output')), (200, {'n': 3}), body)
        event = {'specversion': '1.0', 'id': '1', 'source': '/s', 'type': 't'}
        self.assertEqual(api.post('/api/v1/events', event)[0], 202)
        self.assertEqual(api.post(f'/api/v1/instances/{body["id"]}/cancel')[0], 200)
        # What waits, and who has read how far, is asked of NATS by the ui.
        status, _, pools = api.get('/api/v1/pools')
        self.assertEqual((status, pools['items']),
                         (200, [{'name': 'default', 'waiting': 0, 'running': 0}]))
        status, _, shown = api.get('/api/v1/cluster')
        self.assertEqual(status, 200)
        self.assertEqual([queue['name'] for queue in shown['queues']], ['tasks', 'dead commands'])
        self.assertEqual([view['members'] for view in shown['views']][:1], [['e1']])
        self.assertEqual(shown['counters']['process'], 'u1')
        self.assertEqual(self.violations(), [])

    def test_a_notifier_tells_and_its_dead_letters_are_seen(self):
        """Beside a sink; a receiver that wants nothing, then everything."""
        status = [410]
        receiver = self.stack.enter_context(stand_in.StandIn(lambda request: (status[0], '')))
        folder = self.stack.enter_context(cluster.new_folder())
        with open(os.path.join(folder, 'rules.yaml'), 'w', encoding='utf-8') as file:
            file.write(f"targets: {{hook: {{webhook: {{url: '{receiver.url}'}}}}}}\n"
                       'rules: {all: {events: [workflow.completed], to: [hook]}}\n')
        plain = f'nats://127.0.0.1:{self.nats.ports[0]}'
        seed = os.path.join(folder, 'seed')
        with open(seed, 'w', encoding='utf-8') as file:
            file.write(SEED + '\n')
        self.process('e1', 'engine', '-queue', plain, '-coordination', plain, '-nats-nkey', seed)
        worker = self.nats.url_of('worker', 'w')
        self.process('w1', 'worker', '-queue', worker, '-coordination', worker)
        notifier, ui = self.nats.url_of('notifier', 'n'), self.nats.url_of('ui', 'u')
        sink, store = self.nats.url_of('sink', 's'), f'sqlite:{folder}/store.db'
        self.process('s1', 'sink', '-queue', sink, '-coordination', sink, '-store', store)
        telling = self.process('n1', 'notifier', '-queue', notifier, '-coordination', notifier,
                               '-notify-rules', os.path.join(folder, 'rules.yaml'))
        cluster.wait_for('the notifier has read the log', telling.ready)
        api = self.process('u1', 'ui', '-queue', ui, '-coordination', ui, '-store', store)
        api.define(cluster.Load.WORKFLOW)
        api.start('test/steps', {'n': 1}, id='i', wait='30s')
        dead = '/api/v1/dead-letters'
        letter = cluster.wait_for('it is given up', lambda: api.get(dead)[2]['items'])[0]
        self.assertEqual((letter['kind'], letter['object']), ('notification', 'i'))
        status[0] = 200
        self.assertEqual(api.post(f'{dead}/{letter["id"]}/redrive')[0], 204)
        cluster.wait_for('it has arrived', lambda: len(receiver.requests) == 2)
        cluster.wait_for('the store has it', lambda: api.get(
            '/api/v1/instances')[2]['items'][0]['status'] == 'completed')
        self.assertEqual(self.violations(), [])

    def test_nothing_beside_it(self):
        port = self.nats.ports[0]
        for user, password, operation in (
                ('worker', 'w', 'PUB jaque.log.0 1\r\nx'),
                ('worker', 'w', 'PUB jaque.work.task.default 1\r\nx'),
                ('worker', 'w', 'PUB $KV.jaque_definitions.a 1\r\nx'),
                ('worker', 'w', 'PUB $KV.jaque_cluster.view 1\r\nx'),
                ('worker', 'w', 'PUB $JS.API.CONSUMER.CREATE.JAQUE_LOG 1\r\nx'),
                ('worker', 'w', 'PUB $JS.API.STREAM.PURGE.JAQUE_LOG 1\r\nx'),
                ('worker', 'w', 'PUB _INBOX.x.1 1\r\nx'),
                ('worker', 'w', 'SUB jaque.> 1'),
                ('worker', 'w', 'SUB jaque.log.* 1'),
                ('worker', 'w', 'SUB > 1'),
                ('ui', 'u', 'PUB jaque.log.0 1\r\nx'),
                ('ui', 'u', 'PUB jaque.work.task.default 1\r\nx'),
                ('ui', 'u', 'PUB $KV.jaque_state.a 1\r\nx'),
                ('ui', 'u', 'PUB $JS.API.STREAM.DELETE.JAQUE_LOG 1\r\nx'),
                ('ui', 'u', 'PUB $JS.API.STREAM.PURGE.JAQUE_LOG 1\r\nx'),
                ('ui', 'u', 'PUB _INBOX.x.1 1\r\nx'),
                ('ui', 'u', 'SUB jaque.cmd.* 1'),
                ('notifier', 'n', 'PUB jaque.log.0 1\r\nx'),
                ('notifier', 'n', 'PUB jaque.work.cmd.ingress 1\r\nx'),
                ('notifier', 'n', 'PUB jaque.events 1\r\nx'),
                ('notifier', 'n', 'PUB $KV.jaque_definitions.a 1\r\nx'),
                ('notifier', 'n', 'PUB $KV.jaque_state.a 1\r\nx'),
                ('notifier', 'n', 'PUB $JS.API.STREAM.MSG.GET.KV_jaque_state 1\r\nx'),
                ('notifier', 'n', 'PUB $JS.API.STREAM.PURGE.JAQUE_LOG 1\r\nx'),
                ('notifier', 'n', 'PUB $JS.API.CONSUMER.CREATE.JAQUE_TASKS 1\r\nx'),
                ('notifier', 'n', 'SUB jaque.log.* 1')):
            with self.subTest(f'{user}: {operation}'):
                self.assertTrue(refused(port, user, password, operation))
        # The test can tell: these pass.
        self.assertFalse(refused(port, 'worker', 'w', 'PUB jaque.work.cmd.ingress 1\r\nx'))
        self.assertFalse(refused(port, 'ui', 'u', 'SUB _INBOX.x.* 1'))


if __name__ == '__main__':
    unittest.main()
