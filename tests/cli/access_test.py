#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may use the API of the real process: JWTs of an issuer, tokens of a file, the audit trail,
requests that try to get past. No token stands in what the process says or stores."""
import http.client
import itertools
import os
import socket
import sys
import tempfile
import time
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
from cluster import wait_for  # noqa: E402
from issuer import Issuer, Key, signed_with_public_key, token, unsigned  # noqa: E402

DEFINITION = "document: {dsl: '1.0.3', namespace: shop, name: order, version: '1.0.0'}\n" \
             'do: [{s: {set: {x: 1}}}]\n'


class AccessTest(unittest.TestCase):
    def setUp(self):
        self.addresses = (f'127.1.{n // 250}.{n % 250 + 1}' for n in itertools.count())
        self.tokens = []  # sent

    def serve(self, *flags):
        self.served = jaque.Served('-log-level', 'debug', *flags)
        self.served.__enter__()
        self.addCleanup(self.served.stop)

    def ask(self, secret, path='/api/v1/me', method='GET', body=None, address=None, headers=None):
        """The status; each request from an address of its own, unless one is named."""
        if secret:
            self.tokens.append(secret)
            headers = {'Authorization': 'Bearer ' + secret, **(headers or {})}
        connection = http.client.HTTPConnection(
            self.served.url, timeout=jaque.PATIENCE,
            source_address=(address or next(self.addresses), 0))
        try:
            connection.request(method, path, body, headers or {})
            self.response = connection.getresponse()
            self.said = self.response.read().decode()
            return self.response.status
        finally:
            connection.close()

    def assert_no_token_was_said(self):
        self.served.stop()
        said = ''.join(self.served.lines)
        self.assertIn('listening', said)
        for secret in self.tokens:
            self.assertNotIn(secret, said)
            if '.' in secret:
                self.assertNotIn(secret.split('.')[1], said)

    def test_tokens_of_an_issuer(self):
        rsa, elliptic, stranger = Key('r', 'RS256'), Key('e', 'ES256'), Key('r', 'RS256')
        with Issuer(rsa, elliptic) as issuer:
            self.serve('-auth', 'oidc', '-oidc-issuer', issuer.url, '-oidc-audience', 'jaque')
            claims = issuer.claims()
            for key in (rsa, elliptic):
                self.assertEqual(self.ask(token(key, claims)), 200, self.said)
                self.assertIn('"ada"', self.said)
            good = token(rsa, claims)
            for why, bad in {
                    'expired': token(rsa, issuer.claims(exp=int(time.time()) - 3600)),
                    'not yet valid': token(rsa, issuer.claims(nbf=int(time.time()) + 3600)),
                    'another audience': token(rsa, issuer.claims(aud='shop')),
                    'another issuer': token(rsa, issuer.claims(iss='https://id.example.com')),
                    'of another key with that name': token(stranger, claims),
                    'changed': '.'.join([good.split('.')[0],
                                         token(rsa, issuer.claims(sub='eve')).split('.')[1],
                                         good.split('.')[2]]),
                    'unsigned': unsigned(claims),
                    'unsigned, with a name': good.rsplit('.', 1)[0] + '.',
                    'signed with the public key': signed_with_public_key(rsa, claims),
                    'no JWT': 'x' * 100}.items():
                with self.subTest(why):
                    self.assertEqual(self.ask(bad), 401, self.said)
                    self.assertIn('Bearer', self.response.headers['WWW-Authenticate'])
            self.assertEqual(self.ask(''), 401)
            # Roles are those of the token.
            reader = token(rsa, issuer.claims(roles=['viewer@shop']))
            self.assertEqual(self.ask(reader, '/api/v1/definitions', 'POST', DEFINITION), 403)
            # A new key is taken, one that is taken back is not.
            newer = Key('n', 'ES256')
            issuer.keys = [newer]
            wait_for('the new key', lambda: self.ask(token(newer, claims)) == 200)
            self.assertEqual(self.ask(good), 401)
            self.assert_no_token_was_said()

    def token_file(self):
        """Its path, and the tokens by name."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path, tokens = os.path.join(folder.name, 'tokens'), {}
        with open(path, 'w', encoding='utf-8') as file:
            for name, grant in (('ada', 'admin'), ('bob', 'author@shop'), ('eve', 'viewer')):
                made = jaque.command('token', name, grant)
                file.write(made.out)
                tokens[name] = made.err.strip()
        return path, tokens

    def test_every_write_is_in_the_audit_trail(self):
        path, tokens = self.token_file()
        self.serve('-auth', 'tokens', '-auth-tokens', path)
        self.assertEqual(self.ask(tokens['bob'], '/api/v1/definitions', 'POST', DEFINITION,
                                  address='127.0.2.1'), 201)
        self.assertEqual(self.ask(tokens['eve'], '/api/v1/definitions/shop/order/instances', 'POST',
                                  '{}', address='127.0.2.2'), 403)
        self.assertEqual(self.ask(tokens['eve'], '/api/v1/audit'), 403)

        def entries():
            self.assertEqual(self.ask(tokens['ada'], '/api/v1/audit'), 200)
            items = jaque.json.loads(self.said)['items']
            return len(items) == 2 and items
        found = wait_for('they are stored', entries)
        self.assertEqual(
            [(row['actor'], row['address'], row['method'], row['path'], row['status'])
             for row in found],
            [('eve', '127.0.2.2', 'POST', '/api/v1/definitions/shop/order/instances', 403),
             ('bob', '127.0.2.1', 'POST', '/api/v1/definitions', 201)])
        self.assertTrue(all(row['at'] for row in found))
        for secret in tokens.values():
            self.assertNotIn(secret, self.said)
        self.assert_no_token_was_said()

    def test_who_tries_tokens_has_to_wait(self):
        path, tokens = self.token_file()
        self.serve('-auth', 'tokens', '-auth-tokens', path)
        statuses = [self.ask(f'jaque_guess{guess}', address='127.0.3.1') for guess in range(80)]
        self.assertEqual(statuses[0], 401)
        self.assertEqual(statuses[-1], 429)
        self.assertLessEqual(int(self.response.headers['Retry-After']), 60)
        self.assertEqual(statuses, sorted(statuses))
        self.assertEqual(self.ask(tokens['ada'], address='127.0.3.1'), 429)
        self.assertEqual(self.ask(tokens['ada'], address='127.0.3.2'), 200)
        self.assert_no_token_was_said()

    def test_requests_that_try_to_get_past(self):
        path, tokens = self.token_file()
        self.serve('-auth', 'tokens', '-auth-tokens', path)
        for target in ('/api/v1/../../metrics', '/api/v1/definitions/%2e%2e/x', '/..', '//../etc',
                       '/api/v1/instances/a%2fb', '/assets/../../etc/passwd'):
            with self.subTest(target):
                self.assertEqual(self.ask(tokens['ada'], target), 400, self.said)
                self.assertEqual(self.ask('', target), 400, self.said)
        many = {f'X-{index}': 'y' for index in range(200)}
        self.assertEqual(self.ask(tokens['ada'], headers=many), 431, self.said)
        self.assertEqual(self.raw(b'GET / HTTP/1.1\r\nHost: x\r\nX: ' + b'y' * (1 << 20)), '431')
        twice = f'Authorization: Bearer {tokens["eve"]}\r\nAuthorization: Bearer {tokens["ada"]}'
        request = f'GET /api/v1/me HTTP/1.1\r\nHost: x\r\n{twice}\r\n\r\n'
        self.assertEqual(self.raw(request.encode()), '400')
        self.assertEqual(self.ask(tokens['ada']), 200)
        self.assert_no_token_was_said()

    def raw(self, request):
        host, port = self.served.url.split(':')
        with socket.create_connection((host, int(port)), jaque.PATIENCE) as connection:
            try:
                connection.sendall(request)
            except OSError:
                pass  # it has answered before all was sent
            return connection.makefile('rb').readline().decode().split(' ')[1]


if __name__ == '__main__':
    unittest.main()
