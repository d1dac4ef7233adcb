# SPDX-License-Identifier: Apache-2.0
"""A client of NATS as small as tests need it: requests, streams, what they hold."""
import base64
import json
import socket


class NatsClient:
    """One connection; a context manager. One thread."""

    def __init__(self, port):
        self.connection = socket.create_connection(('127.0.0.1', port), timeout=10)
        self.file = self.connection.makefile('rwb')
        self.file.readline()  # INFO
        self.inbox, self.count = '_INBOX.test', 0
        options = {'verbose': False, 'pedantic': False, 'headers': True, 'no_responders': True}
        self.write(f'CONNECT {json.dumps(options)}\r\nSUB {self.inbox}.* 1\r\n')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.connection.close()

    def write(self, text):
        self.file.write(text.encode())
        self.file.flush()

    def request(self, subject, body=''):
        """The answer, as JSON."""
        self.count += 1
        reply = f'{self.inbox}.{self.count}'
        self.write(f'PUB {subject} {reply} {len(body.encode())}\r\n{body}\r\n')
        while True:
            words = self.file.readline().decode().split()
            if not words:
                raise ConnectionError('the server has closed the connection')
            if words[0] == 'PING':
                self.write('PONG\r\n')
            if words[0] not in ('MSG', 'HMSG'):
                continue
            size = int(words[-1])
            head = int(words[-2]) if words[0] == 'HMSG' else 0
            data = self.file.read(size + 2)[head:-2]
            if words[1] == reply:
                return json.loads(data) if data else {'error': {'code': 503}}

    def add_stream(self, name, subjects):
        answer = self.request(f'$JS.API.STREAM.CREATE.{name}', json.dumps(
            {'name': name, 'subjects': [subjects], 'storage': 'memory'}))
        assert 'error' not in answer, answer

    def messages(self, name):
        """All that a stream holds: (subject, headers, body)."""
        state = self.request(f'$JS.API.STREAM.INFO.{name}')['state']
        found = []
        for sequence in range(max(1, state['first_seq']), state['last_seq'] + 1):
            answer = self.request(f'$JS.API.STREAM.MSG.GET.{name}', json.dumps({'seq': sequence}))
            message = answer['message']
            lines = base64.b64decode(message.get('hdrs', '')).decode().split('\r\n')[1:]
            headers = dict(line.split(': ', 1) for line in lines if ': ' in line)
            body = base64.b64decode(message.get('data', '')).decode()
            found.append((message['subject'], headers, body))
        return found
