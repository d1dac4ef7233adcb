#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Further outputs of a sink: receivers that fail at random, processes that are killed. Each fact
arrives at least once, each span of a trace with the same id and content however often it comes."""
import json
import os
import random
import re
import shutil
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import cluster  # noqa: E402
import nats_client  # noqa: E402
import stand_in  # noqa: E402

TROUBLE = '''document: {dsl: '1.0.3', namespace: test, name: trouble, version: '1.0.0'}
do:
  - careful:
      try:
        - fail: {raise: {error: {type: 'https://example.org/e', status: 503, title: Down}}}
      catch:
        retry: {delay: {milliseconds: 10}, limit: {attempt: {count: 2}}}
'''


class Receiver(stand_in.StandIn):
    """Answers 503 as often as it is told, and hands on what it takes."""

    def __init__(self, take, failing=0.3):
        super().__init__(self.answer_request)
        self.take, self.failing, self.chance = take, failing, random.Random(3)
        self.failed = 0

    def answer_request(self, request):
        if self.chance.random() < self.failing:
            self.failed += 1
            return 503, 'not now'
        self.take(request)
        return 200, {}


def check_shape(value, shape, where='request'):
    """A JSON value has only what `shape` names; a type, a pattern, [of items], {of members}."""
    if isinstance(shape, type):
        assert isinstance(value, shape) and not isinstance(value, bool), (where, value)
    elif isinstance(shape, str):
        assert isinstance(value, str) and re.fullmatch(shape, value), (where, value)
    elif isinstance(shape, list):
        assert isinstance(value, list), (where, value)
        for number, item in enumerate(value):
            check_shape(item, shape[0], f'{where}[{number}]')
    else:
        assert isinstance(value, dict), (where, value)
        for key, inner in value.items():
            assert key in shape, f'{where}: {key} is no field'
            check_shape(inner, shape[key], f'{where}.{key}')


# The JSON mapping of opentelemetry/proto/collector/trace/v1/trace_service.proto: names in
# lowerCamelCase, ids in hexadecimal digits, 64-bit numbers as text, enumerations as numbers.
NUMBER, TRACE, SPAN = r'\d+', '[0-9a-f]{32}', '[0-9a-f]{16}'
ATTRIBUTES = [{'key': '.+', 'value': {'stringValue': str, 'intValue': '-?' + NUMBER}}]
REQUEST = {'resourceSpans': [{
    'resource': {'attributes': ATTRIBUTES},
    'scopeSpans': [{
        'scope': {'name': str, 'version': str},
        'spans': [{
            'traceId': TRACE, 'spanId': SPAN, 'parentSpanId': SPAN, 'name': '.+', 'kind': int,
            'startTimeUnixNano': NUMBER, 'endTimeUnixNano': NUMBER, 'attributes': ATTRIBUTES,
            'events': [{'timeUnixNano': NUMBER, 'name': '.+', 'attributes': ATTRIBUTES}],
            'links': [{'traceId': TRACE, 'spanId': SPAN, 'attributes': ATTRIBUTES}],
            'status': {'code': int, 'message': str}}]}]}]}


def attributes(of):
    return {one['key']: next(iter(one['value'].values())) for one in of['attributes']}


class Spans:
    """What a receiver of OTLP has taken."""

    def __init__(self):
        self.spans, self.repeated = {}, 0

    def take(self, request):
        assert request.headers['Content-Type'] == 'application/json'
        assert len(request.body) < 1.1 * (1 << 20)
        check_shape(request.json, REQUEST)
        for resource in request.json['resourceSpans']:
            assert attributes(resource['resource'])['service.name'] == 'jaque'
            for scope in resource['scopeSpans']:
                for span in scope['spans']:
                    self.take_span(span)

    def take_span(self, span):
        assert int(span['startTimeUnixNano']) <= int(span['endTimeUnixNano']), span
        assert 1 <= span['kind'] <= 5 and span.get('status', {'code': 2})['code'] == 2, span
        key = span['traceId'], span['spanId']
        if key in self.spans:
            assert self.spans[key] == span
            self.repeated += 1
        self.spans[key] = span

    def of(self, instance):
        return [span for span in list(self.spans.values())
                if attributes(span)['jaque.instance.id'] == instance]


class ExportsTest(unittest.TestCase):
    def setUp(self):
        folder = cluster.new_folder()
        self.folder = folder.__enter__()
        self.addCleanup(folder.__exit__, None, None, None)
        self.started = []
        self.addCleanup(self.end)

    def end(self):
        for process in self.started:
            process.stop()

    def serve(self, *flags, target='all'):
        process = cluster.Process('one', *flags, target=target)
        process.__enter__()
        self.started.append(process)
        return process

    def kill_in_a_loop(self, flags, rounds=3):
        """Load on a process that is killed again and again; (process, load)."""
        process = self.serve(*flags)
        process.define(cluster.Load.WORKFLOW)
        with cluster.Load([process], callers=4) as load:
            for _ in range(rounds):
                load.await_more(15)
                process.kill()
                process = self.serve(*flags)
                load.processes[0] = process
            load.await_more(10)
        return process, load

    def items(self, process, path):
        found, cursor = [], ''
        while True:
            status, _, body = process.get(f'/api/v1/instances/{path}?limit=1000{cursor}')
            if status != 200:
                raise ValueError(body)
            found += body['items']
            if 'next' not in body:
                return found
            cursor = f'&cursor={body["next"]}'

    def on_folder(self, export):
        return ['-data-dir', os.path.join(self.folder, 'data'), '-data-sync', 'normal',
                '-shards', 8, '-export', export]

    def test_a_webhook_gets_each_fact(self):
        seen, ids, lock = {}, {}, threading.Lock()

        def take(request):
            assert request.headers['Content-Type'] == 'application/x-ndjson'
            with lock:
                ids.setdefault(request.headers['Jaque-Batch-Id'], set()).add(request.body)
                for line in request.body.splitlines():
                    fact = json.loads(line)
                    # Careful mode marks an object even before it is there.
                    if fact['kind'] != 'ExecutionMarked':
                        seen.setdefault(fact['object'], []).append(fact['seq'])
        with Receiver(take) as receiver:
            process, load = self.kill_in_a_loop(self.on_folder(f'webhook:{receiver.url}/facts'))

            def arrived():
                for name in load.acknowledged:
                    history = [int(one['seq']) for one in self.items(process, f'{name}/history')
                               if one['kind'] != 'ExecutionMarked']
                    with lock:
                        if not history or set(history) != set(seen.get(name, ())):
                            return False
                return True
            cluster.wait_for('each fact has arrived', arrived)
            self.assertTrue(all(len(bodies) == 1 for bodies in ids.values()))
            self.assertGreater(process.metric('jaque_sink_export_records_total'), 0)
            print(f'webhook: 3 kills, {receiver.failed} refusals: {sum(map(len, seen.values()))} '
                  f'facts arrived, {sum(len(set(one)) for one in seen.values())} of them once, of '
                  f'{len(load.acknowledged)} instances', flush=True)

    def test_a_receiver_of_traces_gets_each_task(self):
        spans = Spans()
        with Receiver(spans.take) as receiver:
            flags = self.on_folder(f'otlp:{receiver.url}/v1/traces')
            process, load = self.kill_in_a_loop(flags)
            process.define(TROUBLE)
            self.assertEqual(process.start('test/trouble', {}, id='bad', wait='30s')[1]['status'],
                             'faulted')
            names = [*load.acknowledged, 'bad']
            wanted = {}

            def arrived():
                for name in names:
                    if name not in wanted:
                        status, _, body = process.get(f'/api/v1/instances/{name}')
                        if status != 200 or body['status'] not in ('completed', 'faulted'):
                            return False
                        wanted[name] = len(self.items(process, f'{name}/tasks')) + 1
                    if len(spans.of(name)) < wanted[name]:
                        return False
                return True
            cluster.wait_for('each task has arrived', arrived)
            for name in names:
                self.check_trace(spans.of(name), wanted[name])
            self.check_trouble(spans.of('bad'))
            print(f'otlp: 3 kills, {receiver.failed} refusals: {len(spans.spans)} spans, '
                  f'{spans.repeated} arrived again, of {len(names)} instances', flush=True)

    def check_trace(self, trace, wanted):
        """One tree: a root, and every other below one that is there."""
        self.assertEqual(len(trace), wanted)
        self.assertEqual(len({span['traceId'] for span in trace}), 1)
        known = {span['spanId'] for span in trace}
        roots = [span for span in trace if 'parentSpanId' not in span]
        self.assertEqual(len(roots), 1)
        for span in trace:
            self.assertIn(span.get('parentSpanId', span['spanId']), known)
            self.assertGreaterEqual(int(span['startTimeUnixNano']),
                                    int(roots[0]['startTimeUnixNano']))

    def check_trouble(self, trace):
        by_name = {}
        for span in trace:
            by_name.setdefault(span['name'], []).append(span)
        self.assertEqual(len(by_name['fail']), 3)
        self.assertEqual(sorted(attributes(span)['jaque.task.attempt'] for span in by_name['fail']),
                         ['1', '2', '3'])
        for span in by_name['fail']:
            self.assertEqual(attributes(span)['error.type'], 'https://example.org/e')
            self.assertEqual(span['events'][0]['name'], 'exception')
            self.assertEqual(span['status'], {'code': 2, 'message': 'Down'})
        retries = [event['name'] for event in by_name['careful'][0]['events']]
        self.assertEqual(retries, ['retry', 'retry'])
        self.assertEqual(by_name['test/trouble'][0]['status']['code'], 2)

    def test_an_output_that_is_down_holds_nobody_up(self):
        flags = self.on_folder('webhook:http://127.0.0.1:1/nobody')
        process = self.serve(*flags)
        process.define(cluster.Load.WORKFLOW)
        status, body = process.start('test/steps', {'n': 1}, id='a', wait='30s')
        self.assertEqual((status, body['status']), (200, 'completed'))
        cluster.wait_for('the store has it', lambda: process.get(
            '/api/v1/instances?q=a')[2]['items'][0]['status'] == 'completed')
        cluster.wait_for('it is counted', lambda: process.metric(
            'jaque_sink_export_errors_total') > 0)
        self.assertEqual(process.stop(), 0)

    @unittest.skipUnless(shutil.which('nats-server'), 'skipped: nats-server is not installed')
    def test_a_stream_of_nats_has_each_fact_once(self):
        with cluster.Nats() as nats, nats_client.NatsClient(nats.ports[0]) as client:
            flags = ['-queue', nats.url, '-coordination', nats.url, '-shards', 8,
                     '-heartbeat-ttl', '2s', '-store', f'sqlite:{self.folder}/store.db']
            engine = self.serve(*flags, target='engine,worker,ui')
            cluster.wait_for('the engine is ready', engine.ready)
            engine.define(cluster.Load.WORKFLOW)
            sink = [*flags, '-export', 'nats:facts.{kind}']
            with cluster.Load([engine], callers=4) as load:
                with cluster.Process('s', *sink, target='sink') as told:
                    load.await_more(10)
                    cluster.wait_for('no stream has it: that is counted', lambda: told.metric(
                        'jaque_sink_export_errors_total') > 0)
                    client.add_stream('FACTS', 'facts.>')
                    load.await_more(10)
                    cluster.wait_for('some are there', lambda: client.messages('FACTS'))
                    told.kill()
            with cluster.Process('s', *sink, target='sink'):
                def once():
                    seqs = {}
                    for subject, headers, body in client.messages('FACTS'):
                        fact = json.loads(body)
                        assert subject == 'facts.' + fact['kind']
                        name = fact['object'] or f'shard/{fact["shard"]}'
                        assert headers['Nats-Msg-Id'] == f'{name}/{fact["seq"]}'
                        seqs.setdefault(name, []).append(fact['seq'])
                    for name in load.acknowledged:
                        history = [int(one['seq'])
                                   for one in self.items(engine, f'{name}/history')]
                        if not history or seqs.get(name) != history:
                            return None
                    return sum(map(len, seqs.values()))
                count = cluster.wait_for('each fact is there, once, in its order', once)
            print(f'nats: {count} facts of {len(load.acknowledged)} instances, each once')


if __name__ == '__main__':
    unittest.main(verbosity=2)
