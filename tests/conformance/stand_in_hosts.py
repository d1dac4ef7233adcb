# SPDX-License-Identifier: Apache-2.0
"""What the conformance kit expects of petstore.swagger.io and httpbin.org, on loopback."""
import base64
import os
import re
import subprocess
import tempfile

from stand_in import StandIn

HOSTS = ('petstore.swagger.io', 'httpbin.org')


def pet(identity):
    return {'id': identity, 'name': f'pet {identity}', 'status': 'available',
            'category': {'id': 1, 'name': 'dogs'}, 'photoUrls': [], 'tags': []}


# Swagger 2.0, as the real host describes itself, cut down to the two operations that are called.
SWAGGER = {
    'swagger': '2.0',
    'info': {'version': '1.0.7', 'title': 'Swagger Petstore'},
    'host': 'petstore.swagger.io',
    'basePath': '/v2',
    'schemes': ['https', 'http'],
    'paths': {
        '/pet/findByStatus': {'get': {
            'operationId': 'findPetsByStatus',
            'produces': ['application/json'],
            'parameters': [{
                'name': 'status', 'in': 'query', 'required': True, 'type': 'array',
                'items': {'type': 'string', 'enum': ['available', 'pending', 'sold']},
                'collectionFormat': 'multi'}],
            'responses': {'200': {'description': 'successful operation'}}}},
        '/pet/{petId}': {'get': {
            'operationId': 'getPetById',
            'produces': ['application/json'],
            'parameters': [{'name': 'petId', 'in': 'path', 'required': True,
                            'type': 'integer', 'format': 'int64'}],
            'responses': {'200': {'description': 'successful operation'},
                          '404': {'description': 'Pet not found'}}}},
    },
}


def petstore(path):
    if path == '/v2/swagger.json':
        return 200, SWAGGER
    if path == '/v2/pet/findByStatus?status=available':
        return 200, [pet(1), pet(2)]
    found = re.fullmatch(r'/v2/pet/([0-9]+)', path)
    if found:
        return 200, pet(int(found.group(1)))
    return 404, {'code': 404, 'type': 'unknown', 'message': 'not found'}


def httpbin(path, authorization):
    found = re.fullmatch(r'/basic-auth/([^/]+)/([^/]+)', path)
    if not found:
        return 404, {}
    expected = 'Basic ' + base64.b64encode(':'.join(found.groups()).encode()).decode()
    if authorization != expected:
        return 401, {}, {'WWW-Authenticate': 'Basic realm="Fake Realm"'}
    return 200, {'authenticated': True, 'user': found.group(1)}


def answer(request):
    if request.host == 'petstore.swagger.io':
        return petstore(request.path)
    if request.host == 'httpbin.org':
        return httpbin(request.path, request.headers['Authorization'])
    return 421, {'message': f'{request.host} is not stood in for'}


class Hosts:
    """Both hosts behind one HTTPS port, with an authority of their own. `flags` tell jaque."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.certificate = self.make_certificate()
        self.server = StandIn(answer, self.certificate)
        self.server.__enter__()
        self.flags = ['-http-ca', self.certificate[0]]
        for host in HOSTS:
            self.flags += ['-http-resolve', f'{host}:443:127.0.0.1:{self.server.port}']

    def make_certificate(self):
        """A self-signed certificate for the hosts: (certificate file, key file)."""
        certificate, key = (os.path.join(self.folder.name, n) for n in ('cert.pem', 'key.pem'))
        names = ','.join('DNS:' + host for host in HOSTS)
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                        'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj',
                        '/CN=stand-in', '-addext', f'subjectAltName={names}', '-keyout', key,
                        '-out', certificate], check=True, capture_output=True)
        return certificate, key

    def close(self):
        self.server.__exit__()
        self.folder.cleanup()
