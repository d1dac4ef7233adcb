#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sinks that are killed, and a store that goes away, while load runs.

Afterwards the store holds what jaque_store_check works out from the log by itself.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import cluster  # noqa: E402
import postgres  # noqa: E402

SHARDS = 16
STORE_CHECK = os.environ.get('JAQUE_STORE_CHECK', 'build/tests/sink/jaque_store_check')


class Fleet:
    """A nats-server, an engine with worker and API, and sinks that come and go."""

    def __init__(self, store):
        self.store = store
        self.nats = cluster.Nats()
        self.started = []

    def __enter__(self):
        self.nats.__enter__()
        try:
            self.engine = self.start('e1', 'engine,worker,ui')
            cluster.wait_for('the engine is ready', self.engine.ready)
            self.engine.define(cluster.Load.WORKFLOW)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.started:
            if process.process.poll() is None:
                process.process.kill()
                process.process.wait()
            process.reader.join()
            process.process.stderr.close()
        self.nats.__exit__()

    def start(self, name, target, *flags):
        process = cluster.Process(name, '-queue', self.nats.url, '-coordination', self.nats.url,
                                  '-shards', SHARDS, '-heartbeat-ttl', '2s', *flags, target=target)
        process.__enter__()
        self.started.append(process)
        return process

    def sink(self, name='s1'):
        return self.start(name, 'sink', '-store', self.store)

    def check(self, load):
        """What the store holds is what the log says, as soon as it is read to its end."""
        cluster.check_log(self.nats.url, SHARDS, load)
        words = [STORE_CHECK, self.nats.url, 'jaque', SHARDS, self.store]
        last = []

        def report():
            done = subprocess.run(list(map(str, words)), capture_output=True, text=True,
                                  check=False)
            last[:] = [done.stdout + done.stderr]
            if done.returncode != 0:
                raise ValueError(done.stderr)
            found = json.loads(done.stdout)
            return None if found['differences'] else found
        try:
            found = cluster.wait_for('the store holds what the log says', report)
        except AssertionError as error:
            raise AssertionError(last) from error
        assert found['instances'] == len(load.acknowledged), (found, len(load.acknowledged))
        return found


@unittest.skipUnless(shutil.which('nats-server'), 'skipped: nats-server is not installed')
class SinkTest(unittest.TestCase):
    def kill_in_a_loop(self, store, rounds, between=lambda round_: None):
        chance = random.Random(7)
        with Fleet(store) as fleet:
            with cluster.Load([fleet.engine]) as load:
                for round_ in range(rounds):
                    sink = fleet.sink()
                    load.await_more(chance.randrange(1, 60))
                    between(round_)
                    sink.kill()
                fleet.sink()
                load.await_more(50)
            found = fleet.check(load)
            print(f'{store.split(":")[0]}: killed {rounds} times; {found["instances"]} instances, '
                  'each with its history and tasks as in the log', flush=True)

    def test_sqlite_and_a_sink_that_is_killed(self):
        with cluster.new_folder() as folder:
            self.kill_in_a_loop(f'sqlite:{folder}/store.db', 12)

    def test_two_sinks_of_which_one_is_killed(self):
        with cluster.new_folder() as folder, Fleet(f'sqlite:{folder}/store.db') as fleet:
            fleet.sink('s1')
            other = fleet.sink('s2')
            with cluster.Load([fleet.engine]) as load:
                load.await_more(100)
                other.kill()
                load.await_more(100)
            fleet.check(load)

    @unittest.skipIf(postgres.reason_to_skip(), postgres.reason_to_skip())
    def test_postgres_restarted_and_a_sink_that_is_killed(self):
        with postgres.Postgres() as server:
            def restart(round_):
                if round_ % 2:
                    server.stop()
                    server.start()
            self.kill_in_a_loop(server.url, 8, restart)

    @unittest.skipIf(postgres.reason_to_skip(), postgres.reason_to_skip())
    def test_a_store_that_is_away_holds_nobody_up(self):
        with postgres.Postgres() as server, Fleet(server.url) as fleet:
            sink = fleet.sink()
            with cluster.Load([fleet.engine]) as load:
                load.await_more(50)
                server.stop()
                load.await_more(200)
                cluster.wait_for('the lag is shown', lambda: sink.metric('jaque_sink_lag_seconds'))
                server.start()
                load.await_more(50)
            fleet.check(load)


if __name__ == '__main__':
    unittest.main(verbosity=2)
