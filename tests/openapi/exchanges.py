# SPDX-License-Identifier: Apache-2.0
"""Requests to a server, each held against the document that the server gives of itself."""
import json
import re

import jsonschema

METHODS = ('get', 'post', 'put', 'delete', 'patch')


class Document:
    """The OpenAPI document, and what was seen of it."""

    def __init__(self, document):
        self.document = document
        self.paths = {path: re.compile(re.sub(r'\\?\{\w+\\?\}', '[^/]+', path) + '$')
                      for path in document['paths']}
        self.seen = set()

    def resolve(self, node):
        while '$ref' in node:
            found = self.document
            for part in node['$ref'][2:].split('/'):
                found = found[part]
            node = found
        return node

    def path_of(self, path):
        """The documented path; one without parameters counts more."""
        plain = path.split('?')[0]
        found = [name for name, pattern in self.paths.items() if pattern.match(plain)]
        assert found, f'{path} is not documented'
        return min(found, key=lambda name: name.count('{'))

    def operations(self):
        for path, item in self.document['paths'].items():
            for method in METHODS:
                if method in item:
                    yield method.upper(), path, item[method]

    def check(self, method, path, status, headers, body):
        """Fails unless the document has this answer; remembers that it was seen."""
        name = self.path_of(path)
        operation = self.document['paths'][name][method.lower()]
        answers = operation['responses']
        assert str(status) in answers, (
            f'{method} {path}: {status} is not documented: {str(body)[:500]}')
        self.seen.add((method, name, status))
        answer = self.resolve(answers[str(status)])
        for header, about in answer.get('headers', {}).items():
            if status in (429, 503) or header == 'Retry-After':
                assert headers[header], f'{method} {path}: {status} without {header}'
        content = answer.get('content')
        if not content:
            assert not body, f'{method} {path}: {status} has a body: {body!r}'
            return
        kind = (headers['Content-Type'] or '').split(';')[0]
        assert kind in content, f'{method} {path}: {status} is {kind}, not {list(content)}'
        if 'json' in kind:
            self.validate(content[kind]['schema'], body, f'{method} {path}: {status}')

    def validate(self, schema, body, where):
        strict = {'$ref': '#/strict', 'strict': {'allOf': [schema], 'unevaluatedProperties': False},
                  'components': self.document['components']}
        if self.resolve(schema) == {}:
            strict = {}
        errors = list(jsonschema.Draft202012Validator(strict).iter_errors(body))
        assert not errors, f'{where}: {errors[0].json_path}: {errors[0].message}\n{body}'


def fetch(served):
    status, _, document = served.get('/api/v1/openapi.json')
    assert status == 200, document
    return Document(document)


class Client:
    """Sends requests and holds every answer against the document."""

    def __init__(self, served):
        self.served = served
        self.document = fetch(served)

    def ask(self, method, path, body=None, headers=None, expected=None):
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        headers = {'Content-Type': 'application/json', **(headers or {})}
        status, answered, parsed = self.served.request(method, path, body, headers)
        self.document.check(method, path, status, answered, parsed)
        if expected is not None:
            assert status == expected, f'{method} {path}: {status}, not {expected}: {parsed}'
        return status, answered, parsed
