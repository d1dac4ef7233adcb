#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten thousand wrong requests: none is answered by 500, none hangs, none is told a secret or stays
in memory.

JAQUE_SEED chooses the requests, JAQUE_FUZZ_REQUESTS how many.
"""
import concurrent.futures
import http.client
import json
import os
import random
import socket
import sys
import tempfile
import unittest
import urllib.parse

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
from contract_test import RHYTHM, STEPS, YAML  # noqa: E402
from exchanges import METHODS, fetch  # noqa: E402

SEED = int(os.environ.get('JAQUE_SEED', '0')) or random.SystemRandom().randrange(1, 1 << 31)
REQUESTS = int(os.environ.get('JAQUE_FUZZ_REQUESTS', '10000'))
CLIENTS = 4
SECRET = 'fuzz-secret-4c1d'
RSS_GROWTH_KIB = 200 << 10  # what caches and arenas may take; a leak of each request is far more

TEXTS = ['', ' ', '0', '-1', '1e999', 'null', 'true', '\x00', '\u00e9', '\U0001f600', '..', '../..',
         '%', '%zz', '%00', '%2f', "' OR 1=1 --", '"', '<script>', '{}', '[]', 'a' * 300,
         '9' * 400, '2026-13-45T99:99:99Z', '2026-01-01T00:00:00Z', 'latest', 'api', 'steps',
         'rhythm', '1.0.0', 'command-1', 'command-99999999999999999999', 'running', 'key:value',
         '18446744073709551616', '10s', '-5s', '*', ':', '/', '\\', '\r\nX: y']
BODIES = [b'', b'{', b'[]', b'null', b'{}', b'"x"', b'\xff\xfe', b'{"a":' * 5000, b'[' * 20000,
          b'{"reason":1}', b'a: &a [*a]', b'0' * 70000, b'{"expression":"[limit(1e9;repeat(1))]"}',
          b'{"expression":"$secrets.tok"}', b'{"expression":"[env, $ENV, $secrets]"}',
          b'{"expression":"' + b'(' * 500 + b'"}', b'{"expression":". as [$a] | $a","input":{}}']
HEADERS = ['Accept', 'Accept-Encoding', 'Authorization', 'Content-Type', 'If-Match',
           'If-None-Match', 'Idempotency-Key', 'Last-Event-ID', 'Origin', 'Range', 'ce-id',
           'ce-specversion', 'ce-type', 'ce-source', 'X-Forwarded-For', 'Expect']
TYPES = ['application/json', 'application/yaml', 'text/plain', 'application/cloudevents+json',
         'application/cloudevents-batch+json', 'multipart/form-data; boundary=x', ';;;', '']


class Maker:
    """Requests of one seed: documented ones with something wrong in them, and noise."""

    def __init__(self, document, seed):
        self.random = random.Random(seed)
        self.document = document
        self.operations = list(document.operations())

    def text(self):
        return self.random.choice(TEXTS)

    def value(self, depth=0):
        kind = self.random.randrange(7 if depth < 4 else 5)
        if kind == 5:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        if kind == 6:
            return {self.text(): self.value(depth + 1) for _ in range(self.random.randrange(4))}
        return [None, True, self.random.randrange(-9, 1 << 40), 1e308, self.text()][kind]

    def of_schema(self, schema, depth=0):
        """Something like the schema says, sometimes not."""
        schema = self.document.resolve(schema)
        if self.random.random() < 0.2 or depth > 5:
            return self.value()
        if 'enum' in schema:
            return self.random.choice(schema['enum'])
        if schema.get('type') == 'object':
            return {name: self.of_schema(part, depth + 1)
                    for name, part in schema.get('properties', {}).items()
                    if self.random.random() < 0.6}
        if schema.get('type') == 'array':
            return [self.of_schema(schema.get('items', {}), depth + 1)
                    for _ in range(self.random.randrange(3))]
        if schema.get('type') in ('integer', 'number'):
            return self.random.choice([0, 1, -1, 1 << 62, 0.5])
        return self.text()

    def body(self, operation):
        content = self.document.resolve(operation.get('requestBody', {})).get('content', {})
        if not content or self.random.random() < 0.3:
            return self.random.choice(BODIES)
        kind = self.random.choice(sorted(content))
        if 'yaml' in kind:
            text = list(STEPS)
            for _ in range(self.random.randrange(6)):
                text[self.random.randrange(len(text))] = self.random.choice('{}[]:-\n \'"&*!|>x1')
            return ''.join(text).encode()
        return json.dumps(self.of_schema(content[kind]['schema'])).encode()

    def make(self):
        method, path, operation = self.random.choice(self.operations)
        if self.random.random() < 0.1:
            method = self.random.choice(METHODS + ('head', 'options', 'trace')).upper()
        item = self.document.document['paths'][path]
        parameters = [self.document.resolve(one) for one in
                      item.get('parameters', []) + operation.get('parameters', [])]
        query, headers = [], {}
        for one in parameters:
            value = self.of_schema(one['schema'])
            value = value if isinstance(value, str) else json.dumps(value)
            if one['in'] == 'path':
                good = self.random.choice(['api', 'steps', 'rhythm', 'fuzz-1'])
                value = good if self.random.random() < 0.5 else value
                path = path.replace('{%s}' % one['name'], urllib.parse.quote(value, safe='%'))
            elif self.random.random() < 0.5:
                if one['in'] == 'query':
                    query.append(one['name'] + '=' + urllib.parse.quote(value, safe='%'))
                else:
                    headers[one['name']] = value
        if self.random.random() < 0.1:
            query.append(urllib.parse.quote(self.text(), safe='%='))
        # A wait, or a stream, is no hang.
        query = [part for part in query if not part.startswith('wait=')]
        for _ in range(self.random.randrange(3)):
            headers[self.random.choice(HEADERS)] = self.text()
        if self.random.random() < 0.8:
            headers['Content-Type'] = self.random.choice(TYPES)
        headers = {name: value.encode('ascii', 'ignore').decode().replace('\r\n', ' ')
                   .replace('\x00', '') for name, value in headers.items()}
        headers.pop('Expect', None)
        target = path + ('?' + '&'.join(query) if query else '')
        return method, target, self.body(operation), headers


def resident(pid):
    with open(f'/proc/{pid}/status', encoding='ascii') as status:
        return next(int(line.split()[1]) for line in status if line.startswith('VmRSS'))


class FuzzTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, 'tok'), 'w', encoding='ascii') as file:
            file.write(SECRET)
        self.served = jaque.Served('-secrets-dir', folder.name)
        self.served.__enter__()
        self.addCleanup(self.served.stop)
        for text in (STEPS, RHYTHM):
            self.assertEqual(self.served.post('/api/v1/definitions', text, YAML)[0], 201)
        self.document = fetch(self.served)

    def send(self, seed, count):
        """The answers that are wrong."""
        maker, wrong, statuses = Maker(self.document, seed), [], set()
        connection = http.client.HTTPConnection(self.served.url, timeout=jaque.PATIENCE)
        for number in range(count):
            method, target, body, headers = maker.make()
            try:
                connection.request(method, target, body=body, headers=headers)
                response = connection.getresponse()
                if response.headers['Content-Type'] == 'text/event-stream':
                    connection.close()
                elif SECRET.encode() in response.read():
                    wrong.append((seed, number, method, target, 'says a secret'))
                statuses.add(response.status)
                if response.status >= 500 and response.status != 503:
                    wrong.append((seed, number, method, target, response.status))
            except socket.timeout:
                wrong.append((seed, number, method, target, 'hangs'))
                connection.close()
            except (http.client.HTTPException, ValueError, OSError):
                connection.close()  # closed after what was no HTTP, or not sent at all
        connection.close()
        return wrong, statuses

    def test_wrong_requests(self):
        print(f'JAQUE_SEED={SEED}', file=sys.stderr)
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
            def run(first, count):
                done = [clients.submit(self.send, SEED + first + index, count)
                        for index in range(CLIENTS)]
                return [one.result() for one in done]
            warm = run(0, REQUESTS // 4 // CLIENTS)
            before = resident(self.served.process.pid)
            rest = run(CLIENTS, REQUESTS * 3 // 4 // CLIENTS)
        wrong = [one for found, _ in warm + rest for one in found]
        self.assertEqual(wrong, [])
        statuses = set().union(*(seen for _, seen in rest))
        self.assertLessEqual({200, 400, 404}, statuses)
        self.assertEqual(self.served.get('/healthz')[0], 200)
        self.assertEqual(self.served.get('/readyz')[0], 200)
        self.assertNotIn(SECRET, ''.join(self.served.lines))
        grown = resident(self.served.process.pid) - before
        self.assertLess(grown, RSS_GROWTH_KIB, f'{grown} KiB more')


if __name__ == '__main__':
    unittest.main()
