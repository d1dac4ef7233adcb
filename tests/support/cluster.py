# SPDX-License-Identifier: Apache-2.0
"""nats-servers, processes of a jaque cluster, and load on them, for tests.

Nothing here believes in times: it waits for what the processes say, at most PATIENCE.
"""
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

import jaque

LOG_CHECK = os.environ.get('JAQUE_LOG_CHECK', 'build/tests/cluster/jaque_log_check')
PATIENCE = jaque.PATIENCE


def wait_for(what, condition, patience=PATIENCE):
    """The first true value of `condition`, which may fail meanwhile; a missing tool is no such."""
    deadline = time.monotonic() + patience
    while True:
        try:
            value = condition()
            if value:
                return value
        except FileNotFoundError:
            raise
        except (OSError, ValueError):
            pass
        if time.monotonic() > deadline:
            raise AssertionError(f'not within {patience} s: {what}')
        time.sleep(0.02)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(('127.0.0.1', 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@contextlib.contextmanager
def new_folder():
    """A new folder, which goes with the context."""
    path = tempfile.mkdtemp(prefix='jaque-test-')
    try:
        yield path
    finally:
        shutil.rmtree(path)


class Nats:
    """Servers with JetStream, clustered if there are several; a context manager."""

    def __init__(self, servers=1):
        self.folder = tempfile.mkdtemp(prefix='jaque-nats-')
        self.ports, self.routes = free_ports(servers), free_ports(servers)
        self.monitors = free_ports(servers)
        self.processes = [None] * servers

    def __enter__(self):
        for index in range(len(self.ports)):
            self.start(index)
        self.wait_ready()
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
        shutil.rmtree(self.folder)

    @property
    def url(self):
        return ','.join(f'nats://127.0.0.1:{port}' for port in self.ports)

    def start(self, index):
        flags = ['-js', '-sd', f'{self.folder}/{index}', '-a', '127.0.0.1', '-n', f'n{index}',
                 '-p', self.ports[index], '-m', self.monitors[index],
                 '-l', f'{self.folder}/{index}.log']
        if len(self.ports) > 1:
            routes = ','.join(f'nats://127.0.0.1:{port}' for port in self.routes)
            flags += ['--cluster_name', 'test', '--routes', routes,
                      '--cluster', f'nats://127.0.0.1:{self.routes[index]}']
        self.processes[index] = subprocess.Popen(['nats-server', *map(str, flags)],
                                                 stderr=subprocess.DEVNULL)

    def monitor(self, index, path):
        with urllib.request.urlopen(f'http://127.0.0.1:{self.monitors[index]}/{path}',
                                    timeout=2) as answer:
            return json.load(answer)

    def wait_ready(self):
        for index in range(len(self.ports)):
            wait_for('nats-server is up', lambda i=index: self.monitor(i, 'healthz'))

    def leader(self, stream):
        """The index of the server that leads a stream."""
        def ask():
            for index, process in enumerate(self.processes):
                if process.poll() is not None:
                    continue
                about = self.monitor(index, 'jsz?accounts=true&streams=true')
                for account in about.get('account_details', []):
                    for found in account.get('stream_detail', []):
                        name = found.get('cluster', {}).get('leader')
                        if found['name'] == stream and name:
                            return name
            return None
        return int(wait_for(f'{stream} has a leader', ask)[1:])

    def kill(self, index):
        self.processes[index].kill()
        self.processes[index].wait()


class Gate:
    """A way to a server that can be cut: bytes stand still, connections stay."""

    def __init__(self, port):
        self.target = port
        self.cut = threading.Event()
        self.ended = False
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        self.sockets = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while not self.ended:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(('127.0.0.1', self.target))
            except OSError:
                return
            self.sockets += [near, far]
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                while self.cut.is_set() and not self.ended:
                    time.sleep(0.01)
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.ended = True
        self.listener.close()
        for one in self.sockets:
            one.close()


class Process(jaque.Served):
    """A process of the cluster."""

    def __init__(self, name, *flags, target):
        super().__init__('-id', name, *flags, target=target)
        self.name = name

    def metric(self, name):
        """The sum of a metric's values."""
        lines = self.get('/metrics')[2].splitlines()
        return sum(float(line.rsplit(' ', 1)[1]) for line in lines
                   if line.split('{')[0].split(' ')[0] == name)

    def ready(self):
        return self.get('/readyz')[0] == 200

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def stand_still(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)


class Load:
    """Callers that start instances and remember which starts were acknowledged."""

    WORKFLOW = '''document: {dsl: '1.0.3', namespace: test, name: steps, version: '1.0.0'}
do:
  - add: {set: {n: '${ .n + 1 }'}}
  - rest: {wait: {milliseconds: 100}}
  - work: {run: {shell: {command: 'echo done'}}, output: {as: '${ $input }'}}
  - again: {set: {n: '${ .n + 1 }'}}
'''

    def __init__(self, processes, callers=8, pause=0.02):
        self.processes = processes
        self.acknowledged, self.lock = {}, threading.Lock()
        self.stopping = threading.Event()
        self.pause = pause
        self.threads = [threading.Thread(target=self._call, args=(number,))
                        for number in range(callers)]
        self.refused = 0
        self.longest = 0  # seconds from a start's first attempt to its acknowledgement

    def __enter__(self):
        self.began = time.time()
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        self.ended = time.time()

    def _call(self, number):
        chance = random.Random(number)
        for count in range(1_000_000):
            if self.stopping.is_set():
                return
            name, given = f'c{number}-{count}', chance.randrange(1000)
            began = time.monotonic()
            while not self.stopping.is_set() and not self._start(chance, name, given):
                with self.lock:
                    self.refused += 1
                time.sleep(0.05)
            with self.lock:
                self.longest = max(self.longest, time.monotonic() - began)
            time.sleep(self.pause)

    def _start(self, chance, name, given):
        process = chance.choice(self.processes)
        connection = jaque.http.client.HTTPConnection(process.url, timeout=5)
        try:
            connection.request('POST', f'/api/v1/definitions/test/steps/instances?id={name}',
                               body=json.dumps({'n': given}))
            status = connection.getresponse().status
        except (OSError, jaque.http.client.HTTPException):
            return False
        finally:
            connection.close()
        if status not in (200, 202):
            return False
        with self.lock:
            self.acknowledged[name] = given
        return True

    def await_more(self, count):
        """Waits until so many further starts are acknowledged."""
        wanted = len(self.acknowledged) + count
        wait_for(f'{count} starts are acknowledged', lambda: len(self.acknowledged) >= wanted)

    def run(self, seconds):
        """Lets it go on, and says how many starts were acknowledged meanwhile."""
        before = len(self.acknowledged)
        time.sleep(seconds)
        return len(self.acknowledged) - before


def check_log(nats_url, shards, load):
    """What jaque_log_check says, once every acknowledged start has ended."""
    def report():
        words = [LOG_CHECK, nats_url.split(',')[0], 'jaque', shards, int(load.began * 1e6),
                 int(load.ended * 1e6)]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ValueError(done.stderr)
        found = json.loads(done.stdout)
        return found if all(name in found['ended'] for name in load.acknowledged) else None
    found = wait_for('every acknowledged start has ended', report)
    assert not found['broken'], found['broken'][:5]
    for name, given in load.acknowledged.items():
        how, output = found['ended'][name]
        assert how == 'completed' and output == {'n': given + 2}, (name, given, how, output)
    return found
