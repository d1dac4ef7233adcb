# SPDX-License-Identifier: Apache-2.0
"""An issuer of JWTs with real keys, on loopback: discovery, keys, and tokens good and bad."""
import base64
import hashlib
import hmac
import json
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

from stand_in import StandIn


def encode(data):
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b'=').decode()


def number(value, size):
    return encode(value.to_bytes(size, 'big'))


class Key:
    """One of RS256 or ES256."""

    def __init__(self, kid, algorithm):
        self.kid, self.algorithm = kid, algorithm
        self.key = (rsa.generate_private_key(65537, 2048) if algorithm == 'RS256'
                    else ec.generate_private_key(ec.SECP256R1()))

    def public(self):
        """As the issuer publishes it."""
        numbers = self.key.public_key().public_numbers()
        jwk = {'kid': self.kid, 'alg': self.algorithm, 'use': 'sig'}
        if self.algorithm == 'RS256':
            return {**jwk, 'kty': 'RSA', 'n': number(numbers.n, 256), 'e': number(numbers.e, 3)}
        return {**jwk, 'kty': 'EC', 'crv': 'P-256', 'x': number(numbers.x, 32),
                'y': number(numbers.y, 32)}

    def pem(self):
        return self.key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def sign(self, text):
        if self.algorithm == 'RS256':
            return self.key.sign(text, padding.PKCS1v15(), hashes.SHA256())
        r, s = utils.decode_dss_signature(self.key.sign(text, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, 'big') + s.to_bytes(32, 'big')


def signed(header, claims, sign):
    text = f'{encode(header)}.{encode(claims)}'
    return f'{text}.{encode(sign(text.encode()))}'


def token(key, claims):
    return signed({'alg': key.algorithm, 'kid': key.kid, 'typ': 'JWT'}, claims, key.sign)


def unsigned(claims):
    return signed({'alg': 'none'}, claims, lambda text: b'')


def signed_with_public_key(key, claims):
    """HS256 with what everybody knows for a secret."""
    return signed({'alg': 'HS256', 'kid': key.kid}, claims,
                  lambda text: hmac.new(key.pem(), text, hashlib.sha256).digest())


class Issuer(StandIn):
    """A context manager; publishes `keys`, which may change."""

    def __init__(self, *keys):
        super().__init__(self._publish)
        self.keys = list(keys)

    def _publish(self, request):
        documents = {
            '/.well-known/openid-configuration': {
                'issuer': self.url, 'jwks_uri': self.url + '/keys'},
            '/keys': {'keys': [key.public() for key in self.keys]}}
        return 200 if request.path in documents else 404, documents.get(request.path, {})

    def claims(self, **more):
        return {'iss': self.url, 'aud': 'jaque', 'sub': 'ada', 'exp': int(time.time()) + 3600,
                'roles': ['admin'], **more}
