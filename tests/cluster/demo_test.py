#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make cluster` as a person plays with it: kill an engine, start it again, Ctrl-C."""
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402

DEMO = os.path.join(ROOT, 'deploy', 'cluster.py')
# Reaches a worker, so that every role takes part.
GREET = '''
document: {dsl: '1.0.3', namespace: demo, name: greet, version: '1.0.0'}
do:
  - greet:
      run:
        shell:
          command: 'printf "Hello %s" "$1"'
          arguments: ['${ .name }']
'''


class Demo:
    """The script and what it has printed."""

    def __init__(self, folder, **environment):
        self.process = subprocess.Popen(
            [sys.executable, '-u', DEMO], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env={**os.environ, 'JAQUE_BINARY': jaque.BINARY, 'TMPDIR': folder,
                            'LISTEN': '127.0.0.1:0', **environment})
        self.seen, self.lines = [], queue.Queue()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def expect(self, pattern):
        """The match in a line that comes now or later."""
        deadline = time.monotonic() + 2 * jaque.PATIENCE
        while True:
            try:
                line = self.lines.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                raise AssertionError(f'"{pattern}" was not said:\n' + ''.join(self.seen))
            self.seen.append(line)
            found = re.search(pattern, line)
            if found:
                return found

    def close(self):
        if self.process.poll() is None:
            self.process.kill()  # the others end with it
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


def running(folder):
    """Pid and command line of what names the folder."""
    found = {}
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', encoding='utf-8', errors='replace') as file:
                words = file.read().replace('\0', ' ')
        except OSError:
            continue
        if folder in words:
            found[int(pid)] = words
    return found


class DemoTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='jaque-demo-test-')
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.addCleanup(self.kill_what_is_left)

    def kill_what_is_left(self):
        for pid in running(self.folder):
            os.kill(pid, signal.SIGKILL)

    def post(self, path, body, patience=jaque.PATIENCE):
        """The answer's JSON; a cluster that is busy with a change may say 503 for a while."""
        deadline = time.monotonic() + patience
        while True:
            try:
                with urllib.request.urlopen(urllib.request.Request(
                        self.ui + path, data=body.encode(), method='POST',
                        headers={'Content-Type': 'application/yaml'}), timeout=90) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                with error:
                    said = error.read().decode()
                if error.code not in (429, 503) or time.monotonic() > deadline:
                    raise AssertionError(f'{error.code} {said}') from error

    def greet(self, name):
        ended = self.post('/api/v1/definitions/demo/greet/instances?wait=60s',
                          json.dumps({'name': name}))
        self.assertEqual((ended['status'], ended.get('output')), ('completed', 'Hello ' + name))

    def test_a_killed_engine_gives_its_shards_to_the_others(self):
        demo = Demo(self.folder)
        self.addCleanup(demo.close)
        victim = demo.expect(r'^engine-2 +http://\S+ +(\d+) +kill -9 \d+; (sh \S+) &')
        self.ui = demo.expect(r'The API is at (http://\S+)').group(1)
        demo.expect('engine-1 owns [^0].*engine-2 owns [^0].*engine-3 owns [^0]'
                    '.*; 3 members, 128 shards owned')
        self.post('/api/v1/definitions', GREET)
        self.greet('Ada')

        os.kill(int(victim.group(1)), signal.SIGKILL)
        demo.expect(r'engine-2 \(pid \d+\) ended by SIGKILL')
        demo.expect('engine-2 is down.*; 2 members, 128 shards owned')
        self.greet('Bob')

        # As a person does in another terminal; what they start ends with the rest all the same.
        subprocess.run(victim.group(2).split(), check=True, timeout=jaque.PATIENCE,
                       start_new_session=True)
        demo.expect('engine-2 runs again')
        demo.expect('engine-2 owns [^0].*; 3 members, 128 shards owned')
        self.greet('Cy')

        demo.process.send_signal(signal.SIGINT)
        demo.expect('everything has ended')
        self.assertEqual(demo.process.wait(jaque.PATIENCE), 0)
        self.assertEqual(running(self.folder), {})
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_binary_that_is_missing_is_said_in_words(self):
        demo = Demo(self.folder, JAQUE_BINARY='/nowhere/jaque')
        self.addCleanup(demo.close)
        demo.expect('/nowhere/jaque is not there: make build')
        self.assertEqual(demo.process.wait(jaque.PATIENCE), 3)


if __name__ == '__main__':
    unittest.main()
