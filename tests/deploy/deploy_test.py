#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""deploy/ holds together: manifests, image, alerts and dashboard against the real binary's flags
and metrics. Offline; a tool that is not here is named and what it would check is skipped."""
import copy
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import jaque  # noqa: E402
import manifests  # noqa: E402
from manifests import of_kind  # noqa: E402

DEPLOY = os.path.join(ROOT, 'deploy')
BASE = os.path.join(DEPLOY, 'kubernetes')
SUFFIX = re.compile(r'_(bucket|sum|count)$')
# Part of every Debian, or of g++'s own runtime, which apt itself needs.
ALWAYS = {'libc6', 'libgcc-s1', 'libstdc++6'}


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()


def tool(name):
    found = shutil.which(name, path=os.environ.get('PATH', '') + ':/usr/sbin:/usr/bin')
    if not found:
        raise unittest.SkipTest(f'skipped: {name} is not installed')
    return found


def output(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, timeout=jaque.PATIENCE,
                          check=False, **options)
    return done.returncode, done.stdout + done.stderr


def flags():
    return set(re.findall(r'^  -([a-z-]+)', jaque.command('help').out, re.M))


class KubernetesTest(unittest.TestCase):
    def setUp(self):
        self.objects = manifests.build(BASE)
        self.flags = flags()

    def problems(self, objects=None):
        return manifests.problems(objects or self.objects, self.flags)

    def test_the_base_names_every_file_and_no_other(self):
        kustomization, = manifests.read(os.path.join(BASE, 'kustomization.yaml'))
        files = {name for one in kustomization['configMapGenerator']
                 for name in one.get('files', [])}
        self.assertEqual({'kustomization.yaml', *kustomization['resources'], *files},
                         set(os.listdir(BASE)))

    def test_nothing_is_wrong_with_it(self):
        self.assertEqual(self.problems(), [])

    def test_each_role_that_is_built_has_a_deployment(self):
        roles = {one['spec']['template']['spec']['containers'][0]['args'][1]
                 for one in of_kind(self.objects, 'Deployment')}
        for role in 'engine', 'worker', 'ui', 'sink', 'notifier':
            said = jaque.command('-target', role, '-queue', 'nowhere').err
            with self.subTest(role):
                self.assertEqual('not built yet' not in said, role in roles, said)

    def test_kustomize_builds_the_same(self):
        built = 0
        for words in ['kubectl', 'kustomize'], ['kustomize', 'build']:
            if not shutil.which(words[0]):
                print(f'skipped: {words[0]} is not installed; the base was read without it')
                continue
            code, text = output(*words, BASE)
            self.assertEqual(code, 0, text)
            objects = list(yaml.safe_load_all(text))
            self.assertEqual(self.problems(objects), [])
            plain = lambda name: re.sub(  # noqa: E731
                r'^(nats-config|jaque-config|jaque-notify-rules)-\w+$', r'\1', name)
            self.assertEqual(
                sorted((one['kind'], plain(one['metadata']['name'])) for one in objects),
                sorted((one['kind'], one['metadata']['name']) for one in self.objects))
            built += 1
        if not built:
            self.skipTest('skipped: neither kubectl nor kustomize is installed')

    def test_the_binary_takes_what_its_pods_give_it(self):
        for owner, _, spec in manifests.pods(self.objects):
            container = spec['containers'][0]
            if 'command' in container:
                continue
            environment = manifests.environment_of(self.objects, container)
            words = [word.replace('$(POD_NAME)', 'p') for word in map(str, container['args'])]
            # The address of the queue is looked at after all others were read.
            result = jaque.command(*words, environment={**environment, 'JAQUE_QUEUE': 'nowhere'})
            with self.subTest(owner):
                self.assertEqual(result.code, 2, result)
                self.assertIn('-queue nowhere: write memory, or nats://', result.err)

    def test_nats_server_takes_its_configuration(self):
        code, said = output(tool('nats-server'), '-t', '-c', os.path.join(BASE, 'nats.conf'))
        self.assertEqual(code, 0, said)

    def test_nats_has_as_many_servers_as_streams_have_replicas(self):
        servers, = of_kind(self.objects, 'StatefulSet')
        settings = {}
        for one in of_kind(self.objects, 'ConfigMap'):
            settings.update(one['data'])
        self.assertEqual(int(settings['JAQUE_NATS_REPLICAS']), servers['spec']['replicas'])
        routes = re.findall(r'nats://(nats-\d)\.(\S+):6222', settings['nats.conf'])
        self.assertEqual(routes, [(f'nats-{i}', servers['spec']['serviceName'])
                                  for i in range(servers['spec']['replicas'])])
        store = int(re.search(r'max_file_store: (\d+)G', settings['nats.conf']).group(1))
        claim = servers['spec']['volumeClaimTemplates'][0]['spec']['resources']['requests']
        self.assertLess(store, int(claim['storage'].removesuffix('Gi')))

    def test_what_is_wrong_is_found(self):
        def engine(objects):
            return next(one['spec'] for one in objects
                        if manifests.title(one) == 'Deployment jaque-engine')

        def container(objects):
            return engine(objects)['template']['spec']['containers'][0]

        def named(objects, wanted):
            return next(one for one in objects if manifests.title(one) == wanted)

        wrong = {
            'a selector': lambda all: engine(all)['selector']['matchLabels'].update(x='y'),
            'a flag': lambda all: container(all)['args'].append('-nowhere'),
            'a variable': lambda all: container(all)['args'].append('$(NOWHERE)'),
            'a map': lambda all: container(all)['envFrom'][0]['configMapRef'].update(name='x'),
            'a flag of the map':
                lambda all: named(all, 'ConfigMap jaque-config')['data'].update(JAQUE_X='1'),
            'a port of a Service':
                lambda all: named(all, 'Service jaque')['spec']['ports'][0].update(targetPort='x'),
            'a port of a policy': lambda all: named(all, 'NetworkPolicy nats')['spec']['ingress'][0]
                ['ports'][0].update(port='x'),
            'pods of a policy': lambda all: named(all, 'NetworkPolicy nats')['spec']['ingress'][0]
                ['from'][0]['podSelector']['matchLabels'].update(x='y'),
            'a probe': lambda all: container(all)['readinessProbe']['httpGet'].update(path='/'),
            'grace': lambda all: engine(all)['template']['spec'].update(
                terminationGracePeriodSeconds=20),
            'root': lambda all: engine(all)['template']['spec']['securityContext'].pop(
                'runAsNonRoot'),
            'a scaler': lambda all: named(all, 'HorizontalPodAutoscaler jaque-worker')['spec']
                ['scaleTargetRef'].update(name='x'),
            'a volume': lambda all: container(all).update(volumeMounts=[{'name': 'x'}]),
            'a budget': lambda all: named(all, 'PodDisruptionBudget nats')['spec']['selector']
                ['matchLabels'].update(x='y'),
            'a name': lambda all: all.append(all[1]),
        }
        for what, change in wrong.items():
            objects = copy.deepcopy(self.objects)
            change(objects)
            with self.subTest(what):
                self.assertNotEqual(self.problems(objects), [])


class ImageTest(unittest.TestCase):
    def test_it_copies_files_that_are_there(self):
        for line in re.findall(r'^COPY (?!--from)(.*)$', text_of('deploy', 'Dockerfile'), re.M):
            for name in line.split()[:-1]:
                self.assertTrue(os.path.exists(os.path.join(ROOT, name)), name)

    def test_its_packages_hold_the_libraries_that_the_binary_asks_for(self):
        objdump, dpkg = tool('objdump'), tool('dpkg')
        _, said = output(objdump, '-p', jaque.BINARY)
        needed = set(re.findall(r'NEEDED +(\S+)', said))
        self.assertTrue(needed)
        if any('san.so' in name for name in needed):
            self.skipTest('skipped: the binary is instrumented and asks for more')
        _, said = output(dpkg, '-S', *[f'*/{name}' for name in needed])
        packages = {name: {line.split(':')[0] for line in said.splitlines()
                           if line.endswith('/' + name)} for name in needed}
        listed = {line for line in text_of('deploy', 'runtime-packages.txt').splitlines()
                  if line and not line.startswith('#')}
        for name, owners in packages.items():
            with self.subTest(name):
                self.assertTrue(owners & (listed | ALWAYS), f'{name} is in {owners}')
        used = set().union(*packages.values())
        self.assertEqual(listed - used, {'ca-certificates'})


class PrometheusTest(unittest.TestCase):
    def setUp(self):
        source = text_of('base', 'metrics.cc')
        self.metrics = set(re.findall(r'"(jaque_[a-z0-9_]+)"', source))
        self.histograms = set(re.findall(r'Histogram\(registry,\s*"(jaque_[a-z0-9_]+)"', source))

    def check_expression(self, expression):
        names = re.findall(r'\bjaque_[a-z0-9_]+', expression)
        self.assertTrue(names or 'up{' in expression, expression)
        for name in names:
            plain = SUFFIX.sub('', name)
            known = name in self.metrics or plain in self.histograms
            self.assertTrue(known, f'no metric {name}: {expression}')
            self.assertFalse(name in self.histograms, f'{name} is a histogram: {expression}')

    def test_alerts_name_metrics_that_are_there(self):
        rules, = manifests.read(os.path.join(DEPLOY, 'prometheus', 'alerts.yaml'))
        for rule in rules['groups'][0]['rules']:
            self.check_expression(rule['expr'])
            self.assertIn(rule['labels']['severity'], ('page', 'ticket'))
            # What the reader of an alert looks up.
            self.assertIn(rule['alert'], text_of('docs', 'operations.md'))

    def test_the_dashboard_names_metrics_that_are_there(self):
        dashboard = json.loads(text_of('deploy', 'grafana', 'cluster.json'))
        shown = set()
        for panel in dashboard['panels']:
            for target in panel['targets']:
                self.check_expression(target['expr'])
                shown |= {SUFFIX.sub('', name)
                          for name in re.findall(r'\bjaque_[a-z0-9_]+', target['expr'])}
        spots = [tuple(panel['gridPos'].values()) for panel in dashboard['panels']]
        self.assertEqual(len(spots), len(set(spots)))

    def test_every_metric_is_explained(self):
        explained = text_of('docs', 'operations.md')
        self.assertEqual({name for name in self.metrics if f'`{name}' not in explained}, set())

    def test_promtool_takes_the_alerts(self):
        promtool = tool('promtool')
        code, said = output(promtool, 'check', 'rules',
                            os.path.join(DEPLOY, 'prometheus', 'alerts.yaml'))
        self.assertEqual(code, 0, said)
        code, said = output(promtool, 'test', 'rules', os.path.join(HERE, 'alerts_test.yaml'))
        self.assertEqual(code, 0, said)

    def test_promtool_takes_the_configuration(self):
        promtool = tool('promtool')
        config, = manifests.read(os.path.join(DEPLOY, 'prometheus', 'prometheus.yaml'))
        with tempfile.TemporaryDirectory() as folder:
            for name in glob.glob(os.path.join(DEPLOY, 'prometheus', '*')):
                shutil.copy(name, folder)
            path = os.path.join(folder, 'prometheus.yaml')
            code, said = output(promtool, 'check', 'config', path)
            if 'kubernetes_sd_configs not found' in said:
                # Debian builds it without Kubernetes; the rest is looked at all the same.
                print('skipped: this promtool knows no kubernetes_sd_configs')
                del config['scrape_configs'][0]['kubernetes_sd_configs']
                with open(path, 'w', encoding='utf-8') as file:
                    yaml.safe_dump(config, file)
                code, said = output(promtool, 'check', 'config', path)
        self.assertEqual(code, 0, said)


if __name__ == '__main__':
    unittest.main()
