#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One process on a data folder, and what befalls it while load runs: no acknowledged start is lost,
none is done twice, and what is wrong with the folder is said in a sentence."""
import os
import resource
import signal
import sqlite3
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import cluster  # noqa: E402
import jaque  # noqa: E402

SHARDS = 16
WAITING = '''document: {dsl: '1.0.3', namespace: test, name: waits, version: '1.0.0'}
do:
  - rest: {wait: {seconds: 1}}
  - done: {set: {n: '${ .n * 2 }'}}
'''
LISTENING = '''document: {dsl: '1.0.3', namespace: test, name: listens, version: '1.0.0'}
do:
  - hear: {listen: {to: {one: {with: {type: org.example.news}}}}}
'''


class DataDirTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='jaque-data-')
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, 'data')

    def serve(self, *flags):
        process = cluster.Process('one', '-data-dir', self.folder, '-shards', SHARDS,
                                  '-http-threads', 2, *flags, target='engine,worker,ui')
        process.__enter__()
        self.addCleanup(process.stop, signal.SIGKILL)
        cluster.wait_for('ready', process.ready)
        return process

    def refusal(self, *flags):
        if '-shards' not in flags:
            flags = ('-shards', SHARDS, *flags)
        done = jaque.command('-target', 'all', '-http-listen', '127.0.0.1:0', '-data-dir',
                             self.folder, *flags)
        self.assertNotEqual(done.code, 0, done)
        return done.err

    def await_output(self, process, name):
        def ended():
            status, _, body = process.get(f'/api/v1/instances/{name}')
            return body if status == 200 and body['status'] in ('completed', 'faulted') else None
        return cluster.wait_for(f'{name} ends', ended)

    def check(self, process, load):
        for name, given in load.acknowledged.items():
            body = self.await_output(process, name)
            self.assertEqual((body['status'], body.get('output')), ('completed', {'n': given + 2}))

    def test_acknowledged_starts_outlive_kills(self):
        process = self.serve()
        process.define(cluster.Load.WORKFLOW)
        with cluster.Load([process]) as load:
            for _ in range(6):
                load.await_more(40)
                process.kill()
                process = self.serve()
                load.processes[0] = process
            load.await_more(20)
        self.check(process, load)
        print(f'6 kills: {len(load.acknowledged)} starts, {load.refused} refused and repeated')

    def test_it_goes_on_after_a_stop_and_knows_what_it_had(self):
        process = self.serve('-data-sync', 'normal')
        for text in (WAITING, LISTENING):
            process.define(text)
        self.assertEqual(process.start('test/waits', {'n': 4}, id='timer')[0], 202)
        self.assertEqual(process.start('test/listens', id='ear')[0], 202)
        self.assertEqual(process.stop(), 0)
        process = self.serve('-data-sync', 'normal')
        self.assertEqual(self.await_output(process, 'timer')['output'], {'n': 8})
        event = {'specversion': '1.0', 'id': '1', 'source': '/s', 'type': 'org.example.news',
                 'data': {'read': 'all about it'}}
        status, _, body = process.post('/api/v1/events', event,
                                       {'Content-Type': 'application/cloudevents+json'})
        self.assertEqual(status, 202, body)
        self.assertEqual(self.await_output(process, 'ear')['output'], [{'read': 'all about it'}])
        # The id is taken, for whoever asks again after the restart.
        process.kill()
        process = self.serve('-data-sync', 'normal')
        self.assertEqual(process.start('test/waits', {'n': 4}, id='timer')[1]['output'], {'n': 8})
        self.assertEqual(process.start('test/waits', {'n': 5}, id='timer')[0], 409)
        self.assertEqual(self.await_output(process, 'timer')['output'], {'n': 8})

    def test_a_full_disk_refuses_and_recovers(self):
        process = self.serve()
        process.define(cluster.Load.WORKFLOW)
        with cluster.Load([process]) as load:
            load.await_more(20)
            size = max(os.path.getsize(os.path.join(self.folder, name))
                       for name in os.listdir(self.folder))
            self.limit(process, size + (32 << 10))
            cluster.wait_for('the disk is full', lambda: self.start_status(process) == 503)
            cluster.wait_for('it says so', lambda: process.get('/readyz')[0] == 503)
            self.limit(process, resource.RLIM_INFINITY)
            load.await_more(20)
        self.check(process, load)
        process.kill()
        self.check(self.serve(), load)

    @staticmethod
    def limit(process, size):
        resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE,
                         (size, resource.RLIM_INFINITY))

    @staticmethod
    def start_status(process):
        return process.start('test/steps', {'n': 1, 'big': 'x' * 20_000})[0]

    def test_what_is_wrong_is_said(self):
        process = self.serve()
        self.assertIn('another jaque uses this data folder', self.refusal())
        process.stop()
        self.assertIn('made with -shards 16', self.refusal('-shards', 32))
        file = os.path.join(self.folder, 'jaque.db')
        with open(file, 'r+b') as bad:
            bad.write(b'\xff' * 4096)
        self.assertIn('jaque.db: file is not a database', self.refusal())
        os.remove(file)
        with sqlite3.connect(file) as other:
            other.execute('CREATE TABLE recipes(name)')
        self.assertIn('jaque.db: a database of another program', self.refusal())
        self.assertIn('-data-dir goes with -queue memory',
                      self.refusal('-queue', 'nats://127.0.0.1:1'))


if __name__ == '__main__':
    unittest.main(verbosity=2)
