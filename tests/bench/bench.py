#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make bench`: measures the built binary as users meet it. bench.py BUILD_DIR [SECONDS]

Everything is served by one process of its own with the defaults (memory, one executor); the load
generator and the server that is called run on the same machine and take their share of it.
"""
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv[1])
SECONDS = sys.argv[2] if len(sys.argv) > 2 else '5'
os.environ['JAQUE_BINARY'] = os.path.join(BUILD, 'jaque')
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import jaque  # noqa: E402

LOAD = os.path.join(BUILD, 'tests', 'bench', 'jaque_load')


def steps():
    """Ten inline steps that change their data."""
    tasks = [f'  - s{i}: {{set: {{count: "${{ .count + 1 }}", step: {i}}}}}' for i in range(10)]
    return ("document: {dsl: '1.0.3', namespace: bench, name: steps, version: '1.0.0'}\ndo:\n"
            + '\n'.join(tasks) + '\n')


def calls(address):
    """Three HTTP calls, one after another."""
    url = f'http://{address}/pet'
    tasks = [f'  - c{i}: {{call: http, with: {{method: get, endpoint: "{url}/{i}"}}}}'
             for i in range(3)]
    return ("document: {dsl: '1.0.3', namespace: bench, name: calls, version: '1.0.0'}\ndo:\n"
            + '\n'.join(tasks) + '\n')


def line(name, value):
    print(f'{name:<52}{value:>20}', flush=True)


def cpu_seconds(pid):
    with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def resident_mib(pid):
    with open(f'/proc/{pid}/status', encoding='utf-8') as file:
        found = [row for row in file if row.startswith('VmRSS')]
    return int(found[0].split()[1]) / 1024


def drive(served, path, body, callers):
    before = cpu_seconds(served.process.pid)
    done = subprocess.run([LOAD, 'drive', served.url, path, body, str(callers), SECONDS],
                          stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout)
    result['rate'] = result['requests'] / result['seconds']
    result['cpu'] = cpu_seconds(served.process.pid) - before
    return result


def show(name, result):
    line(name, f"{result['rate']:,.0f}/s")
    line('  p50, p99', f"{result['p50_us'] / 1000:.2f} ms, {result['p99_us'] / 1000:.2f} ms")
    line('  per CPU second of jaque', f"{result['requests'] / result['cpu']:,.0f}")


def start_up():
    """Milliseconds from exec to the first 200 of /readyz, the median of eleven."""
    times = []
    for _ in range(11):
        port = free_port()
        began = time.monotonic()
        process = subprocess.Popen([jaque.BINARY, '-target', 'all', '-log-level', 'off',
                                    '-http-listen', f'127.0.0.1:{port}'])
        while not is_ready(port):
            assert process.poll() is None, 'the process ended'
        times.append((time.monotonic() - began) * 1000)
        process.terminate()
        process.wait()
    return sorted(times)[len(times) // 2]


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def is_ready(port):
    try:
        connection = http.client.HTTPConnection('127.0.0.1', port, timeout=5)
        connection.request('GET', '/readyz')
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def stripped_mib():
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(jaque.BINARY, folder)
        subprocess.run(['strip', copy], check=True)
        return os.path.getsize(copy) / (1 << 20)


def main():
    line('stripped binary', f'{stripped_mib():.1f} MiB')
    line('start to ready (exec to /readyz)', f'{start_up():.0f} ms')
    with jaque.Served() as served:
        line('memory when idle (resident)', f'{resident_mib(served.process.pid):.0f} MiB')
        show('HTTP: GET /healthz, 128 callers', drive(served, '/healthz', '', 128))
        served.define(steps())
        path = '/api/v1/definitions/bench/steps/instances?wait=30s'
        show('10 inline steps, 1 caller', drive(served, path, '{"count": 0}', 1))
        show('10 inline steps, 128 callers', drive(served, path, '{"count": 0}', 128))
        with subprocess.Popen([LOAD, 'serve'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as target:
            served.define(calls(target.stdout.readline().strip()))
            path = '/api/v1/definitions/bench/calls/instances?wait=30s'
            show('3 HTTP calls, 1 caller', drive(served, path, '{}', 1))
            show('3 HTTP calls, 128 callers', drive(served, path, '{}', 128))
            target.stdin.close()
        line('memory afterwards (resident)', f'{resident_mib(served.process.pid):.0f} MiB')
    for folder, _, names in sorted(os.walk(BUILD)):
        if 'bench_expression' in names:
            print(flush=True)
            subprocess.run([os.path.join(folder, 'bench_expression')], check=True)


if __name__ == '__main__':
    main()
