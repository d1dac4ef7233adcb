#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Notifiers as processes and a receiver that fails at random: every event arrives at least once,
under one id and with the same bytes, those of an instance in their order; whatever is killed."""
import base64
import hashlib
import hmac
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import cluster  # noqa: E402
import stand_in  # noqa: E402

SHARDS = 16
SECRET = 'whsec_' + base64.b64encode(b'a secret of twenty-four b').decode()
PREFIX = 'io.serverlessworkflow.'


class Receiver(stand_in.StandIn):
    """Remembers what it took; fails as often as it is told."""

    def __init__(self, failing=0.0, seed=1):
        super().__init__(self.take)
        self.failing, self.chance = failing, random.Random(seed)
        self.attempts = {}  # by id: bodies
        self.taken = []     # events, in order, first arrivals only
        self.repeated = 0

    def take(self, request):
        identity, stamp = request.headers['webhook-id'], request.headers['webhook-timestamp']
        signed = f'{identity}.{stamp}.{request.body}'.encode()
        wanted = base64.b64encode(hmac.new(base64.b64decode(SECRET[6:]), signed,
                                           hashlib.sha256).digest()).decode()
        assert request.headers['webhook-signature'] == 'v1,' + wanted
        bodies = self.attempts.setdefault(identity, [])
        bodies.append(request.body)
        if self.failing and self.chance.random() < self.failing:
            return 500, ''
        event = request.json
        if any(one['id'] == event['id'] for one in self.taken):
            self.repeated += 1
        else:
            self.taken.append(event)
        return 200, ''

    def by_instance(self):
        found = {}
        for event in self.taken:
            found.setdefault(event['subject'], []).append(event['type'][len(PREFIX):-3])
        return found


def rules(url):
    return f'''targets:
  hook: {{webhook: {{url: '{url}', secret: hook}}, perSecond: 1000}}
rules:
  workflows:
    events: [workflow.started, workflow.completed, workflow.faulted, task.started, task.completed]
    definitions: [test/steps]
    to: [hook]
'''


WANTED = (['workflow.started'] + ['task.started', 'task.completed'] * 4 + ['workflow.completed'])


class NotifierTest(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory(prefix='jaque-notifier-')
        self.addCleanup(self.temp.cleanup)
        self.rules = os.path.join(self.temp.name, 'rules.yaml')
        os.mkdir(os.path.join(self.temp.name, 'secrets'))
        with open(os.path.join(self.temp.name, 'secrets', 'hook'), 'w', encoding='utf-8') as file:
            file.write(SECRET + '\n')

    def write(self, text):
        with open(self.rules + '.new', 'w', encoding='utf-8') as file:
            file.write(text)
        os.rename(self.rules + '.new', self.rules)

    def serve(self, name, *flags, target='notifier'):
        process = cluster.Process(name, '-shards', SHARDS, '-secrets-dir',
                                  os.path.join(self.temp.name, 'secrets'), *flags, target=target)
        process.__enter__()
        self.addCleanup(process.stop, signal.SIGKILL)
        cluster.wait_for(f'{name} is ready', process.ready)
        return process

    def await_all(self, receiver, load):
        def arrived():
            found = receiver.by_instance()
            return all(len(found.get(name, ())) >= len(WANTED) for name in load.acknowledged)
        cluster.wait_for('every event has arrived', arrived)
        found = receiver.by_instance()
        for name in load.acknowledged:
            self.assertEqual(found[name], WANTED, name)
        for identity, bodies in receiver.attempts.items():
            self.assertEqual(len(set(bodies)), 1, identity)

    def test_one_process_on_a_folder_is_killed_again_and_again(self):
        with Receiver(failing=0.2) as receiver:
            self.write(rules(receiver.url))
            flags = ['-data-dir', os.path.join(self.temp.name, 'data'), '-data-sync', 'normal',
                     '-notify-rules', self.rules]
            process = self.serve('one', *flags, target='all')
            process.define(cluster.Load.WORKFLOW)
            with cluster.Load([process], callers=4) as load:
                for _ in range(4):
                    load.await_more(15)
                    process.kill()
                    process = self.serve('one', *flags, target='all')
                    load.processes[0] = process
                load.await_more(10)
            self.await_all(receiver, load)
            print(f'4 kills: {len(receiver.taken)} events of {len(load.acknowledged)} instances, '
                  f'{sum(map(len, receiver.attempts.values()))} attempts, '
                  f'{receiver.repeated} arrived again')
            self.check_no_secret(process)

    def check_no_secret(self, process):
        process.stop()
        self.assertNotIn(SECRET[6:], ''.join(process.lines))

    def test_parked_deliveries_outlive_a_restart(self):
        with Receiver(failing=1.0) as receiver:
            self.write(rules(receiver.url))
            flags = ['-data-dir', os.path.join(self.temp.name, 'data'), '-notify-rules', self.rules]
            process = self.serve('one', *flags, target='all')
            process.define(cluster.Load.WORKFLOW)
            with cluster.Load([process], callers=2) as load:
                load.await_more(5)
            cluster.wait_for('attempts fail', lambda: len(receiver.attempts) >= 5)
            self.assertEqual(process.stop(), 0)
            receiver.failing = 0
            process = self.serve('one', *flags, target='all')
            self.await_all(receiver, load)
            cluster.wait_for('nothing is owed any more', lambda: process.metric(
                'jaque_notifier_deliveries_pending') == 0)

    def test_rules_are_read_again_and_bad_ones_are_not_taken(self):
        with Receiver() as first, Receiver() as second:
            self.write(rules(first.url))
            process = self.serve('one', '-notify-rules', self.rules, target='all')
            process.define(cluster.Load.WORKFLOW)
            process.start('test/steps', {'n': 1}, id='a')
            cluster.wait_for('the first hears', lambda: len(first.taken) == len(WANTED))
            self.write('targets: {}\nrules: {r: {to: [nobody]}}\n')
            cluster.wait_for('it says so', lambda: any(
                'there is no target' in line for line in process.lines))
            process.start('test/steps', {'n': 1}, id='b')
            cluster.wait_for('the old ones stay', lambda: len(first.taken) == 2 * len(WANTED))
            self.write(rules(second.url))
            cluster.wait_for('it says so', lambda: any(
                'the rules are read again' in line for line in process.lines))
            process.start('test/steps', {'n': 1}, id='c')
            cluster.wait_for('the second hears', lambda: len(second.taken) == len(WANTED))
            self.assertEqual(len(first.taken), 2 * len(WANTED))

    @unittest.skipUnless(shutil.which('nats-server'), 'skipped: nats-server is not installed')
    def test_of_two_notifiers_one_is_killed(self):
        with cluster.Nats(1) as nats, Receiver(failing=0.2) as receiver:
            self.write(rules(receiver.url))
            flags = ['-queue', nats.url, '-coordination', nats.url, '-heartbeat-ttl', '3s']
            engine = self.serve('e', *flags, target='engine,worker,ui')
            engine.define(cluster.Load.WORKFLOW)
            told = [*flags, '-notify-rules', self.rules]
            first, second = self.serve('n1', *told), self.serve('n2', *told)
            with cluster.Load([engine], callers=4) as load:
                load.await_more(20)
                first.kill()
                load.await_more(20)
                first = self.serve('n1', *told)
                load.await_more(10)
                second.kill()
                load.await_more(10)
            self.await_all(receiver, load)
            print(f'two notifiers, each killed: {len(receiver.taken)} events, '
                  f'{receiver.repeated} arrived again')


if __name__ == '__main__':
    unittest.main(verbosity=2)
