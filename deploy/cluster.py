#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A cluster on this machine, to play with: `make cluster` (README, "A cluster on this machine").

Starts three nats-servers and the processes of each role, prints where each is and how to kill it,
says what happens to the shards, and ends everything with Ctrl-C. Each process has a script in the
cluster's folder that starts it and leaves its pid there, so what a person started again is known.
"""
import argparse
import collections
import ctypes
import http.client
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLES = os.path.join(ROOT, 'deploy', 'samples')
RULES = os.path.join(ROOT, 'deploy', 'kubernetes', 'notify-rules.yaml')
NATS_SERVERS = 3
START_SECONDS = float(os.environ.get('JAQUE_TEST_PATIENCE', '60'))
START_AGAIN = 5
STOP_SECONDS = 15
LOOK_SECONDS = 0.25
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)

Role = collections.namedtuple('Role', 'name count flags')


def roles(options, folder):
    """What runs, in the order of starting: a role that is built gets its line here."""
    store = 'sqlite:' + os.path.join(folder, 'store.db')
    return [
        Role('engine', options.engines, []),
        Role('worker', 1, []),
        Role('sink', 1, ['-store', store]),
        Role('ui', 1, ['-samples', SAMPLES, '-store', store]),
        Role('notifier', 1, ['-notify-rules', RULES]),
    ]


class Trouble(Exception):
    """What a person has to read, and nothing else."""


class Process:
    """One process of the cluster, whoever started it last."""

    # It ends with the one that made it; a person's `sh SCRIPT` leaves the terminal's group first,
    # since Ctrl-C is for the one that ends all in order.
    SCRIPT = '''#!/bin/sh
pid=$(cat {pid_file} 2>/dev/null) && [ -n "$pid" ] && grep -qs {name} "/proc/$pid/cmdline" &&
  {{ echo {name} runs already; exit 1; }}
[ "$1" = child ] || exec setsid sh "$0" child
echo $$ >{pid_file}
exec {words} >>{log} 2>&1
'''

    def __init__(self, folder, name, address, words):
        self.name, self.address = name, address
        self.script = os.path.join(folder, name)
        self.pid_file, self.log = self.script + '.pid', self.script + '.log'
        self.child = None
        with open(self.script, 'w', encoding='utf-8') as file:
            file.write(self.SCRIPT.format(
                name=name, words=shlex.join(words), pid_file=shlex.quote(self.pid_file),
                log=shlex.quote(self.log)))

    def start(self):
        self.child = subprocess.Popen(
            ['sh', self.script, 'child'], stdin=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))

    def pid(self):
        """Of the process that runs now, or None."""
        if self.child.poll() is None:
            return self.child.pid
        try:
            with open(self.pid_file, encoding='utf-8') as file:
                pid = int(file.read())
            # The number may be somebody else's by now, or that of one nobody has buried.
            with open(f'/proc/{pid}/cmdline', encoding='utf-8', errors='replace') as file:
                words = file.read().split('\0')
            port = self.address.rpartition(':')[2]
            return pid if self.name in words and any(port in word for word in words) else None
        except (OSError, ValueError):
            return None

    def end(self, pid):
        """How the process that had this pid ended."""
        if pid != self.child.pid or self.child.returncode is None:
            return 'ended'
        if self.child.returncode >= 0:
            return f'ended with code {self.child.returncode}'
        return f'ended by {signal.Signals(-self.child.returncode).name}'

    def signal(self, number):
        pid = self.pid()
        try:
            if pid is not None:
                os.kill(pid, number)
        except ProcessLookupError:
            pass  # it was quicker

    def last_lines(self):
        try:
            with open(self.log, encoding='utf-8', errors='replace') as file:
                return ''.join(file.readlines()[-10:])
        except OSError:
            return ''


def free_addresses(count, first):
    """Loopback addresses that are free now; `first` is the first, if it is one of them."""
    sockets = []
    for i in range(count):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        host, _, port = (first if i == 0 else '127.0.0.1:0').rpartition(':')
        try:
            one.bind((host or '127.0.0.1', int(port)))
        except OSError:
            one.bind(('127.0.0.1', 0))
        sockets.append(one)
    addresses = ['%s:%d' % one.getsockname() for one in sockets]
    for one in sockets:
        one.close()
    return addresses


def get(address, path):
    """The text of a GET; empty when there is no good answer."""
    connection = http.client.HTTPConnection(address, timeout=1)
    try:
        connection.request('GET', path)
        response = connection.getresponse()
        text = response.read().decode()
        return text if response.status == 200 else ''
    except (OSError, http.client.HTTPException):
        return ''
    finally:
        connection.close()


def say(text):
    print(time.strftime('%H:%M:%S'), text, flush=True)


class Cluster:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.stopping = threading.Event()
        todo = roles(options, folder)
        count = 2 * NATS_SERVERS + sum(role.count for role in todo)
        self.ui, *addresses = free_addresses(1 + count, options.listen)
        clients, routes = addresses[:NATS_SERVERS], addresses[NATS_SERVERS:2 * NATS_SERVERS]
        self.servers = [self.nats_server(f'nats-{i + 1}', clients[i], routes[i], routes)
                        for i in range(NATS_SERVERS)]
        self.nats_urls = ','.join('nats://' + client for client in clients)
        rest = addresses[2 * NATS_SERVERS:]
        self.nodes = [self.node(role, number, rest) for role in todo
                      for number in range(1, role.count + 1)]
        self.engines = [node for node in self.nodes if node.name.startswith('engine')]

    def nats_server(self, name, client, route, routes):
        host, port = client.split(':')
        return Process(self.folder, name, client, [
            self.options.nats_server, '-n', name, '-a', host, '-p', port,
            '-js', '-sd', os.path.join(self.folder, name + '.store'),
            '--cluster_name', 'jaque', '--cluster', 'nats://' + route,
            '--routes', ','.join('nats://' + other for other in routes)])

    def node(self, role, number, addresses):
        name = f'{role.name}-{number}' if role.count > 1 else role.name
        address = self.ui if role.name == 'ui' and number == 1 else addresses.pop(0)
        return Process(self.folder, name, address, [
            self.options.binary, '-target', role.name, '-id', name, '-http-listen', address,
            '-queue', self.nats_urls, '-coordination', self.nats_urls,
            '-nats-replicas', str(NATS_SERVERS), '-heartbeat-ttl', self.options.ttl, *role.flags])

    @property
    def processes(self):
        return self.servers + self.nodes

    def start(self):
        deadline = time.monotonic() + START_SECONDS
        for process in self.processes:
            process.start()
        waiting, starts = self.nodes, collections.Counter()
        while waiting and not self.stopping.is_set():
            for process in self.processes:
                if process.pid() is None:
                    starts[process] += 1
                    self.start_again(process, starts[process])
            waiting = [node for node in waiting if not get(node.address, '/readyz')]
            if waiting and time.monotonic() > deadline:
                raise Trouble(f'{waiting[0].name} does not get ready:\n{waiting[0].last_lines()}')
            self.stopping.wait(LOOK_SECONDS)

    def start_again(self, process, count):
        """What a supervisor does for one that could not reach the others yet."""
        end, lines = process.end(process.child.pid), process.last_lines()
        if count > START_AGAIN:
            raise Trouble(f'{process.name} {end}:\n{lines}')
        say(f'{process.name} {end} and starts again; it said: {(lines.splitlines() or [""])[-1]}')
        self.stopping.wait(1)
        process.start()

    def table(self):
        lines = [f'{"process":11}{"address":34}{"pid":>8}  end it, start it again']
        for process in self.processes:
            url = (f'nats://{process.address}' if process in self.servers
                   else f'http://{process.address}/metrics')
            lines.append(f'{process.name:11}{url:34}{process.pid():>8}  '
                         f'kill -9 {process.pid()}; sh {process.script} &')
        return '\n'.join(lines)

    def stop(self):
        """jaque side by side, while its log is still there; then the log's servers."""
        for group in self.nodes, self.servers:
            for process in group:
                if process.child is not None:
                    process.signal(signal.SIGTERM)
            deadline = time.monotonic() + STOP_SECONDS
            waiting = [process for process in group if process.child is not None]
            while waiting := [process for process in waiting if process.pid() is not None]:
                late = time.monotonic() > deadline
                for process in waiting if late else []:
                    say(f'{process.name} does not end in {STOP_SECONDS} s: killed')
                    process.signal(signal.SIGKILL)
                time.sleep(0.05)

    def kill(self):
        for process in self.processes:
            if process.child is not None:
                process.signal(signal.SIGKILL)


class Watch:
    """Says in a line what has changed since it last looked."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.pids = {process: process.pid() for process in cluster.processes}
        self.shards = None

    def look(self):
        for process, before in self.pids.items():
            now = process.pid()
            if before is not None and now != before:
                say(f'{process.name} (pid {before}) {process.end(before)}. '
                    f'Start it again: sh {process.script} &')
            if now is not None and now != before:
                say(f'{process.name} runs again: pid {now}')
            self.pids[process] = now
        shards = self.shards_now()
        if shards != self.shards:
            say(shards)
            self.shards = shards

    def shards_now(self):
        parts, together, members = [], 0, '?'
        for engine in self.cluster.engines:
            if self.pids[engine] is None:
                parts.append(f'{engine.name} is down')
                continue
            values = dict(re.findall(r'^(jaque_\w+) (\d+)$', get(engine.address, '/metrics'), re.M))
            if not values:
                parts.append(f'{engine.name} is silent')
                continue
            owned = int(values.get('jaque_engine_shards_owned', 0))
            together += owned
            members = values.get('jaque_cluster_members', members)
            parts.append(f'{engine.name} owns {owned} (epoch {values.get("jaque_cluster_epoch")})')
        return f'{", ".join(parts)}; {members} members, {together} shards owned'


def find_nats_server():
    for folder in os.environ.get('PATH', '').split(':') + ['/usr/sbin', '/usr/local/sbin']:
        path = os.path.join(folder, 'nats-server')
        if os.access(path, os.X_OK):
            return path
    raise Trouble('nats-server is not installed: on Debian, apt-get install nats-server')


def read_options(words):
    environment = os.environ.get
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('-engines', type=int, default=int(environment('ENGINES', '3')))
    parser.add_argument('-ttl', default=environment('TTL', '3s'), help='-heartbeat-ttl (3s)')
    parser.add_argument('-listen', default=environment('LISTEN', '127.0.0.1:8080'),
                        help="the ui's address, if it is free (127.0.0.1:8080)")
    parser.add_argument('-keep', action='store_true', default=environment('KEEP', '') not in '0',
                        help='leave logs and data when it ends')
    parser.add_argument('-binary', default=environment('JAQUE_BINARY',
                                                       os.path.join(ROOT, 'build', 'jaque')))
    options = parser.parse_args(words)
    if options.engines < 1:
        raise Trouble('ENGINES: at least 1')
    if not os.access(options.binary, os.X_OK):
        raise Trouble(f'{options.binary} is not there: make build')
    options.binary = os.path.abspath(options.binary)
    options.nats_server = find_nats_server()
    return options


GREETING = '''
{table}

The API is at http://{ui} :

  curl 'http://{ui}/api/v1/definitions/samples/clean-contacts/instances?wait=10s' \\
    --json '{{"contacts": [{{"name": " Ada ", "email": "ADA@Example.org"}}, {{"name": "Bob"}}]}}'

Kill an engine from another terminal and see its shards move; a log lies beside each script.
Ctrl-C ends everything.
'''


def serve(cluster):
    def asked(_number, _frame):
        if cluster.stopping.is_set():
            cluster.kill()  # asked twice: at once
        cluster.stopping.set()

    signal.signal(signal.SIGINT, asked)
    signal.signal(signal.SIGTERM, asked)
    try:
        print(f'starting {len(cluster.servers)} nats-servers and {len(cluster.nodes)} jaque '
              f'processes in {cluster.folder}', flush=True)
        cluster.start()
        if not cluster.stopping.is_set():
            print(GREETING.format(table=cluster.table(), ui=cluster.ui), flush=True)
            watch = Watch(cluster)
            while not cluster.stopping.is_set():
                watch.look()
                cluster.stopping.wait(LOOK_SECONDS)
        say('stopping')
    finally:
        cluster.stop()
    say('everything has ended')


def main():
    folder = None
    try:
        options = read_options(sys.argv[1:])
        folder = tempfile.mkdtemp(prefix='jaque-cluster-')
        serve(Cluster(options, folder))
        return 0
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        return 3
    finally:
        if folder is not None and options.keep:
            print(f'logs and data are kept in {folder}')
        elif folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
