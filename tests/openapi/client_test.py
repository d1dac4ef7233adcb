#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client generated of the OpenAPI document (openapi-typescript): type-checked, then run.

Its npm packages are installed as the lock file says into a folder of this test; without a registry
the test is skipped.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402

PATIENCE = 300  # of npm


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                          timeout=PATIENCE)
    return done.returncode, done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory(prefix='jaque-client-') as folder:
        for name in ('package.json', 'package-lock.json', 'tsconfig.json', 'client.ts'):
            shutil.copy(os.path.join(HERE, name), folder)
        code, said = run(folder, 'npm', 'ci', '--no-audit', '--no-fund')
        if code != 0:
            print(f'skipped: npm ci: {said[-500:]}')
            return 77
        with jaque.Served() as served:
            document = os.path.join(folder, 'openapi.yaml')
            with open(document, 'w', encoding='utf-8') as file:
                file.write(served.get('/api/v1/openapi.yaml')[2])
            for command in (['npx', 'openapi-typescript', document, '-o', 'schema.d.ts'],
                            ['npx', 'tsc'], ['node', 'client.js', f'http://{served.url}']):
                code, said = run(folder, *command)
                assert code == 0, f'{command}: {said}'
            assert 'the generated client works' in said, said
    return 0


if __name__ == '__main__':
    sys.exit(main())
