# SPDX-License-Identifier: Apache-2.0
"""A mail server on loopback: enough of SMTP (RFC 5321) for one that sends; a context manager.

`answer(mail)` gives the reply to a message's end, "250 taken" or "451 later". Mails are remembered.
"""
import base64
import email
import email.policy
import socketserver
import ssl
import threading


class Mail:
    def __init__(self, sender, recipients, login, data):
        self.sender, self.recipients, self.login = sender, recipients, login
        self.data = data
        self.message = email.message_from_bytes(data, policy=email.policy.default)

    @property
    def text(self):
        return self.message.get_content()


class MailServer:
    def __init__(self, answer, certificate=None):
        self.answer = answer
        self.certificate = certificate  # (certificate file, key file): TLS from the first byte
        self.mails = []
        self.lock = threading.Lock()

    def __enter__(self):
        server = self

        class Session(socketserver.StreamRequestHandler):
            def say(self, line):
                self.wfile.write(line.encode() + b'\r\n')

            def handle(self):
                if server.certificate:
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(*server.certificate)
                    self.connection = context.wrap_socket(self.connection, server_side=True)
                    self.rfile = self.connection.makefile('rb')
                    self.wfile = self.connection.makefile('wb', 0)
                self.login, self.sender, self.recipients = None, None, []
                self.say('220 test ESMTP')
                while line := self.rfile.readline():
                    if not self.obey(line.decode().strip()):
                        return

            def finish(self):
                super().finish()
                self.connection.close()

            def obey(self, line):
                verb, _, rest = line.partition(' ')
                verb = verb.upper()
                if verb == 'EHLO':
                    self.say('250-test')
                    self.say('250 AUTH PLAIN')
                elif verb == 'AUTH':
                    self.say('334 ')
                    plain = base64.b64decode(self.rfile.readline()).decode()
                    self.login = plain.split('\0')[1:]
                    self.say('235 welcome')
                elif verb == 'MAIL':
                    self.sender, self.recipients = rest, []
                    self.say('250 ok')
                elif verb == 'RCPT':
                    self.recipients.append(rest.split(':', 1)[1].strip('<>'))
                    self.say('250 ok')
                elif verb == 'DATA':
                    self.say('354 go on')
                    self.take()
                elif verb == 'QUIT':
                    self.say('221 bye')
                    return False
                else:
                    self.say('250 ok')
                return True

            def take(self):
                lines = []
                while (line := self.rfile.readline()) != b'.\r\n':
                    lines.append(line[1:] if line.startswith(b'..') else line)
                mail = Mail(self.sender.split('<')[1].split('>')[0], self.recipients, self.login,
                            b''.join(lines))
                with server.lock:
                    server.mails.append(mail)
                    self.say(server.answer(mail))

        socketserver.ThreadingTCPServer.allow_reuse_address = True
        self.server = socketserver.ThreadingTCPServer(('127.0.0.1', 0), Session)
        self.server.daemon_threads = True
        scheme = 'smtps' if self.certificate else 'smtp'
        self.url = f'{scheme}://127.0.0.1:{self.server.server_address[1]}'
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
