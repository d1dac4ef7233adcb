#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each kind of target against a server: what arrives, signed and in order, under one id however
often; and what is given up."""
import base64
import hashlib
import hmac
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import cluster  # noqa: E402
import jaque  # noqa: E402
import mail_server  # noqa: E402
import nats_client  # noqa: E402
import stand_in  # noqa: E402

KEY = base64.b64encode(b'a secret of twenty-four b').decode()
PASSWORD = 'correct horse battery'
DEAD = '/api/v1/dead-letters'
FAILS = '''document: {dsl: '1.0.3', namespace: test, name: fails, version: '1.0.0'}
do:
  - fail: {raise: {error: {type: 'https://example.org/e', status: 503, title: Größer}}}
'''


def check_signature(request):
    """As Standard Webhooks say, over exactly the bytes that came."""
    identity, stamp = request.headers['webhook-id'], request.headers['webhook-timestamp']
    digest = hmac.new(base64.b64decode(KEY), f'{identity}.{stamp}.{request.body}'.encode(),
                      hashlib.sha256).digest()
    assert request.headers['webhook-signature'] == 'v1,' + base64.b64encode(digest).decode()


class TargetsTest(unittest.TestCase):
    def setUp(self):
        folder = cluster.new_folder()
        self.folder = folder.__enter__()
        self.addCleanup(folder.__exit__, None, None, None)
        secrets = self.path('secrets')
        os.mkdir(secrets)
        for name, text in (('hook', 'whsec_' + KEY), ('mail-password', PASSWORD)):
            with open(os.path.join(secrets, name), 'w', encoding='utf-8') as file:
                file.write(text + '\n')

    def path(self, name):
        return os.path.join(self.folder, name)

    def serve(self, target, rule, *flags):
        """A process with one target and one rule."""
        with open(self.path('rules.yaml'), 'w', encoding='utf-8') as file:
            file.write(f'targets: {{target: {target}}}\n'
                       f'rules: {{rule: {{{rule}, to: [target]}}}}\n')
        process = cluster.Process('one', '-shards', 4, '-secrets-dir', self.path('secrets'),
                                  '-notify-rules', self.path('rules.yaml'), *flags, target='all')
        process.__enter__()
        self.addCleanup(process.stop, signal.SIGKILL)
        cluster.wait_for('the notifier has read the log', process.ready)
        process.define(cluster.Load.WORKFLOW)
        process.define(FAILS.encode())
        return process

    def check_no_secret(self, process):
        process.stop()
        said = ''.join(process.lines)
        for secret in (KEY, PASSWORD):
            self.assertNotIn(secret, said)

    def test_a_repeated_webhook_is_the_same_and_its_signature_is_new(self):
        """O-NOT-01: three failures, then an answer that is lost, then one that is not."""
        taken = []

        def answer(request):
            check_signature(request)
            taken.append(request)
            if len(taken) <= 3:
                return 500, 'not now'
            return None if len(taken) == 4 else (200, '')
        with stand_in.StandIn(answer) as receiver:
            process = self.serve(f"{{webhook: {{url: '{receiver.url}', secret: hook}}}}",
                                 'events: [workflow.faulted]')
            process.start('test/fails', {}, id='i', wait='30s')
            cluster.wait_for('it has arrived', lambda: len(taken) == 5)
            cluster.wait_for('nothing is owed any more', lambda: process.metric(
                'jaque_notifier_deliveries_pending') == 0)
        self.assertEqual(len({request.headers['webhook-id'] for request in taken}), 1)
        self.assertEqual(len({request.body for request in taken}), 1)
        self.assertEqual(len({request.headers['Content-Type'] for request in taken}), 1)
        stamps = [int(request.headers['webhook-timestamp']) for request in taken]
        self.assertEqual(stamps, sorted(stamps))
        self.assertGreater(stamps[-1], stamps[0])
        signatures = {request.headers['webhook-signature'] for request in taken}
        self.assertEqual(len(signatures), len(set(stamps)))
        event = taken[0].json
        self.assertEqual(event['type'], 'io.serverlessworkflow.workflow.faulted.v1')
        self.assertEqual(event['data']['error']['title'], 'Größer')
        self.assertTrue(taken[0].headers['webhook-id'].startswith(event['id']))
        self.check_no_secret(process)

    def test_what_a_receiver_refuses_is_a_dead_letter_until_it_is_sent_again(self):
        status, taken = [410], []

        def answer(request):
            taken.append((request.headers['webhook-id'], request.body))
            return status[0], ''
        flags = '-data-dir', self.path('data'), '-data-sync', 'normal'
        with stand_in.StandIn(answer) as receiver:
            process = self.serve(f"{{webhook: {{url: '{receiver.url}'}}}}",
                                 'events: [workflow.started, workflow.faulted]', *flags)
            process.start('test/fails', {}, id='i', wait='30s')
            letters = cluster.wait_for('both are given up', lambda: (
                lambda items: len(items) == 2 and items)(process.get(DEAD)[2]['items']))
            self.assertEqual([(one['kind'], one['object'], one['summary'], one['reason'])
                              for one in letters],
                             [('notification', 'i', 'workflow.started to target', 'HTTP 410'),
                              ('notification', 'i', 'workflow.faulted to target', 'HTTP 410')])
            first = process.get(f'{DEAD}?limit=1')[2]
            self.assertEqual(first['items'], letters[:1])
            self.assertEqual(process.get(f'{DEAD}?cursor={first["next"]}')[2]['items'], letters[1:])
            self.assertEqual(process.get(f'{DEAD}?kind=command')[2]['items'], [])
            shown = process.get(f'{DEAD}/{letters[0]["id"]}')[2]['content']
            self.assertEqual((shown['rule'], shown['attempts']), ('rule', 1))
            self.assertEqual(shown['body'], json.loads(taken[0][1]))
            # They outlive the process. The command line works on them.
            self.assertEqual(process.stop(), 0)
            process = self.restart(flags)

            def command(*words):
                done = jaque.command('dead-letters', *words, '-server', f'http://{process.url}')
                self.assertEqual(done.code, 0, done)
                return done.out
            self.assertEqual(command('list', '-kind', 'notification', '-o', 'name').split(),
                             [one['id'] for one in letters])
            self.assertIn('HTTP 410', command('list'))
            status[0] = 200
            command('redrive', letters[0]['id'])
            cluster.wait_for('it has arrived', lambda: len(taken) == 3)
            self.assertEqual(taken[2], taken[0])
            command('drop', letters[1]['id'])
            self.assertEqual(process.get(DEAD)[2]['items'], [])
            self.assertEqual(process.post(f'{DEAD}/{letters[1]["id"]}/redrive')[0], 404)
        self.assertEqual(len(taken), 3)

    def restart(self, flags):
        process = cluster.Process('one', '-shards', 4, '-notify-rules', self.path('rules.yaml'),
                                  *flags, target='all')
        process.__enter__()
        self.addCleanup(process.stop, signal.SIGKILL)
        cluster.wait_for('the notifier has read the log', process.ready)
        return process

    def test_mail_arrives_with_what_the_rule_says(self):
        certificate, key = self.path('c.pem'), self.path('k.pem')
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                        'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj',
                        '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key,
                        '-out', certificate], check=True, capture_output=True)
        replies = ['451 later']
        with mail_server.MailServer(lambda mail: replies.pop() if replies else '250 taken',
                                    (certificate, key)) as server:
            process = self.serve(
                f"{{email: {{server: '{server.url}', from: jaque@example.org, "
                'to: [a@example.org, b@example.org], username: jaque, '
                'passwordSecret: mail-password}}',
                "events: [workflow.started, workflow.faulted], subject: '${ \"Störung: \" + "
                ".data.definition.name + \" \" + .type }', body: '${ .subject + \"\\n.\\n\" + "
                "(.data.error.title // \"begun\") }'", '-http-ca', certificate)
            process.start('test/fails', {}, id='i', wait='30s')
            cluster.wait_for('both have arrived', lambda: len(server.mails) == 3)
        refused, started, faulted = server.mails
        self.assertEqual(refused.data, started.data)  # and with that its Message-ID
        self.assertNotEqual(started.message['Message-ID'], faulted.message['Message-ID'])
        for mail, event, text in ((started, 'started', 'begun'), (faulted, 'faulted', 'Größer')):
            self.assertEqual(mail.login, ['jaque', PASSWORD])
            self.assertEqual(mail.sender, 'jaque@example.org')
            self.assertEqual(mail.recipients, ['a@example.org', 'b@example.org'])
            self.assertEqual(mail.message['To'], 'a@example.org, b@example.org')
            self.assertEqual(mail.message['Subject'],
                             f'Störung: fails io.serverlessworkflow.workflow.{event}.v1')
            self.assertEqual(mail.text.replace('\r\n', '\n').strip(), f'i\n.\n{text}')
        self.check_no_secret(process)

    def test_a_password_goes_to_no_server_without_tls(self):
        with mail_server.MailServer(lambda mail: '250 taken') as server:
            process = self.serve(
                f"{{email: {{server: '{server.url}', from: a@example.org, to: [b@example.org], "
                'username: jaque, passwordSecret: mail-password}}', 'events: [workflow.started]')
            process.start('test/fails', {}, id='i', wait='30s')
            cluster.wait_for('it has failed', lambda: process.metric(
                'jaque_notifier_deliveries_total') > 0)
            self.assertEqual(server.mails, [])
        self.check_no_secret(process)

    def test_a_chat_gets_text_or_what_the_template_makes(self):
        with stand_in.StandIn(lambda request: (200, 'ok')) as chat:
            with open(os.path.join(self.path('secrets'), 'chat'), 'w', encoding='utf-8') as file:
                file.write(f'{chat.url}/services/T0/B0/{KEY}\n')
            process = self.serve('{slack: {urlSecret: chat}}', 'events: [workflow.faulted]')
            process.start('test/fails', {}, id='i', wait='30s')
            cluster.wait_for('it has arrived', lambda: len(chat.requests) == 1)
            self.assertEqual(chat.requests[0].path, f'/services/T0/B0/{KEY}')
            self.assertEqual(chat.requests[0].headers['Content-Type'], 'application/json')
            self.assertEqual(chat.requests[0].json, {
                'text': 'workflow.faulted: test/fails 1.0.0, instance i: Größer'})
            self.check_no_secret(process)
            process = self.serve('{slack: {urlSecret: chat}}', 'events: [workflow.faulted], body: '
                                 "'${ {text: .subject, blocks: [{type: \"divider\"}]} }'")
            process.start('test/fails', {}, id='j', wait='30s')
            cluster.wait_for('it has arrived', lambda: len(chat.requests) == 2)
            self.assertEqual(chat.requests[1].json,
                             {'text': 'j', 'blocks': [{'type': 'divider'}]})

    @unittest.skipUnless(shutil.which('nats-server'), 'skipped: nats-server is not installed')
    def test_a_stream_of_nats_has_each_once_and_in_order(self):
        with cluster.Nats() as nats, nats_client.NatsClient(nats.ports[0]) as client:
            client.add_stream('TOLD', 'told')
            process = self.serve('{nats: {subject: told}, perSecond: 1000}',
                                 'events: [workflow.started, task.completed, workflow.completed]',
                                 '-queue', nats.url, '-coordination', nats.url)
            for number in range(5):
                process.start('test/steps', {'n': number}, id=f'i{number}', wait='30s')
            wanted = ['workflow.started'] + ['task.completed'] * 4 + ['workflow.completed']
            cluster.wait_for('all have arrived', lambda: len(
                client.messages('TOLD')) == 5 * len(wanted))
            found = {}
            for _, headers, body in client.messages('TOLD'):
                event = json.loads(body)
                self.assertEqual(headers['Nats-Msg-Id'], event['id'] + '-rule')
                self.assertTrue(headers['Content-Type'].startswith('application/cloudevents+json'))
                found.setdefault(event['subject'], []).append(
                    event['type'].removeprefix('io.serverlessworkflow.').removesuffix('.v1'))
            self.assertEqual(found, {f'i{number}': wanted for number in range(5)})


if __name__ == '__main__':
    unittest.main(verbosity=2)
