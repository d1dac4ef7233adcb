#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line of the real binary: commands, flags, what is refused, how it ends."""
import os
import pty
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
from bad_input_test import running, workflow  # noqa: E402

GREETING = workflow('  - greet: {set: {hello: "${ .name }"}}', 'greeting')


class CommandTest(unittest.TestCase):
    def test_version_and_help(self):
        result = jaque.command('version')
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, r'^jaque \d+\.\d+\.\d+\n$')
        result = jaque.command('-help')
        self.assertEqual(result.code, 0, result)
        for word in ('Usage:', 'jaque run FILE', '-http-listen HOST:PORT', 'Examples:',
                     '(default 127.0.0.1:8080)'):
            self.assertIn(word, result.out)
        self.assertLessEqual(max(map(len, result.out.splitlines())), 100)
        for command in ('run', 'validate', 'expr'):
            result = jaque.command(command, '-help')
            self.assertEqual(result.code, 0, result)
            self.assertIn(f'jaque {command}', result.out)

    def test_no_or_unknown_command(self):
        self.assertEqual(jaque.command().code, 2)
        result = jaque.command('dance')
        self.assertEqual(result.code, 2)
        self.assertIn('"dance" is no command', result.err)

    def test_an_argument_too_many(self):
        for arguments in (('run', 'a.yaml', '{"a": 1}'), ('-target', 'all', '{"a": 1}')):
            result = jaque.command(*arguments)
            self.assertEqual(result.code, 2, result)
            self.assertIn('"{"a": 1}" is one argument too many', result.err)

    def test_run_prints_the_output_and_lines_of_progress(self):
        result = jaque.run(GREETING, given={'name': 'Ada'})
        self.assertEqual((result.code, result.out), (0, '{"hello":"Ada"}\n'), result)
        self.assertRegex(result.err, r'(?m)^\d\d:\d\d:\d\d\.\d{3} completed /do/0/greet$')

    def test_run_reads_input_from_file_and_standard_input(self):
        with tempfile.NamedTemporaryFile('w', suffix='.yaml') as file:
            file.write(GREETING)
            file.flush()
            result = jaque.command('run', file.name, '-input', '-', stdin='{"name": "stdin"}')
            self.assertEqual(result.out, '{"hello":"stdin"}\n', result)
            with tempfile.NamedTemporaryFile('w') as given:
                given.write('{"name": "file"}')
                given.flush()
                result = jaque.command('run', file.name, '--input=@' + given.name)
                self.assertEqual(result.out, '{"hello":"file"}\n', result)

    def test_run_delivers_events(self):
        listening = workflow('  - l: {listen: {to: {one: {with: {type: t}}}}}', 'listening')
        event = '{"specversion": "1.0", "id": "1", "source": "/s", "type": "t", "data": {"a": 1}}'
        result = jaque.run(listening, '-event', event)
        self.assertEqual((result.code, result.out), (0, '[{"a":1}]\n'), result)
        self.assertIn('waiting /do/0/l for events', result.err)

    def test_run_on_a_terminal_draws_a_tree(self):
        leader, follower = pty.openpty()
        with subprocess.Popen([jaque.BINARY, 'run', '-'], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.PIPE, stderr=follower,
                              env={**os.environ, 'TERM': 'xterm', 'NO_COLOR': '1'}) as process:
            out, _ = process.communicate(workflow('  - greet: {set: {x: 1}}'), jaque.PATIENCE)
        os.close(follower)
        shown = os.read(leader, 65536).decode()
        os.close(leader)
        self.assertEqual((process.returncode, out), (0, '{"x":1}\n'))
        self.assertIn('✓ greet', shown)

    def test_validate(self):
        result = jaque.command('validate', '-', stdin=GREETING)
        self.assertEqual((result.code, result.out), (0, ''), result)
        result = jaque.command('validate', '-', stdin=workflow('  - a: {set: {x: 1}, then: b}'))
        self.assertEqual(result.code, 2, result)
        self.assertRegex(result.out, r'^-:3:\d+: .*\(/do/0/a/then\)\n$')
        self.assertEqual(jaque.command('validate', '/nowhere').code, 2)

    def test_expr(self):
        result = jaque.command('expr', '-r', '--arg', 'who', 'Ada', '"\\($who) \\(.n)"',
                               stdin='{"n": 9007199254740993}')
        self.assertEqual((result.code, result.out), (0, 'Ada 9007199254740993\n'), result)
        self.assertEqual(jaque.command('expr', '.a |', stdin='1').code, 3)

    def test_a_reader_that_leaves_does_not_kill(self):
        with subprocess.Popen([jaque.BINARY, 'run', '-'], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdout.close()
            process.stdin.write(GREETING)
            process.stdin.close()
            self.assertEqual(process.wait(jaque.PATIENCE), 0)

    def test_ctrl_c_cancels_and_kills_what_runs(self):
        mark = f'6{os.getpid()}.5'
        text = workflow(f'  - s: {{run: {{shell: {{command: "echo up >&2; sleep {mark}"}}}}}}')
        with subprocess.Popen([jaque.BINARY, 'run', '-', '-progress', 'plain'], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdin.write(text)
            process.stdin.close()
            for line in process.stderr:
                if 'started /do/0/s' in line:
                    break
            while not running(mark):
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(jaque.PATIENCE), 130)
            self.assertIn('cancelled', process.stderr.read())
        self.assertEqual(running(mark), [])


class UnawaitedTest(unittest.TestCase):
    """Workflows that another one starts and does not await: `jaque run` waits for them."""

    def parent(self, child, more=''):
        run = ('{run: {await: false, workflow: {namespace: cli, name: child, version: latest, '
               'input: {from: parent}}}}')
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, 'child.yaml'), 'w', encoding='utf-8') as file:
            file.write(workflow(child, 'child'))
        tasks = f'  - c: {run}\n  - d: {{set: {{done: true}}}}{more}'
        return workflow(tasks, 'parent'), folder.name

    def test_their_work_is_done_to_its_end(self):
        text, folder = self.parent('  - w: {wait: {seconds: 1}}\n'
                                   '  - s: {run: {shell: {command: "sleep 0.5; echo late >&2"}}}\n'
                                   '  - t: {raise: {error: {type: "https://x/y", status: 418}}}')
        result = jaque.run(text, '-definitions', folder)
        self.assertEqual((result.code, result.out), (0, '{"done":true}\n'), result)
        self.assertIn('the workflow has ended; 1 that it started still runs', result.err)
        self.assertRegex(result.err, r'completed /do/1/s \(.*\) \[cli/child:1.0.0 ')
        self.assertRegex(result.err, r'faulted \w+\.\d+ 418')

    def test_those_of_a_workflow_that_faults_go_on_too(self):
        text, folder = self.parent('  - w: {wait: {milliseconds: 700}}\n  - s: {set: {x: 1}}',
                                   '\n  - r: {raise: {error: {type: "https://x/y", status: 418}}}')
        result = jaque.run(text, '-definitions', folder)
        self.assertEqual((result.code, result.error['status']), (1, 418), result)
        self.assertIn('completed /do/1/s [cli/child:1.0.0 ', result.err)

    def test_ctrl_c_cancels_them(self):
        mark = f'7{os.getpid()}.5'
        text, folder = self.parent(f'  - s: {{run: {{shell: {{command: "sleep {mark}"}}}}}}')
        with subprocess.Popen([jaque.BINARY, 'run', '-', '-progress', 'plain', '-definitions',
                               folder], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdin.write(text)
            process.stdin.close()
            lines = []
            for line in process.stderr:
                lines.append(line)
                if 'the workflow has ended' in line:
                    break
            while not running(mark):
                self.assertIsNone(process.poll(), lines)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(jaque.PATIENCE), 130)
            self.assertEqual(process.stdout.read(), '{"done":true}\n')
            self.assertRegex(process.stderr.read(), r'cancelled \w+\.\d+ interrupted')
        self.assertEqual(running(mark), [])


class ServeTest(unittest.TestCase):
    def refused(self, *flags, environment=None):
        result = jaque.command(*flags, environment=environment)
        self.assertEqual(result.code, 2, result)
        self.assertEqual(len(result.err.splitlines()), 1, result)
        return result.err

    def test_roles_say_what_they_lack(self):
        self.assertIn('the log that it reads', self.refused('-target', 'sink'))
        self.assertIn('needs -store', self.refused('-target', 'sink', '-queue', 'nats://x'))
        self.assertIn('-notify-rules', self.refused('-target', 'notifier', '-queue', 'nats://x'))

    def test_combinations_that_cannot_work(self):
        self.assertIn('cannot work on -queue memory', self.refused('-target', 'engine'))
        self.assertIn('cannot work on -queue memory', self.refused('-target', 'worker,ui'))
        self.assertIn('-target is missing', self.refused('-shards', '4'))
        self.assertIn('needs -queue nats://',
                      self.refused('-target', 'all', '-coordination', 'nats://127.0.0.1:4222'))
        self.assertIn('write memory, or nats://HOST:PORT',
                      self.refused('-target', 'all', '-queue', 'kafka://127.0.0.1'))
        self.assertIn('at least 1s', self.refused('-target', 'all', '-heartbeat-ttl', '20ms'))
        self.assertIn('write NAME=TASKS',
                      self.refused('-target', 'all', '-worker-pools', 'gpu=many'))

    def test_bad_flags_say_where_they_come_from(self):
        self.assertIn('unknown flag -tarjet', self.refused('-tarjet', 'all'))
        self.assertIn('JAQUE_SHARDS: shards',
                      self.refused('-target', 'all', environment={'JAQUE_SHARDS': 'many'}))
        self.assertIn('no unit', self.refused('-target', 'all', '-heartbeat-ttl', '10'))
        self.assertIn('cannot read /nowhere', self.refused('-config', '/nowhere'))

    def test_an_address_that_is_taken(self):
        with jaque.Served() as served:
            result = jaque.command('-target', 'all', '-http-listen', served.url)
        self.assertEqual(result.code, 3, result)
        self.assertIn('cannot listen on', result.err)

    def test_the_environment_counts_before_the_file(self):
        with tempfile.NamedTemporaryFile('w', suffix='.conf') as file:
            file.write('# of a test\ntarget: engine\nlog-level: info\n')
            file.flush()
            self.assertIn('cannot work', self.refused('-config', file.name))
            self.assertIn('the log that it reads', self.refused(
                '-config', file.name, environment={'JAQUE_TARGET': 'sink'}))
            self.assertIn('is no role', self.refused(
                '-config', file.name, '-target', 'cook', environment={'JAQUE_TARGET': 'sink'}))

    def test_ui_alone_reads_and_refuses_writes(self):
        with jaque.Served(target='ui') as served:
            self.assertEqual(served.get('/healthz')[0], 200)
            self.assertEqual(served.get('/api/v1/definitions')[0], 200)
            for path in ('/api/v1/definitions', '/api/v1/events', '/api/v1/instances/x/cancel'):
                status, headers, body = served.post(path, '{}')
                self.assertEqual(status, 503, body)
                self.assertEqual(headers['Content-Type'], 'application/problem+json')
                self.assertEqual(headers['Retry-After'], '1')

    def test_sigterm_stops_gracefully(self):
        with jaque.Served() as served:
            self.assertEqual(served.get('/readyz')[0], 200)
            self.assertEqual(served.stop(), 0)
            self.assertIn('stopped', served.lines[-1])

    def test_metrics_count(self):
        with jaque.Served() as served:
            served.define(GREETING)
            for _ in range(3):
                self.assertEqual(served.start('cli/greeting', {'name': 'x'}, wait='10s')[0], 200)
            _, _, text = served.get('/metrics')
        values = dict(line.rsplit(' ', 1) for line in text.splitlines() if line[0] != '#')
        self.assertEqual(float(values['jaque_http_requests_total{class="2xx"}']), 4)
        self.assertEqual(float(values['jaque_instances_started_total']), 3)
        self.assertEqual(float(values['jaque_instances_completed_total']), 3)
        self.assertGreater(float(values['jaque_process_start_time_seconds']), 1.6e9)


if __name__ == '__main__':
    unittest.main()
