# SPDX-License-Identifier: Apache-2.0
"""The real binary, for tests: `jaque run`, and a process that serves.

JAQUE_BINARY names it. Nothing here waits by time alone: it reads what the process says.
"""
import http.client
import json
import os
import re
import signal
import subprocess
import threading
import urllib.parse

BINARY = os.environ.get('JAQUE_BINARY', 'build/jaque')
# Sanitized binaries are an order of magnitude slower; a hang is far longer still.
PATIENCE = float(os.environ.get('JAQUE_TEST_PATIENCE', '60'))


class Result:
    """What a command said when it ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def output(self):
        return json.loads(self.out)

    @property
    def error(self):
        """The problem details that `jaque run` prints last."""
        return json.loads(self.err.strip().splitlines()[-1])

    def __repr__(self):
        return f'exit code {self.code}\nstdout: {self.out[:4000]}\nstderr: {self.err[-4000:]}'


def command(*arguments, stdin='', environment=None, timeout=PATIENCE):
    """Runs the binary to its end."""
    done = subprocess.run([BINARY, *map(str, arguments)], input=stdin, capture_output=True,
                          text=True, timeout=timeout, check=False,
                          env={**os.environ, **(environment or {})})
    return Result(done.returncode, done.stdout, done.stderr)


def run(workflow, *flags, given=None, timeout=PATIENCE):
    """`jaque run` of a definition's text, or of the file of that name."""
    if '\n' in workflow:
        source, stdin = '-', workflow
    else:
        source, stdin = workflow, ''
    given = [] if given is None else ['-input', json.dumps(given)]
    return command('run', source, *given, *flags, stdin=stdin, timeout=timeout)


class Served:
    """A process that serves; a context manager. `post` and `get` are its HTTP API."""

    binary = BINARY

    def __init__(self, *flags, target='all'):
        self.flags = ['-target', target, '-http-listen', '127.0.0.1:0', *map(str, flags)]
        self.lines = []

    def __enter__(self):
        self.process = subprocess.Popen([self.binary, *self.flags], stderr=subprocess.PIPE,
                                        text=True)
        self.url = None
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r'listening url=http://(\S+)', line)
            self.url = found.group(1) if found else self.url
            if ' ready ' in line:
                break
        else:
            raise AssertionError('the process ended: ' + ''.join(self.lines))
        # A pipe that nobody reads would stop the process.
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr))
        self.reader.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, number=signal.SIGTERM):
        """Ends the process; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(PATIENCE)
        finally:
            self.process.kill()
        self.reader.join()
        self.process.stderr.close()
        return code

    def request(self, method, path, body=None, headers=None):
        """(status, headers, parsed body)"""
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        connection = http.client.HTTPConnection(self.url, timeout=PATIENCE)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            response = connection.getresponse()
            text = response.read().decode()
            is_json = 'json' in (response.headers['Content-Type'] or '')
            return response.status, response.headers, json.loads(text) if is_json else text
        finally:
            connection.close()

    def get(self, path):
        return self.request('GET', path)

    def post(self, path, body=None, headers=None):
        return self.request('POST', path, body, headers)

    def define(self, text):
        status, _, body = self.post('/api/v1/definitions', text)
        assert status == 201, (status, body)
        return body

    def start(self, name, given=None, **parameters):
        """Starts samples/NAME, or NAMESPACE/NAME; (status, body)."""
        name = name if '/' in name else 'samples/' + name
        query = '?' + urllib.parse.urlencode(parameters) if parameters else ''
        status, _, body = self.post(f'/api/v1/definitions/{name}/instances{query}', given)
        return status, body
