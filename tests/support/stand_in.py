# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that stands in for one of the outside; a context manager.

`answer(request)` gives (status, body) or (status, body, headers), or None to close the connection
without an answer; a body that is no string goes as JSON. Requests are remembered in order, and
answered one at a time unless `at_once`.
"""
import contextlib
import http.server
import json
import ssl
import threading


class Request:
    def __init__(self, handler):
        self.method = handler.command
        self.path = handler.path
        self.headers = handler.headers
        self.connection = handler.connection
        self.host = (handler.headers['Host'] or '').split(':')[0]
        self.body = handler.rfile.read(int(handler.headers['Content-Length'] or 0)).decode()

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f'{self.method} {self.path} {self.body}'


class StandIn:
    def __init__(self, answer, certificate=None, at_once=False):
        self.answer = answer
        self.at_once = at_once
        self.certificate = certificate  # (certificate file, key file) for HTTPS
        self.requests = []
        self.lock = threading.Lock()

    def __enter__(self):
        stand_in = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            disable_nagle_algorithm = True  # else each answer waits 40 ms

            def serve(self):
                request = Request(self)
                with contextlib.ExitStack() as stack:
                    with stand_in.lock:
                        stand_in.requests.append(request)
                    if not stand_in.at_once:
                        stack.enter_context(stand_in.lock)
                    answer = stand_in.answer(request)
                if answer is None:
                    self.close_connection = True
                    return
                status, body, *headers = answer
                if not isinstance(body, (str, bytes)):
                    body = json.dumps(body)
                    headers = headers or [{'Content-Type': 'application/json'}]
                body = body.encode() if isinstance(body, str) else body
                self.send_response(status)
                for name, value in (headers[0] if headers else {}).items():
                    self.send_header(name, value)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except ConnectionError:
                    pass  # a client that has enough may leave

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = serve

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        if self.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.url = f'{"https" if self.certificate else "http"}://127.0.0.1:{self.port}'
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def seen(self):
        with self.lock:
            return [f'{request.method} {request.path}' for request in self.requests]
