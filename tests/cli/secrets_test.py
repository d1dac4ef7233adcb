#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A secret stands in nothing that the process says, in no form; searched for in all of it."""
import base64
import json
import os
import sys
import tempfile
import unittest
import urllib.parse

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
from bad_input_test import closed_port, workflow  # noqa: E402
from cluster import wait_for  # noqa: E402
from stand_in import StandIn  # noqa: E402

SECRET = 't0p s3cret/+&=ä"token'
USE = 'use: {secrets: [tok, login]}\n'
BEARER = 'authentication: {bearer: {use: tok}}'
BASIC = 'authentication: {basic: {use: login}}'
QUERY = "query: {token: '${ $secrets.tok }'}"


def forms():
    """The secret as it may stand in text."""
    raw = SECRET.encode()
    basic = base64.b64encode(b'ada:' + raw).decode()
    return {
        SECRET, base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode(), basic,
        urllib.parse.quote(SECRET, safe=''), urllib.parse.quote(SECRET),
        urllib.parse.quote_plus(SECRET), json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1], urllib.parse.quote(basic, safe='')}


def call(url, endpoint='', more='headers: {}'):
    endpoint = f"uri: '{url}'" + (', ' + endpoint if endpoint else '')
    return workflow(f"""
  - c:
      call: http
      with:
        method: post
        endpoint: {{{endpoint}}}
        {more}""", 'secret', USE)


class SecretsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, content in (('tok', SECRET + '\n'),
                              ('login', json.dumps({'username': 'ada', 'password': SECRET}))):
            with open(os.path.join(self.folder.name, name), 'w', encoding='utf-8') as file:
                file.write(content)

    def assert_silent(self, text):
        for form in forms():
            self.assertNotIn(form, text)

    def answers(self, request):
        """Says back all that it was told."""
        self.told.append(json.dumps([request.path, list(request.headers.values())]))
        echo = {'path': request.path, 'headers': dict(request.headers.items())}
        if request.path.startswith('/away'):
            return 302, '', {'Location': self.away + '?k=' + urllib.parse.quote(SECRET, safe='')}
        return (401 if request.path.startswith('/401') else 200), echo

    def test_no_form_of_it_is_said(self):
        self.told = []
        with StandIn(self.answers) as server:
            self.away = f'http://127.0.0.1:{closed_port()}/there'
            outputs = []
            workflows = [
                call(server.url + '/401', BEARER), call(server.url + '/401', BASIC),
                call(server.url + '/401', '', QUERY), call(self.away, BEARER),
                call(self.away, '', QUERY), call(server.url + '/away', BEARER),
                call(server.url + '/away', BEARER, 'redirect: true'),
                call(server.url + '/ok', BEARER, 'output: response'),
                call(server.url + '/ok', BASIC, 'output: response\n        ' + QUERY)]
            for text in workflows:
                result = jaque.run(text, '-secrets-dir', self.folder.name, '-log-level', 'debug')
                if result.code == 0:  # what a server says back is the author's affair: /ok echoes
                    outputs.append(result.output['request'])
                    self.assert_silent(json.dumps(outputs[-1], ensure_ascii=False))
                self.assert_silent(result.err)
            self.assertEqual(len(outputs), 2)
            self.assertIn('***', json.dumps(outputs))
            self.serve(workflows[:-2])
        # The test can find what it looks for: the server was told the secret.
        self.assertTrue(any(form in ''.join(self.told) for form in forms()))

    def serve(self, workflows):
        with jaque.Served('-secrets-dir', self.folder.name, '-log-level', 'debug') as served:
            for number, text in enumerate(workflows):
                served.define(text.replace('name: secret', f'name: secret{number}'))
                _, body = served.start(f'cli/secret{number}', wait='60s')
                self.assertEqual(body['status'], 'faulted')
                self.assert_silent(json.dumps(body, ensure_ascii=False))
                self.read_back(served, '/api/v1/instances/' + body['id'])
            self.assert_silent(served.get('/metrics')[2])
            served.stop()
            self.assert_silent(''.join(served.lines))

    def read_back(self, served, path):
        """All that the engine and the store know of an instance that has ended."""
        def ended():
            _, _, page = served.get(path + '/tasks')
            return [row for row in page['items'] if row.get('endedAt')]
        rows = wait_for('its tasks are in the store', ended)
        tasks = [f'/tasks/{row["seq"]}' for row in rows]
        for rest in ('', '/history?limit=1000', '/tasks', *tasks):
            status, _, body = served.get(path + rest)
            self.assertEqual(status, 200, body)
            self.assert_silent(json.dumps(body, ensure_ascii=False))

    def test_data_is_never_evaluated(self):
        trap = {'msg': '${ $secrets }', 'more': ['${ $context }', '${ env }', '${ .msg }']}
        for task in ("set: '${ . }'", "set: {msg: '${ .msg }', more: '${ .more }'}",
                     "do: [{s: {set: '${ . }'}}]", "for: {in: '${ [.] }'}\n      do: "
                     "[{s: {set: '${ $item }'}}]",
                     "try: [{r: {raise: {error: {type: 'https://example.org/e', status: 400, "
                     "title: '${ .msg }', detail: '${ .more[0] }'}}}}]\n      catch: {as: e, do: "
                     "[{s: {set: {msg: '${ $e.title }', more: ['${ $e.detail }', '${ .more[1] }', "
                     "'${ .more[2] }']}}}]}"):
            with self.subTest(task):
                text = workflow(f"\n  - first:\n      {task}\n  - next: {{set: '${{ . }}'}}",
                                'trap', USE)
                result = jaque.run(text, given=trap)
                self.assertEqual((result.code, result.output), (0, trap), result)

    def test_data_of_events_and_of_children_is_never_evaluated(self):
        trap = {'msg': '${ $secrets }'}
        child = workflow("\n  - s: {set: '${ . }'}", 'child')
        parent = workflow("""
  - hear: {listen: {to: {one: {with: {type: trap}}}}}
  - child:
      run:
        workflow: {namespace: cli, name: child, version: '1.0.0', input: {msg: '${ .[0].msg }'}}""",
                          'parent')
        with jaque.Served() as served:
            served.define(child)
            served.define(parent)
            _, started = served.start('cli/parent')
            status, _, said = served.post('/api/v1/events', json.dumps(
                {'specversion': '1.0', 'id': '1', 'source': '/t', 'type': 'trap', 'data': trap}),
                {'Content-Type': 'application/cloudevents+json'})
            self.assertEqual(status, 202, said)
            _, _, ended = served.get(f'/api/v1/instances/{started["id"]}?wait=60s')
            self.assertEqual(ended.get('output'), trap, ended)

    def test_secrets_of_the_environment_stay_there(self):
        text = workflow('  - s: {run: {shell: {command: env}}}')
        result = jaque.command('run', '-', stdin=text, environment={'JAQUE_SECRET_TOK': SECRET})
        self.assertEqual(result.code, 0, result)
        self.assert_silent(result.out + result.err)

    def test_a_secret_where_the_engine_evaluates_is_refused(self):
        result = jaque.run(workflow("  - s: {set: {x: '${ $secrets.tok }'}}", extra=USE))
        self.assertEqual(result.code, 2, result)
        self.assertIn("-:4:22: expression: the variable `$secrets` is not available here; secrets "
                      "are for the arguments of call, run shell and run script", result.err)


if __name__ == '__main__':
    unittest.main()
