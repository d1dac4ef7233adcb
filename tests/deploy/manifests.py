# SPDX-License-Identifier: Apache-2.0
"""Kubernetes objects as kustomize would build them, and what is wrong with them.

`problems(objects, flags)` lists in words what the API server takes without a complaint and nobody
wants: references to nothing, selectors that select nothing, flags that jaque does not have.
"""
import os
import re

import yaml

POD_OWNERS = ('Deployment', 'StatefulSet')
SECONDS = {'s': 1, 'm': 60}


def read(path):
    with open(path, encoding='utf-8') as file:
        return [one for one in yaml.safe_load_all(file) if one is not None]


def build(folder):
    """What `kustomize build` yields for our base, but for the hashes in names of ConfigMaps."""
    kustomization, = read(os.path.join(folder, 'kustomization.yaml'))
    objects = [one for name in kustomization['resources']
               for one in read(os.path.join(folder, name))]
    for generator in kustomization.get('configMapGenerator', []):
        data = dict(literal.split('=', 1) for literal in generator.get('literals', []))
        for name in generator.get('files', []):
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                data[name] = file.read()
        objects.append({'apiVersion': 'v1', 'kind': 'ConfigMap', 'data': data,
                        'metadata': {'name': generator['name']}})
    for one in objects:
        if one['kind'] != 'Namespace':
            one['metadata']['namespace'] = kustomization['namespace']
    return objects


def of_kind(objects, *kinds):
    return [one for one in objects if one['kind'] in kinds]


def title(one):
    return f"{one['kind']} {one['metadata']['name']}"


def pods(objects):
    """(name of the owner, labels, pod's spec) of each template."""
    return [(title(one), one['spec']['template']['metadata']['labels'],
             one['spec']['template']['spec']) for one in of_kind(objects, *POD_OWNERS)]


def selected(objects, selector):
    return [pod for pod in pods(objects) if selector.items() <= pod[1].items()]


def ports_of(spec):
    return {port['name']: port['containerPort']
            for container in spec['containers'] for port in container.get('ports', [])}


def seconds(text):
    number, unit = re.fullmatch(r'(\d+)([sm])', text).groups()
    return int(number) * SECONDS[unit]


def environment_of(objects, container):
    """The environment that ConfigMaps give."""
    maps = {one['metadata']['name']: one.get('data', {}) for one in of_kind(objects, 'ConfigMap')}
    merged = {}
    for source in container.get('envFrom', []):
        merged.update(maps.get(source.get('configMapRef', {}).get('name'), {}))
    return merged


class Checker:
    def __init__(self, objects, flags):
        self.objects, self.flags, self.found = objects, flags, []

    def want(self, good, text):
        if not good:
            self.found.append(text)

    def check(self):
        self.check_names()
        self.check_selectors()
        self.check_services()
        self.check_scalers()
        for owner, _, spec in pods(self.objects):
            self.check_pod(owner, spec)
        for one in of_kind(self.objects, 'Deployment'):
            self.check_rollout(one)
        return self.found

    def check_names(self):
        names = [(one['kind'], one['metadata']['name']) for one in self.objects]
        for name in set(names):
            self.want(names.count(name) == 1, f'{name} is there twice')
        spaces = {one['metadata'].get('namespace') for one in self.objects
                  if one['kind'] != 'Namespace'}
        made = {one['metadata']['name'] for one in of_kind(self.objects, 'Namespace')}
        self.want(spaces == made, f'namespaces {spaces} are used, {made} are made')

    def check_selectors(self):
        for one in of_kind(self.objects, *POD_OWNERS):
            selector = one['spec']['selector']['matchLabels']
            owners = [pod[0] for pod in selected(self.objects, selector)]
            self.want(owners == [title(one)], f'{title(one)} selects the pods of {owners}')
        for one in of_kind(self.objects, 'PodDisruptionBudget'):
            selector = one['spec']['selector']['matchLabels']
            owners = selected(self.objects, selector)
            self.want(len(owners) == 1, f'{title(one)} selects {len(owners)} sets of pods')
        for one in of_kind(self.objects, 'NetworkPolicy'):
            self.check_policy(one)

    def check_policy(self, policy):
        spec = policy['spec']
        subjects = selected(self.objects, spec['podSelector'].get('matchLabels', {}))
        self.want(subjects, f'{title(policy)} selects no pods')
        for rule in spec.get('ingress', []):
            self.check_peers(policy, rule, 'from', subjects)
        for rule in spec.get('egress', []):
            peers = [peer['podSelector']['matchLabels'] for peer in rule.get('to', [])
                     if 'podSelector' in peer]
            targets = [pod for labels in peers for pod in selected(self.objects, labels)]
            self.check_peers(policy, rule, 'to', targets or None)

    def check_peers(self, policy, rule, side, listeners):
        for peer in rule.get(side, []):
            if 'podSelector' in peer and 'namespaceSelector' not in peer:
                self.want(selected(self.objects, peer['podSelector']['matchLabels']),
                          f'{title(policy)} names pods that are not there')
        for port in rule.get('ports', []) if listeners is not None else []:
            self.want(all(port['port'] in ports_of(pod[2]) for pod in listeners),
                      f"{title(policy)}: no port {port['port']}")

    def check_services(self):
        for one in of_kind(self.objects, 'Service'):
            targets = selected(self.objects, one['spec']['selector'])
            self.want(len(targets) == 1, f'{title(one)} selects {len(targets)} sets of pods')
            for _, _, spec in targets:
                for port in one['spec']['ports']:
                    self.want(port['targetPort'] in ports_of(spec),
                              f"{title(one)}: no port {port['targetPort']}")
        services = {one['metadata']['name'] for one in of_kind(self.objects, 'Service')}
        for one in of_kind(self.objects, 'StatefulSet'):
            self.want(one['spec']['serviceName'] in services, f'{title(one)} has no Service')

    def check_scalers(self):
        owners = {title(one): one for one in of_kind(self.objects, *POD_OWNERS)}
        for one in of_kind(self.objects, 'HorizontalPodAutoscaler'):
            target = one['spec']['scaleTargetRef']
            owner = owners.get(f"{target['kind']} {target['name']}")
            self.want(owner is not None, f'{title(one)} scales nothing')
            self.want(owner is None or 'replicas' not in owner['spec'],
                      f'{title(one)}: each apply would undo what it did')

    def check_rollout(self, one):
        spec = one['spec']
        rolling = spec.get('strategy', {}).get('rollingUpdate', {})
        self.want(rolling.get('maxUnavailable') == 1, f'{title(one)}: more than one goes at a time')
        annotations = spec['template']['metadata'].get('annotations', {})
        ports = ports_of(spec['template']['spec']).values()
        self.want(int(annotations.get('prometheus.io/port', 0)) in ports,
                  f'{title(one)}: no such port to scrape')

    def check_pod(self, owner, spec):
        wanted = lambda good, text: self.want(good, f'{owner}: {text}')  # noqa: E731
        context = spec.get('securityContext', {})
        wanted(context.get('runAsNonRoot') and context.get('runAsUser', 0) > 0, 'runs as root')
        wanted(context.get('seccompProfile', {}).get('type') == 'RuntimeDefault', 'no seccomp')
        wanted(spec.get('automountServiceAccountToken') is False, 'gets a token of the API')
        maps = {one['metadata']['name'] for one in of_kind(self.objects, 'ConfigMap')}
        volumes = {volume['name'] for volume in spec.get('volumes', [])}
        for volume in spec.get('volumes', []):
            wanted('configMap' not in volume or volume['configMap']['name'] in maps,
                   f"volume {volume['name']} names no ConfigMap")
        for one in self.objects:
            if title(one) == owner:
                volumes |= {claim['metadata']['name']
                            for claim in one['spec'].get('volumeClaimTemplates', [])}
        for container in spec['containers']:
            self.check_container(wanted, spec, container, volumes, maps)

    def check_container(self, wanted, spec, container, volumes, maps):
        context = container.get('securityContext', {})
        wanted(context.get('readOnlyRootFilesystem') is True, 'the root file system is writable')
        wanted(context.get('allowPrivilegeEscalation') is False, 'may gain privileges')
        wanted(context.get('capabilities', {}).get('drop') == ['ALL'], 'keeps capabilities')
        resources = container.get('resources', {})
        wanted({'cpu', 'memory'} <= set(resources.get('requests', {})), 'requests no resources')
        wanted('memory' in resources.get('limits', {}), 'has no limit of memory')
        for probe in ('startupProbe', 'livenessProbe', 'readinessProbe'):
            wanted(container.get(probe, {}).get('httpGet', {}).get('port') in ports_of(spec),
                   f'{probe} is missing or has no such port')
        for mount in container.get('volumeMounts', []):
            wanted(mount['name'] in volumes, f"no volume {mount['name']}")
        for source in container.get('envFrom', []):
            wanted(source['configMapRef']['name'] in maps, 'an environment that is not there')
        given = {variable['name'] for variable in container.get('env', [])}
        for name in re.findall(r'\$\((\w+)\)', ' '.join(map(str, container.get('args', [])))):
            wanted(name in given, f'no variable {name}')
        if 'command' not in container:
            self.check_jaque(wanted, spec, container)

    def check_jaque(self, wanted, spec, container):
        words = [str(word) for word in container['args']]
        for word in words:
            wanted(not word.startswith('-') or word[1:] in self.flags, f'no flag {word}')
        environment = environment_of(self.objects, container)
        for name in environment:
            flag = name.removeprefix('JAQUE_').lower().replace('_', '-')
            wanted(name.startswith('JAQUE_') and flag in self.flags, f'no flag for {name}')
        grace = seconds(environment.get('JAQUE_STOP_GRACE', '10s'))
        wanted(spec.get('terminationGracePeriodSeconds', 30) >= grace + 10,
               'is killed before it could stop')
        probes = [container.get(probe, {}).get('httpGet', {}).get('path')
                  for probe in ('livenessProbe', 'readinessProbe')]
        wanted(probes == ['/healthz', '/readyz'], f'probes {probes}')
        wanted('-id' in words and words[words.index('-id') + 1] == '$(POD_NAME)',
               'its id is not its pod')


def problems(objects, flags):
    return Checker(objects, flags).check()
