#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands that talk to a server, against one that runs (docs/cli.md)."""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import cluster  # noqa: E402
import jaque  # noqa: E402
from bad_input_test import closed_port, workflow  # noqa: E402

QUICK = workflow("  - greet: {set: {message: '${ \"hi \\(.name)\" }'}}", 'quick')
PATIENT = workflow("""
  - first: {set: {x: 1}}
  - pause: {wait: {hours: 1}}""", 'patient')
LISTENING = workflow("""
  - hear: {listen: {to: {one: {with: {type: t.go}}}, read: data}}""", 'listening')
FAILING = workflow("""
  - outer:
      do:
        - inner:
            raise: {error: {type: 'https://e.example/x', status: 500, title: Broken}}""", 'failing')


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.served = jaque.Served()
        cls.served.__enter__()
        cls.addClassCleanup(cls.served.stop)
        cls.environment = {'JAQUE_SERVER': 'http://' + cls.served.url, 'HOME': cls.folder.name,
                           'XDG_CONFIG_HOME': '', 'NO_COLOR': '1'}
        for text in QUICK, PATIENT, LISTENING, FAILING:
            result = cls.call('apply', '-', stdin=text)
            assert result.code == 0, result

    @classmethod
    def call(cls, *words, stdin='', **environment):
        return jaque.command(*words, stdin=stdin,
                             environment={**cls.environment, **environment})

    def ok(self, *words, **options):
        result = self.call(*words, **options)
        self.assertEqual(result.code, 0, result)
        return result.out

    def start(self, name, *flags):
        return self.ok('start', 'cli/' + name, '-o', 'name', *flags).strip()

    def test_apply_says_what_it_did_or_every_finding(self):
        path = os.path.join(self.folder.name, 'w.yaml')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(QUICK)
        self.assertEqual(self.ok('apply', path), 'cli/quick:1.0.0 applied\n')
        self.assertEqual(self.ok('apply', path, '-o', 'name'), 'cli/quick:1.0.0\n')
        bad = self.call('apply', '-', stdin=QUICK.replace('set:', 'sett:'))
        self.assertEqual(bad.code, 2, bad)
        self.assertRegex(bad.err, r'jaque: -: .*\n  \d+:\d+: .*sett')
        other = self.call('apply', '-', stdin=QUICK + '# other\n')
        self.assertEqual(other.code, 5, other)
        self.assertIn('give this one a new version', other.err)
        self.assertEqual(self.ok('definitions', 'get', 'cli/quick'), QUICK)

    def test_start_gives_an_id_or_the_output(self):
        name = self.start('patient')
        self.assertRegex(name, r'^[0-9A-Z]{26}$')
        out = json.loads(self.ok('start', 'cli/quick', '-input', '{"name": "Ada"}', '-wait', '20s',
                                 '-o', 'json'))
        self.assertEqual((out['status'], out['output']), ('completed', {'message': 'hi Ada'}))
        faulted = self.call('start', 'cli/failing', '-wait', '20s')
        self.assertEqual(faulted.code, 1, faulted)
        self.assertIn('"title": "Broken"', faulted.out)

    def test_an_instance_is_shown_in_every_format(self):
        name = self.start('patient')
        out = self.ok('get', name)
        self.assertRegex(out, r'(?m)^id +' + name + r'$')
        self.assertRegex(out, r'(?m)^status +(running|waiting)$')
        self.assertEqual(json.loads(self.ok('get', name, '-o', 'json'))['id'], name)
        self.assertEqual(yaml.safe_load(self.ok('get', name, '-o', 'yaml'))['id'], name)
        self.assertEqual(self.ok('get', name, '-o', 'name'), name + '\n')

    def test_cancel_changes_what_is_named(self):
        names = [self.start('patient') for _ in range(2)]
        out = self.ok('cancel', *names, '-reason', 'enough')
        self.assertEqual(out, ''.join(f'{name}  cancelled\n' for name in names))
        mixed = self.call('cancel', 'nobody', self.start('patient'))
        self.assertEqual(mixed.code, 4, mixed)
        self.assertIn('nobody: ', mixed.err)
        self.assertIn('cancelled', mixed.out)

    def test_an_event_is_heard(self):
        name = self.start('listening')
        self.ok('send-event', '-type', 't.go', '-data', '{"n": 1}')
        out = json.loads(self.ok('get', name, '-o', 'json'))
        # The event was stored before the instance was asked; it may take a moment to be consumed.
        _, _, out = self.served.get(f'/api/v1/instances/{name}?wait=20s')
        self.assertEqual(out['output'], [{'n': 1}])

    def test_errors_have_exit_codes_and_say_what_to_do(self):
        self.assertEqual(self.call('get', 'nobody').code, 4)
        self.assertEqual(self.call('get').code, 2)
        self.assertEqual(self.call('get', 'a', '-o', 'xml').code, 2)
        self.assertEqual(self.call('start', 'nonsense').code, 2)
        self.assertEqual(self.call('schedules').code, 2)
        away = self.call('list', JAQUE_SERVER=f'http://127.0.0.1:{closed_port()}')
        self.assertEqual(away.code, 3, away)
        self.assertIn('start one with `jaque -target all`', away.err)
        self.assertEqual(self.call('list', '-server', 'ftp://x').code, 2)
        unknown = self.call('frobnicate')
        self.assertEqual(unknown.code, 2)
        self.assertIn('`jaque help` lists them', unknown.err)

    def test_every_command_has_help_and_stands_in_the_documents(self):
        text = self.ok('help')
        names = re.findall(r'(?m)^  ((?:[a-z-]+ )?[a-z-]+) {2,}[a-z]', text.split('docs/cli.md')[1])
        self.assertGreater(len(names), 25)
        with open(os.path.join(ROOT, 'docs', 'cli.md'), encoding='utf-8') as file:
            document = file.read()
        for name in names:
            if name.startswith('-'):
                continue
            with self.subTest(name):
                self.assertIn(f'jaque {name}', document)
                out = self.ok(*name.split(), '-help')
                self.assertIn(f'Usage:\n  jaque {name}', out)

    def test_contexts_are_kept(self):
        with tempfile.TemporaryDirectory() as home:
            known = {'HOME': home, 'JAQUE_SERVER': ''}
            self.ok('context', 'set', 'dev', '-server', 'http://' + self.served.url, **known)
            self.ok('context', 'set', 'prod', '-server', 'https://prod.example', **known)
            self.assertEqual(self.ok('context', 'list', '-o', 'name', **known), 'dev\nprod\n')
            self.assertEqual(self.ok('definitions', 'get', 'cli/quick', **known), QUICK)
            self.ok('context', 'use', 'prod', **known)
            shown = self.ok('definitions', 'get', 'cli/quick', '-context', 'dev', **known)
            self.assertEqual(shown, QUICK)
            self.ok('context', 'remove', 'prod', **known)
            self.assertEqual(self.ok('context', 'list', '-o', 'name', **known), 'dev\n')
            self.assertEqual(self.call('context', 'use', 'prod', **known).code, 4)

    def test_completions_are_taken_by_the_shell(self):
        script = self.ok('completion', 'bash')
        asked = ('COMP_WORDS=(jaque {}); COMP_CWORD={}; _jaque; printf "%s\\n" "${{COMPREPLY[@]}}"')
        folder = os.path.dirname(os.path.abspath(jaque.BINARY))

        def complete(*words):
            text = script + asked.format(' '.join(f"'{w}'" for w in words), len(words))
            done = subprocess.run(['bash', '-c', text], capture_output=True, text=True, check=True,
                                  env={**os.environ, **self.environment,
                                       'PATH': folder + ':' + os.environ['PATH']})
            self.assertEqual(done.stderr, '')
            return done.stdout.split()

        self.assertIn('start', complete('st'))
        self.assertEqual(complete('schedules', 'pa'), ['pause'])
        self.assertIn('-wait', complete('start', '-w'))
        for shell in 'zsh', 'fish':
            self.assertIn('start', self.ok('completion', shell))

    def test_colours_are_for_terminals(self):
        self.start('patient')
        name = self.start('patient')
        self.assertNotIn('\x1b', self.ok('get', name, NO_COLOR=''))
        reader, writer = pty.openpty()
        try:
            environment = {**os.environ, **self.environment, 'TERM': 'xterm'}
            del environment['NO_COLOR']
            subprocess.run([jaque.BINARY, 'get', name], stdout=writer, check=True, env=environment)
            self.assertIn(b'\x1b[', os.read(reader, 4096))
        finally:
            os.close(reader)
            os.close(writer)


class ListsTest(unittest.TestCase):
    """What the store knows: lists, changes in bulk, and watching."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.served = jaque.Served()
        cls.served.__enter__()
        cls.addClassCleanup(cls.served.stop)
        cls.environment = {'JAQUE_SERVER': 'http://' + cls.served.url, 'HOME': cls.folder.name,
                           'XDG_CONFIG_HOME': '', 'NO_COLOR': '1'}
        for text in QUICK, PATIENT, LISTENING, FAILING:
            cls.served.define(text)

    def call(self, *words):
        return jaque.command(*words, environment=self.environment)

    def ok(self, *words):
        result = self.call(*words)
        self.assertEqual(result.code, 0, result)
        return result.out

    def start(self, name, *flags):
        return self.ok('start', 'cli/' + name, '-o', 'name', *flags).strip()

    def listed(self, *filters):
        return self.ok('list', '-o', 'name', *filters).split()

    def test_lists_find_what_the_filter_says(self):
        names = {self.start('patient', '-tag', 'set:a') for _ in range(3)}
        other = self.start('patient', '-tag', 'set:b')
        cluster.wait_for('they are in the store',
                         lambda: set(self.listed('-tag', 'set:a')) == names)
        cluster.wait_for('it is in the store', lambda: self.listed('-tag', 'set:b') == [other])
        rows = json.loads(self.ok('list', '-tag', 'set:a', '-o', 'json', '-limit', '2'))
        self.assertEqual(len(rows), 2)
        self.assertEqual(rows[0]['tags'], {'set': 'a'})
        table = self.ok('list', '-tag', 'set:b', '-since', '1h')
        self.assertRegex(table, r'^ID +DEFINITION +STATUS +STARTED +TOOK +TAGS +NOTE\n' + other +
                         r' +cli/patient:1.0.0 +\w+ +\d+s ago +- +set:b +-\n$')
        self.assertEqual(self.ok('list', '-tag', 'set:none'), 'there are none\n')
        self.assertIn('cli/quick:1.0.0', self.ok('definitions', 'list', '-o', 'name'))

    def test_all_that_a_filter_finds_is_changed_once_it_is_agreed(self):
        names = [self.start('patient', '-tag', 'set:many') for _ in range(3)]
        cluster.wait_for('they are in the store',
                         lambda: set(self.listed('-tag', 'set:many')) == set(names))
        shown = self.ok('cancel', '-tag', 'set:many', '-preview')
        self.assertRegex(shown, r'(?s)' + names[0] + r'.*3 found\n$')
        unasked = self.call('cancel', '-tag', 'set:many')
        self.assertEqual(unasked.code, 2, unasked)
        self.assertIn('say -yes to cancel them', unasked.err)
        self.assertEqual(self.call('cancel').code, 2)
        self.assertEqual(self.ok('cancel', '-tag', 'set:many', '-yes'), '3 of 3 done\n')
        for name in names:
            self.assertIn('cancelled', self.ok('get', name))

    def test_watch_follows_to_the_end(self):
        done = self.start('quick', '-input', '{"name": "Ada"}')
        cluster.wait_for('it is in the store', lambda: self.listed('-q', done) == [done])
        out = self.ok('watch', done)
        self.assertRegex(out, r'^cli/quick:1.0.0  ' + done + r'\n')
        self.assertRegex(out, r'completed +/do/0/greet')
        self.assertTrue(out.endswith('completed\n{\n  "message": "hi Ada"\n}\n'), out)
        failed = self.start('failing')
        result = self.call('watch', failed)
        self.assertEqual(result.code, 1, result)
        self.assertRegex(result.out, r'faulted +/do/0/outer/do/0/inner.* Broken')
        rows = [json.loads(line) for line in
                self.call('watch', failed, '-o', 'json').out.splitlines()]
        self.assertEqual(rows[-1]['status'], 'faulted')


class TokensTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tokens = {}
        self.file = os.path.join(self.folder.name, 'tokens')
        with open(self.file, 'w', encoding='utf-8') as file:
            for who, grant in ('ada', 'author@cli'), ('eve', 'viewer@other'):
                made = jaque.command('token', who, grant)
                self.assertEqual(made.code, 0, made)
                file.write(made.out)
                self.tokens[who] = made.err.strip()

    def test_who_has_a_token_may_what_it_says_and_no_token_is_told(self):
        with jaque.Served('-auth', 'tokens', '-auth-tokens', self.file, '-log-level',
                          'debug') as served:
            def call(*words, token='', stdin=''):
                return jaque.command(*words, stdin=stdin, environment={
                    'JAQUE_SERVER': 'http://' + served.url, 'JAQUE_TOKEN': token,
                    'HOME': self.folder.name})
            ada, eve = self.tokens['ada'], self.tokens['eve']
            nobody = call('apply', '-', stdin=QUICK)
            self.assertEqual(nobody.code, 5, nobody)
            self.assertIn('JAQUE_TOKEN', nobody.err)
            self.assertEqual(call('apply', '-', stdin=QUICK, token='wrong').code, 5)
            self.assertEqual(call('apply', '-', stdin=QUICK, token=ada).code, 0)
            self.assertEqual(call('apply', '-', stdin=QUICK, token=eve).code, 5)
            name = call('start', 'cli/quick', '-o', 'name', token=ada).out.strip()
            self.assertEqual(call('get', name, token=ada).code, 0)
            self.assertEqual(call('get', name, token=eve).code, 4)
            self.assertEqual(call('cancel', name, token=eve).code, 4)
            self.assertEqual(call('definitions', 'get', 'cli/quick', token=eve).code, 4)
            served.stop()
            said = ''.join(served.lines)
        audit = re.findall(r'audit actor=(\S+) address=127.0.0.1 method=POST path=(\S+) .*'
                           r'status=(\d+)', said)
        self.assertEqual(audit, [
            ('ada', '/api/v1/definitions', '201'), ('eve', '/api/v1/definitions', '403'),
            ('ada', '/api/v1/definitions/cli/quick/instances', '202'),
            ('eve', f'/api/v1/instances/{name}/cancel', '404')])
        for token in self.tokens.values():
            self.assertNotIn(token, said)
            self.assertNotIn(token[6:], said)

    def test_beyond_loopback_it_has_to_be_said_who_may(self):
        for flags in [], ['-auth', 'maybe'], ['-auth', 'tokens'], ['-auth', 'oidc']:
            result = jaque.command('-target', 'all', '-http-listen', '0.0.0.0:0', *flags)
            self.assertEqual(result.code, 2, result)
        result = jaque.command('-target', 'all', '-http-listen', '0.0.0.0:0')
        self.assertIn('say -auth tokens, or -auth none', result.err)

    def test_tls_and_a_certificate_that_is_renewed(self):
        certificate, key = (os.path.join(self.folder.name, name) for name in ('c.pem', 'k.pem'))

        def make(into):
            subprocess.run(
                ['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', into, '-days', '2',
                 '-subj', '/CN=jaque', '-addext', 'subjectAltName=IP:127.0.0.1'],
                check=True, capture_output=True)

        make(certificate)
        old = os.path.join(self.folder.name, 'old.pem')
        shutil.copy(certificate, old)
        with jaque.Served('-tls-cert', certificate, '-tls-key', key) as served:
            url = re.search(r'url=(https://\S+)', ''.join(served.lines)).group(1)

            def asked(authority):
                return jaque.command('get', 'nobody', '-server', url, *authority,
                                     environment={'HOME': self.folder.name})
            self.assertEqual(asked(['-ca', old]).code, 4)
            stranger = asked([])
            self.assertEqual(stranger.code, 3, stranger)
            self.assertIn('name its authority with -ca FILE', stranger.err)
            make(certificate)
            cluster.wait_for('the new certificate is shown',
                             lambda: asked(['-ca', certificate]).code == 4)
            self.assertEqual(asked(['-ca', old]).code, 3)


if __name__ == '__main__':
    unittest.main()
