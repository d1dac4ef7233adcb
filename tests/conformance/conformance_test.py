#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the DSL's conformance kit (README, "Tests"): the Gherkin features in the folder that
JAQUE_CTK_DIR names, unchanged, with the steps of this folder. Exit code 77: no folder is named.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCENARIOS = 21


def main():
    kit = os.environ.get('JAQUE_CTK_DIR', '')
    if not kit:
        print('skipped: JAQUE_CTK_DIR names no folder; README, "Tests", says where the kit is from')
        return 77
    features = sorted(glob.glob(os.path.join(kit, '**', '*.feature'), recursive=True))
    if not features:
        print(f'JAQUE_CTK_DIR is {kit}, and there is no .feature file in it')
        return 1
    with tempfile.TemporaryDirectory() as folder:
        # behave wants features and steps in one folder.
        for feature in features:
            shutil.copy(feature, folder)
        for name in ('environment.py', 'stand_in_hosts.py'):
            shutil.copy(os.path.join(HERE, name), folder)
        shutil.copytree(os.path.join(HERE, 'steps'), os.path.join(folder, 'steps'))
        environment = {**os.environ, 'JAQUE_SUPPORT': os.path.join(HERE, '..', 'support')}
        done = subprocess.run([sys.executable, '-m', 'behave', '--no-capture', '--no-color',
                               '--format', 'progress2', '--no-skipped', folder],
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
    print(done.stdout)
    passed = re.search(r'(\d+) scenarios? passed', done.stdout)
    count = int(passed.group(1)) if passed else 0
    print(f'{count} of {SCENARIOS} scenarios passed')
    return 0 if done.returncode == 0 and count >= SCENARIOS else 1


if __name__ == '__main__':
    sys.exit(main())
