# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server in a folder of its own, run by an unprivileged user, for tests."""
import glob
import os
import pwd
import shutil
import subprocess
import tempfile

import cluster

BINARIES = max(glob.glob('/usr/lib/postgresql/*/bin'), default='')
# It refuses to run as root.
USER = 'postgres' if os.getuid() == 0 else None


def reason_to_skip():
    """Why it cannot run here, or an empty text."""
    if not BINARIES or not os.path.exists(os.path.join(BINARIES, 'initdb')):
        return 'skipped: the PostgreSQL server is not installed'
    if USER and USER not in {one.pw_name for one in pwd.getpwall()}:
        return f'skipped: PostgreSQL does not run as root, and there is no user {USER}'
    return ''


class Postgres:
    """A context manager; `url` is its database."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='jaque-postgres-')
        if USER:
            shutil.chown(self.folder, USER)
        self.data = os.path.join(self.folder, 'data')
        self.port, = cluster.free_ports(1)
        self.url = f'postgres://jaque@127.0.0.1:{self.port}/postgres'

    def __enter__(self):
        try:
            self.run('initdb', '-D', self.data, '-U', 'jaque', '-A', 'trust', '-E', 'UTF8',
                     '--locale', 'C', '-N')
            self.start()
        except BaseException:
            shutil.rmtree(self.folder)
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder)

    def run(self, program, *words):
        done = subprocess.run([os.path.join(BINARIES, program), *map(str, words)], user=USER,
                              cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, check=False)
        assert done.returncode == 0, (program, done.stderr)

    def start(self):
        self.run('pg_ctl', '-D', self.data, '-w', '-l', os.path.join(self.folder, 'log'), '-o',
                 f'-p {self.port} -h 127.0.0.1 -k {self.folder}', 'start')

    def stop(self, mode='immediate'):
        """`immediate`: as by a crash."""
        self.run('pg_ctl', '-D', self.data, '-w', '-m', mode, 'stop')
