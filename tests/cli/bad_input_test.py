#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad input of every kind through the real binary: a clear error, and the process goes on."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
from stand_in import StandIn  # noqa: E402

TYPES = 'https://open-workflow-specification.org/spec/1.0.0/errors/'
# A command line that no other process has.
MARK = f'4{os.getpid()}.25'


def workflow(tasks, name='bad', extra=''):
    return (f"document: {{dsl: '1.0.3', namespace: cli, name: {name}, version: '1.0.0'}}\n"
            f'{extra}do:\n{tasks}\n')


def expression(text, name='bad'):
    return workflow('  - s: {set: {x: ' + json.dumps('${ ' + text + ' }') + '}}', name)


def bomb():
    """A few lines that aliases make gigabytes of."""
    lines = ['a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]']
    lines += [f'a{i}: &a{i} [{", ".join(["*a" + str(i - 1)] * 9)}]' for i in range(1, 10)]
    return '\n'.join(lines) + '\n' + workflow('  - a: {set: {x: 1}}', 'bomb')


def get(url, name='bad', more=''):
    return workflow(f'  - c: {{call: http, with: {{method: get, endpoint: "{url}"{more}}}}}', name)


def running(mark):
    """Processes that have `mark` in their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as file:
                words = file.read().split(b'\0')
            with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
                dead = file.read().rsplit(')', 1)[1].split()[0] == 'Z'
        except OSError:
            continue  # it has ended meanwhile
        if mark.encode() in words and not dead:
            found.append(pid)
    return found


def closed_port():
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        return taken.getsockname()[1]


def peak_kilobytes(text):
    """The most memory that validating a definition took."""
    with subprocess.Popen([jaque.BINARY, 'validate', '-'], stdin=subprocess.PIPE,
                          stdout=subprocess.DEVNULL) as process:
        process.stdin.write(text.encode())
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss


ENDLESS = {
    'forever': 'def f: f; f',
    'repeat': '[repeat(1)] | length',
    'range': '[range(1e18)] | length',
    'gigabytes': '"a" * 1e9 | length',
    'doubling': 'reduce range(100) as $i ("x"; . + .) | length',
    'regex': '("a" * 39 + "!") | test("^(a+)+$") | if . then error("matched") else error("no") end',
    'deep': 'reduce range(1e7) as $i (0; [.])',
    'outputs': 'range(1e9)',
}

SHELL = ('  - s:\n      run: {shell: {command: "sleep ' + MARK + ' & sleep ' + MARK + '"}}\n'
         '      timeout: {after: {milliseconds: 200}}')
FLOOD = '  - s: {run: {shell: {command: "yes flood"}}}'
SCRIPT_FLOOD = ("  - s: {run: {script: {language: python, "
                "code: 'while True: print(\"flood\" * 999)'}}}")
LOOP = ("  - a: {set: {x: 1}, then: b}\n  - b: {set: {x: 2}, then: a}")
BIG_OUTPUT = ('  - s: {set: {x: \'${ "x" * 600000 }\'}}\n'
              '  - t: {set: {x: "${ .x }", y: "${ .x }"}}')


class BadDefinitionTest(unittest.TestCase):
    """Refused before anything runs: exit code 2, and where it is."""

    def refused(self, text, *words):
        result = jaque.run(text)
        self.assertEqual(result.code, 2, result)
        self.assertEqual(result.out, '')
        for word in words:
            self.assertIn(word, result.err)
        return result

    def test_no_file(self):
        result = jaque.command('run', '/nowhere/w.yaml')
        self.assertEqual((result.code, result.err),
                         (2, 'jaque: cannot read /nowhere/w.yaml: No such file or directory\n'))
        result = jaque.command('run', '/')
        self.assertEqual((result.code, result.err), (2, 'jaque: cannot read /: it is a folder\n'))

    def test_not_yaml(self):
        self.refused('a: [1, 2\nb: }\n', '-:')
        self.refused('just text\n\n', '-:1:1:')
        self.refused('\x00\x01\n\x02\n', '-')

    def test_deep_nesting(self):
        self.refused('a: ' + '[' * 10_000 + ']' * 10_000 + '\n', 'deep')
        self.refused('{"a":\n' + '[' * 10_000 + ']' * 10_000 + '}\n', 'deep')
        self.refused('\n'.join(' ' * i + 'a:' for i in range(1_000)) + '\n', 'deep')

    def test_50_megabytes(self):
        with tempfile.NamedTemporaryFile('w', suffix='.yaml') as file:
            file.write('# ' + 'x' * 50_000_000)
            file.flush()
            result = jaque.command('run', file.name)
        self.assertEqual(result.code, 2, result)
        self.assertIn('longer than 1048576 bytes', result.err)

    def test_alias_bomb(self):
        began = time.monotonic()
        self.refused(bomb(), 'more than 100000 values', 'alias')
        self.assertLess(time.monotonic() - began, 10)
        result = jaque.command('validate', '-', stdin=bomb())
        self.assertEqual(result.code, 2, result)
        self.assertIn('more than 100000 values', result.out)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'bomb.yaml'), 'w', encoding='utf-8') as file:
                file.write(bomb())
            result = jaque.command('-target', 'all', '-http-listen', '127.0.0.1:0',
                                   '-definitions', folder)
        self.assertEqual(result.code, 2, result)
        self.assertIn('more than 100000 values', result.err)
        good = workflow('  - a: {set: {x: 1}}')
        self.assertLess(peak_kilobytes(bomb()), peak_kilobytes(good) + 50_000)

    def test_ordinary_anchors(self):
        result = jaque.run(workflow(
            '  - a: {set: &one {x: 1}}\n  - b: {set: {again: *one, more: &two [2, *one], '
            'three: &three [*two, *two]}, output: {as: "${ [.again, .more, .three] }"}}'))
        self.assertEqual(result.output, [{'x': 1}, [2, {'x': 1}], [[2, {'x': 1}]] * 2], result)

    def test_what_stands_twice(self):
        call = 'with: {{method: get, endpoint: "http://{}.example/"}}'
        self.refused(workflow(f"""
  - call1:
      call: http
      {call.format('a')}
      {call.format('b')}"""), '-:7:7: duplicate key `with`; the first one is at 6:7')
        self.refused(workflow('  - a: {set: {x: 1}}') + 'do: []\n', '-:4:1: duplicate key `do`')
        self.refused(workflow('  - {a: {set: {x: 1}}, b: {set: {x: 2}}}'), '-:3:24: one item of')
        self.refused(workflow('  - a: {set: {x: 1}}') + '---\n' + workflow('  - a: {set: {x: 1}}'),
                     '-:4:1: a second document')

    def test_every_finding_is_told_with_its_place(self):
        result = self.refused(workflow(
            '  - a: {set: {x: 1}, then: nowhere}\n  - b: {set: "${ .x | }"}\n  - c: {sett: 1}'))
        places = [line.split(': ')[0] for line in result.err.splitlines()[:-1]]
        self.assertTrue(places[0].startswith('-:3:'), result)
        self.assertTrue(any(place.startswith('-:4:') for place in places), result)
        self.assertTrue(any(place.startswith('-:5:') for place in places), result)
        self.assertIn('(/do/0/a/then)', result.err)

    def test_bad_input(self):
        good = workflow('  - a: {set: {x: 1}}')
        for given, word in (('{', 'no JSON'), ('@/nowhere.json', 'cannot read'),
                            ('[' * 20_000 + ']' * 20_000, 'no JSON')):
            result = jaque.command('run', '-', '-input', given, stdin=good)
            self.assertEqual(result.code, 2, result)
            self.assertIn(word, result.err)


class FaultTest(unittest.TestCase):
    """Faults with problem details: exit code 1, kind, status and place."""

    def faulted(self, text, kind, status, *words, given=None, seconds=20):
        began = time.monotonic()
        result = jaque.run(text, given=given)
        took = time.monotonic() - began
        self.assertEqual(result.code, 1, result)
        self.assertEqual(result.out, '')
        self.assertEqual((result.error['type'], result.error['status']), (TYPES + kind, status),
                         result)
        for word in words:
            self.assertIn(word, json.dumps(result.error))
        self.assertLess(took, seconds)
        return result.error

    def test_endless_expressions(self):
        for name, text in ENDLESS.items():
            with self.subTest(name):
                error = self.faulted(expression(text), 'expression', 400)
                self.assertEqual(error['instance'], '/do/0/s')

    def test_then_loop_without_end(self):
        self.faulted(workflow(LOOP), 'runtime', 500, 'steps')

    def test_unknown_host(self):
        error = self.faulted(get('http://no-such-host.invalid/x'), 'communication', 500,
                             'no-such-host.invalid')
        self.assertEqual(error['instance'], '/do/0/c')

    def test_closed_port(self):
        self.faulted(get(f'http://127.0.0.1:{closed_port()}/'), 'communication', 500)

    def test_http_500(self):
        with StandIn(lambda request: (500, {'why': 'broken'})) as server:
            self.faulted(get(server.url + '/x'), 'communication', 500)

    def test_invalid_json_with_a_json_content_type(self):
        answer = (200, '{"a": ', {'Content-Type': 'application/json'})
        with StandIn(lambda request: answer) as server:
            self.faulted(get(server.url + '/x'), 'communication', 500, 'JSON')

    def test_response_over_the_limit(self):
        answer = (200, 'x' * (9 << 20), {'Content-Type': 'text/plain'})
        with StandIn(lambda request: answer) as server:
            self.faulted(get(server.url + '/x'), 'communication', 500, 'bytes')

    def test_shell_that_never_ends(self):
        self.faulted(workflow(SHELL), 'timeout', 408)
        self.assertEqual(running(MARK), [], 'the process group was not killed')

    def test_flood_of_output(self):
        self.faulted(workflow(FLOOD), 'runtime', 500, 'bytes')

    def test_flood_of_a_script(self):
        self.faulted(workflow(SCRIPT_FLOOD), 'runtime', 500, 'bytes')

    def test_output_over_the_limit(self):
        self.faulted(workflow(BIG_OUTPUT), 'runtime', 500, 'bytes')

    def test_no_such_program(self):
        self.faulted(workflow('  - s: {run: {shell: {command: "exit 3"}}}'), 'runtime', 500, '3')


class ServedTest(unittest.TestCase):
    """The same in a process that serves: it answers each, and serves others meanwhile."""

    GOOD = workflow('  - a: {set: {sum: "${ .n + 1 }"}}', 'good')

    def setUp(self):
        self.served = jaque.Served('-log-level', 'info')
        self.served.__enter__()
        self.addCleanup(self.served.stop)
        self.served.define(self.GOOD)

    def assert_serves(self):
        status, body = self.served.start('cli/good', {'n': 41}, wait='30s')
        self.assertEqual((status, body['output']), (200, {'sum': 42}), body)

    def test_bad_workflows_hurt_only_themselves(self):
        bad = {name: expression(text, name) for name, text in ENDLESS.items()}
        bad['loop'] = workflow(LOOP, 'loop')
        bad['flood'] = workflow(FLOOD, 'flood')
        bad['script'] = workflow(SCRIPT_FLOOD, 'script')
        bad['shell'] = workflow(SHELL, 'shell')
        bad['big'] = workflow(BIG_OUTPUT, 'big')
        bad['host'] = get('http://no-such-host.invalid/x', 'host')
        answers = {'/500': (500, {'why': 'broken'}),
                   '/json': (200, '{"a": ', {'Content-Type': 'application/json'}),
                   '/large': (200, 'x' * (9 << 20), {'Content-Type': 'text/plain'})}
        server = StandIn(lambda request: answers[request.path])
        self.enterContext(server)
        for path in answers:
            bad['http-' + path[1:]] = get(server.url + path, 'http-' + path[1:])
        identities = {}
        for name, text in bad.items():
            self.served.define(text)
            status, body = self.served.start(f'cli/{name}')
            self.assertEqual(status, 202, body)
            identities[name] = body['id']
            self.assert_serves()
        for name, identity in identities.items():
            with self.subTest(name):
                _, _, body = self.served.get(f'/api/v1/instances/{identity}?wait=60s')
                self.assertEqual(body['status'], 'faulted', body)
                self.assertTrue(body['error']['type'].startswith(TYPES), body)
        self.assert_serves()
        self.assertEqual(running(MARK), [])
        self.assertEqual(self.served.stop(), 0)

    def test_bad_requests(self):
        instances = '/api/v1/definitions/cli/good/instances'
        deep = '[' * 10_001 + ']' * 10_001
        for method, path, body, expected in (
                ('POST', '/api/v1/definitions', 'a: [', 400),
                ('POST', '/api/v1/definitions', 'a: ' + '[' * 10_000, 400),
                ('POST', '/api/v1/definitions', '# ' + 'x' * 1_500_000, 400),
                ('POST', '/api/v1/definitions', '# ' + 'x' * 3_000_000, 413),
                ('POST', '/api/v1/definitions', bomb(), 400),
                ('POST', instances, '{', 400),
                ('POST', instances, deep, 400),
                ('POST', instances, '"' + 'x' * 600_000 + '"', 413),
                ('POST', instances + '?wait=soon', '{}', 400),
                ('POST', '/api/v1/definitions/cli/none/instances', '{}', 404),
                ('GET', '/api/v1/instances/01ARZ3NDEKTSV4RRFFQ69G5FAV', None, 404),
                ('POST', '/api/v1/instances/01ARZ3NDEKTSV4RRFFQ69G5FAV/cancel', None, 404),
                ('POST', '/api/v1/events', '{"id": 1}', 400),
                ('PUT', '/api/v1/events', '{}', 405),
                ('GET', '/nowhere', None, 404)):
            with self.subTest(f'{method} {path} {str(body)[:20]}'):
                status, headers, answer = self.served.request(method, path, body)
                self.assertEqual(status, expected, answer)
                self.assertEqual(headers['Content-Type'], 'application/problem+json')
                self.assertEqual(answer['status'], expected)
                self.assertTrue(answer['detail'])
        self.assert_serves()

    def test_cancel_kills_the_process(self):
        mark = f'5{os.getpid()}.75'
        self.served.define(
            workflow(f'  - s: {{run: {{shell: {{command: "sleep {mark}"}}}}}}', 'slow'))
        _, body = self.served.start('cli/slow')
        deadline = time.monotonic() + jaque.PATIENCE
        while not running(mark):
            self.assertLess(time.monotonic(), deadline)
        status, _, cancelled = self.served.post(f'/api/v1/instances/{body["id"]}/cancel')
        self.assertEqual((status, cancelled['status'], cancelled['reason']),
                         (200, 'cancelled', 'cancelled by a request'))
        while running(mark):
            self.assertLess(time.monotonic(), deadline)
        self.assert_serves()


if __name__ == '__main__':
    unittest.main()
