#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real processes, real nats-servers, and what befalls them while load runs.

After each: every acknowledged start ended exactly once with the right output, and the log holds no
event of an older epoch. How long a shard stood still is printed.
"""
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import cluster  # noqa: E402
import jaque  # noqa: E402

SHARDS = 16
TTL = 3
TASK_DELIVERIES = 3  # limits::kTaskDeliveries
POISONED = os.environ.get('JAQUE_POISONED', 'build/tests/cluster/jaque_poisoned')


def children(pid):
    """The processes that a process has started."""
    own = []
    for task in os.listdir(f'/proc/{pid}/task'):
        with open(f'/proc/{pid}/task/{task}/children', encoding='utf-8') as file:
            own += file.read().split()
    return own


class Fleet:
    """nats-servers, engines with a worker and an API each, and a definition."""

    def __init__(self, servers=1, engines=3, ttl=TTL, coordination=None, flags=(), binary=None,
                 shards=SHARDS):
        self.binary = binary or jaque.BINARY
        self.nats = cluster.Nats(servers)
        self.coordination = coordination
        self.names = [f'e{number}' for number in range(1, engines + 1)]
        self.shards = shards
        self.flags = ['-shards', shards, '-heartbeat-ttl', f'{ttl}s', '-nats-replicas',
                      3 if servers == 3 else 1, '-log-level', 'info', *flags]
        self.engines = {}
        self.started = []

    def __enter__(self):
        self.nats.__enter__()
        try:
            for name in self.names:
                self.start(name)
            self.settle(len(self.names))
            self.engines[self.names[0]].define(cluster.Load.WORKFLOW)
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

    def start(self, name, target='engine,worker,ui', coordination=None):
        meets = coordination or self.coordination or self.nats.url
        process = cluster.Process(name, '-queue', self.nats.url, '-coordination', meets,
                                  *self.flags, target=target)
        process.binary = self.binary
        process.__enter__()
        self.started.append(process)
        if 'engine' in target:
            self.engines[name] = process
        return process

    def alive(self):
        return [one for one in self.engines.values() if one.process.poll() is None]

    def settle(self, engines, among=None):
        """Waits until so many engines own all shards between them, and all are open."""
        def settled():
            some = among or self.alive()
            return (all(one.ready() and one.metric('jaque_cluster_members') == engines
                        for one in some) and
                    sum(one.metric('jaque_engine_shards_owned') for one in some) ==
                    self.shards)
        cluster.wait_for(f'{engines} engines own everything', settled)

    def epoch(self):
        return max(one.metric('jaque_cluster_epoch') for one in self.alive())

    def check(self, load, what, bound=None):
        found = cluster.check_log(self.nats.url, self.shards, load)
        longest = max(found['gaps'].values()) / 1000
        opened = found['opened_after'] / 1000
        print(f'{what}: {len(load.acknowledged)} starts, {load.refused} refused and repeated, none '
              f'took longer than {load.longest:.2f} s; {found["openings"]} openings, at most '
              f'{opened:.2f} s after the former owner' + (f' (bound {bound} s)' if bound else '')
              + f'; no shard was silent for longer than {longest:.2f} s', flush=True)
        assert not found['stale'], found['stale']
        return found


@unittest.skipUnless(shutil.which('nats-server'), 'skipped: nats-server is not installed')
class ClusterTest(unittest.TestCase):
    def test_an_engine_is_killed(self):
        with Fleet(servers=3) as fleet:
            with cluster.Load(fleet.alive()) as load:
                self.assertGreater(load.run(3), 0)
                fleet.engines['e2'].kill()
                fleet.settle(2)
                self.assertGreater(load.run(2), 0)
            fleet.check(load, 'kill -9 of an engine', bound=TTL + 1)

    def test_the_leader_of_the_log_is_killed(self):
        with Fleet(servers=3, ttl=10) as fleet:
            with cluster.Load(fleet.alive()) as load:
                self.assertGreater(load.run(3), 0)
                leader = fleet.nats.leader('JAQUE_LOG')
                fleet.nats.kill(leader)
                fleet.nats.ports.append(fleet.nats.ports.pop(leader))  # asked last
                load.await_more(20)
                self.assertGreater(load.run(2), 0)
            fleet.check(load, "kill -9 of the log's leader", bound=10)

    def test_a_nats_server_stays_away(self):
        with Fleet(servers=3) as fleet:
            epoch = fleet.epoch()
            with cluster.Load(fleet.alive()) as load:
                self.assertGreater(load.run(2), 0)
                gone = (fleet.nats.leader('KV_jaque_membership') + 1) % 3
                fleet.nats.kill(gone)
                fleet.nats.ports.append(fleet.nats.ports.pop(gone))  # asked last
                load.run(15)
                load.await_more(20)
            fleet.check(load, 'one of three nats-servers away for 15 s')
            self.assertEqual(fleet.epoch(), epoch)

    def test_what_kills_engines_is_quarantined(self):
        with Fleet(engines=4, binary=POISONED) as fleet:
            fleet.engines['e1'].define("""document: {dsl: '1.0.3', namespace: test, name: poison,
                                                      version: '1.0.0'}
do:
  - rest: {wait: {milliseconds: 300}}
  - poison: {set: {n: 1}}
""")
            with cluster.Load(fleet.alive()) as load:
                self.assertGreater(load.run(2), 0)
                status, body = fleet.engines['e1'].start('test/poison', {}, id='killer')
                self.assertIn(status, (200, 202), body)

                def quarantined():
                    load.processes = fleet.alive()
                    return sum(one.metric('jaque_engine_quarantined_total')
                               for one in fleet.alive()) >= 1
                cluster.wait_for('it is quarantined', quarantined)
                self.assertGreaterEqual(len(fleet.alive()), 1)
                load.await_more(20)
            survivor = fleet.alive()[0]
            fleet.check(load, f'an instance that kills engines: {4 - len(fleet.alive())} of 4 died')
            status, _, found = survivor.get('/api/v1/instances/killer')
            self.assertEqual((status, found['status']), (200, 'suspended'), found)
            self.assertIn('quarantined', found['reason'])
            survivor.post('/api/v1/instances/killer/cancel')
            self.assertEqual(survivor.get('/api/v1/instances/killer')[2]['status'], 'cancelled')

    def test_a_worker_is_killed(self):
        with Fleet(engines=1) as fleet:
            engine = fleet.start('e2', target='engine,ui')
            fleet.engines['e1'].stop()
            workers = [fleet.start(name, target='worker') for name in ('w1', 'w2')]
            engine.define("""document: {dsl: '1.0.3', namespace: test, name: slow, version: '1.0.0'}
do:
  - work: {run: {shell: {command: 'sleep 3; echo $PPID'}}}
""")
            for number in range(4):
                engine.start('test/slow', {}, id=f's{number}')
            cluster.wait_for('both workers work', lambda: all(
                children(one.process.pid) for one in workers))
            workers[0].kill()
            for number in range(4):
                status, _, found = engine.get(f'/api/v1/instances/s{number}?wait=60s')
                self.assertEqual((status, found['status']), (200, 'completed'), found)
                # Done by the one that was left, or before the other died.
                self.assertEqual(found['output'].strip(), str(workers[1].process.pid))

    def test_a_task_that_kills_its_workers_faults(self):
        with Fleet(engines=1) as fleet:
            engine = fleet.start('e2', target='engine,ui')
            fleet.engines['e1'].stop()
            engine.define("""document: {dsl: '1.0.3', namespace: test, name: deadly,
                                        version: '1.0.0'}
do:
  - work:
      run: {shell: {command: 'test $die = no || kill -9 $PPID', environment: {die: '${ .die }'}}}
""")
            workers = [fleet.start('w0', target='worker')]
            self.assertIn(engine.start('test/deadly', {'die': 'yes'}, id='killer')[0], (200, 202))

            def faulted():
                if workers[-1].process.poll() is not None:
                    workers.append(fleet.start(f'w{len(workers)}', target='worker'))
                found = engine.get('/api/v1/instances/killer')[2]
                return found if found['status'] == 'faulted' else None
            found = cluster.wait_for('the task has faulted', faulted, 2 * cluster.PATIENCE)
            self.assertTrue(found['error']['type'].endswith('/errors/runtime'), found)
            self.assertEqual(len(workers), 1 + TASK_DELIVERIES)
            for number in range(20):
                status, body = engine.start('test/deadly', {'die': 'no'}, id=f's{number}')
                self.assertIn(status, (200, 202), body)
            for number in range(20):
                found = engine.get(f'/api/v1/instances/s{number}?wait=60s')[2]
                self.assertEqual(found['status'], 'completed', found)

    def test_an_engine_stands_still_and_wakes(self):
        with Fleet() as fleet:
            sleeper = fleet.engines['e2']
            others = [fleet.engines['e1'], fleet.engines['e3']]

            def sleep_and_wake(load):
                sleeper.stand_still()
                load.processes = others
                fleet.settle(2, among=others)
                load.await_more(20)
                sleeper.go_on()
                fleet.settle(3)
                load.processes = fleet.alive()
                load.await_more(100)

            # What it has in hand when it wakes is refused, and that is counted. Now and then it has
            # nothing in hand.
            with cluster.Load(fleet.alive()) as load:
                self.assertGreater(load.run(2), 0)
                for _ in range(5):
                    sleep_and_wake(load)
                    if sleeper.metric('jaque_engine_stale_epoch_total') > 0:
                        break
            fleet.check(load, 'SIGSTOP of an engine past its lifetime')
            self.assertGreater(sleeper.metric('jaque_engine_stale_epoch_total'), 0)

    def test_an_engine_is_cut_off_from_coordination(self):
        with cluster.Nats() as coordination:
            gate = cluster.Gate(coordination.ports[0])
            with Fleet(engines=2, coordination=coordination.url) as fleet:
                cut = fleet.start('e3', coordination=f'nats://127.0.0.1:{gate.port}')
                fleet.settle(3)
                with cluster.Load(fleet.alive()) as load:
                    self.assertGreater(load.run(2), 0)
                    gate.cut.set()
                    others = [fleet.engines['e1'], fleet.engines['e2']]
                    fleet.settle(2, among=others)
                    cluster.wait_for('it says so', lambda: cut.metric('jaque_cluster_cut_off') == 1)
                    self.assertFalse(cut.ready())
                    self.assertGreater(load.run(2), 0)
                    gate.cut.clear()
                    fleet.settle(3)
                    self.assertGreater(load.run(1), 0)
                fleet.check(load, 'an engine cut off from coordination')
            gate.close()

    def test_coordination_is_away_from_everybody(self):
        with cluster.Nats() as coordination:
            with Fleet(ttl=10, coordination=coordination.url) as fleet:
                epoch = fleet.epoch()
                with cluster.Load(fleet.alive()) as load:
                    self.assertGreater(load.run(1), 0)
                    coordination.processes[0].send_signal(signal.SIGSTOP)
                    self.assertGreater(load.run(8), 0)
                    coordination.processes[0].send_signal(signal.SIGCONT)
                    self.assertGreater(load.run(4), 0)
                fleet.check(load, 'coordination away for 8 s')
                self.assertEqual(fleet.epoch(), epoch)

    def test_a_rolling_restart(self):
        # Few shards, so that none is silent only because nobody wants anything of it.
        with Fleet(shards=4) as fleet:
            with cluster.Load(fleet.alive(), callers=16) as load:
                self.assertGreater(load.run(2), 0)
                for name in fleet.names:
                    self.assertEqual(fleet.engines[name].stop(), 0)
                    fleet.settle(2)
                    load.processes = fleet.alive()
                    fleet.start(name)
                    fleet.settle(3)
                    load.processes = fleet.alive()
                self.assertGreater(load.run(1), 0)
            fleet.check(load, 'rolling restart', bound=0.25)

    def test_a_command_takes_one_hop(self):
        with Fleet() as fleet:
            engines = fleet.alive()
            with cluster.Load(engines[:1], callers=2) as load:
                load.run(3)
            fleet.check(load, 'one door')
            self.assertGreater(engines[0].metric('jaque_engine_commands_forwarded_total'), 0)
            for engine in engines:
                self.assertEqual(engine.metric('jaque_engine_not_owned_total'), 0)

    def test_a_ui_without_engine_writes_through_the_ingress(self):
        with Fleet(engines=2) as fleet:
            ui = fleet.start('u1', target='ui')
            with cluster.Load([ui], callers=4) as load:
                self.assertGreater(load.run(3), 0)
            fleet.check(load, 'a ui alone')
            status, _, found = ui.get(f'/api/v1/instances/{next(iter(load.acknowledged))}')
            self.assertEqual((status, found['status']), (200, 'completed'), found)

    def test_too_few_engines_take_no_writes(self):
        with Fleet(engines=2, flags=('-expected-engines', 3)) as fleet:
            doors = [fleet.engines['e1'], fleet.start('u1', target='ui')]

            def answers(status):
                return all(one.start('test/steps', {'n': 1})[0] == status for one in doors)
            cluster.wait_for('two of three are enough', lambda: answers(202))
            fleet.engines['e2'].kill()
            cluster.wait_for('one of three is not', lambda: answers(503))
            status, headers, problem = doors[1].post('/api/v1/definitions/test/steps/instances', {})
            self.assertEqual(status, 503, problem)
            self.assertIn('only 1 of 3 engines', problem['detail'])
            self.assertIn('Retry-After', headers)
            fleet.start('e2')
            cluster.wait_for('two are there again', lambda: answers(202))

    def test_a_stale_batch_is_discarded_and_counted(self):
        with Fleet(engines=1) as fleet:
            engine = fleet.engines['e1']
            for shard in range(SHARDS):
                subprocess.run([cluster.LOG_CHECK, fleet.nats.url, 'jaque', str(SHARDS), 'stale',
                                str(shard)], check=True)
            with cluster.Load([engine]) as load:
                load.run(2)
            found = cluster.check_log(fleet.nats.url, SHARDS, load)
            self.assertEqual(len(found['stale']), SHARDS)
            self.assertGreater(engine.metric('jaque_engine_stale_epoch_total'), 0)
            self.assertEqual(engine.get('/api/v1/instances/stale')[0], 404)

    def test_memory_knows_no_cluster(self):
        def threads(process):
            return len(os.listdir(f'/proc/{process.process.pid}/task'))

        def sockets(process):
            folder = f'/proc/{process.process.pid}/fd'
            found = [os.readlink(f'{folder}/{name}') for name in os.listdir(folder)]
            own = {link[8:-1] for link in found if link.startswith('socket:[')}
            with open('/proc/net/tcp', encoding='utf-8') as file:
                rows = [row.split() for row in file.readlines()[1:]]
            listening = '0A'
            return sorted('listens' if row[3] == listening else row[2]
                          for row in rows if row[9] in own)

        with jaque.Served('-shards', SHARDS) as alone, Fleet(engines=1) as fleet:
            self.assertEqual(sockets(alone), ['listens'])
            member = fleet.engines['e1']
            self.assertGreater(len(sockets(member)), 1)
            # The library's, the heart's and the view's are not there.
            self.assertLess(threads(alone), threads(member))
            self.assertEqual(alone.get('/metrics')[2].count('jaque_cluster_epoch 0'), 1)
            print(f'threads: {threads(alone)} on memory, {threads(member)} on NATS', flush=True)

    def test_one_id_belongs_to_one_process(self):
        with Fleet(engines=1) as fleet:
            older = fleet.engines['e1']
            fleet.start('e1')
            self.assertEqual(older.process.wait(cluster.PATIENCE), 3)
            older.reader.join()
            self.assertIn('another process was started with -id e1', ''.join(older.lines))

    def test_the_number_of_shards_is_for_life(self):
        with Fleet(engines=1) as fleet:
            result = jaque.command('-target', 'engine', '-queue', fleet.nats.url, '-coordination',
                                   fleet.nats.url, '-heartbeat-ttl', f'{TTL}s', '-shards', 32,
                                   '-http-listen', '127.0.0.1:0')
            self.assertNotEqual(result.code, 0)
            self.assertIn('this cluster has 16 shards for life, not 32: start with -shards 16',
                          result.err)


if __name__ == '__main__':
    unittest.main(verbosity=2)
