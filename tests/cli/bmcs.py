# SPDX-License-Identifier: Apache-2.0
"""BMCs over Redfish: servers over TLS, on addresses of this machine, that want a login and tell the documents that they are given."""

import base64
import http.server
import json
import os
import socket
import ssl
import subprocess
import threading

from cluster import FOLDER

ROOT = "/redfish/v1"
LOGIN, SECRET = "assay", "correct-horse-battery-staple"
BASIC = "Basic " + base64.b64encode(f"{LOGIN}:{SECRET}".encode()).decode()


def path_of(name):
    return os.path.join(FOLDER, name)


def write(name, text, mode=0o644):
    with open(path_of(name), "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path_of(name), mode)
    return path_of(name)


def certificate(name, addresses):
    """A pair of files; who signed it is itself."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=bmc",
                    "-keyout", path_of(f"{name}.key"), "-out", path_of(f"{name}.pem"),
                    "-addext", "subjectAltName=" + ",".join(f"IP:{address}" for address in addresses)],
                   check=True, stderr=subprocess.DEVNULL)
    return path_of(f"{name}.pem")


class Bmc(http.server.ThreadingHTTPServer):
    """What a case changes are documents, and answers: {path: function of the handler}."""

    daemon_threads = True

    def __init__(self, address, port, pem, documents):
        super().__init__((address, port), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem, pem.replace(".pem", ".key"))
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.is_watched = self.seen_in_arguments = False
        self.asked, self.made = [], documents
        self.be_well()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def be_well(self):
        self.documents, self.answers, self.login, self.others = self.made(self.server_address[0]), {}, BASIC, ()
        self.to_change = None  # a login whose password has to be changed first

    def handle_error(self, request, client_address):
        pass  # who refuses the certificate hangs up


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def log_message(self, *_):
        pass

    def reply(self, status, body, length=None):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.server.asked.append(self.path)
        login = self.headers.get("Authorization")
        if self.server.is_watched and login == BASIC and self.path == f"{ROOT}/Managers":
            self.look_at_arguments()
        if self.path in self.server.answers:
            self.server.answers[self.path](self)
        elif login is not None and login == self.server.to_change:
            self.reply(403, b'{"error": {"code": "Base.1.4.PasswordChangeRequired"}}')
        elif self.path != f"{ROOT}/" and login != self.server.login and login not in self.server.others:
            self.reply(401, b"{}")
        elif self.path not in self.server.documents:
            self.reply(404, b"{}")
        else:
            # With line breaks, as many BMCs have it.
            self.reply(200, json.dumps(self.server.documents[self.path], indent=2).replace("\n", "\r\n").encode())

    def look_at_arguments(self):
        """What `ps` would show while curl asks."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            for name in ("cmdline", "environ"):
                try:
                    with open(f"/proc/{pid}/{name}", "rb") as file:
                        self.server.seen_in_arguments |= SECRET.encode() in file.read()
                except OSError:
                    pass


def free_port(address):
    with socket.socket() as one:
        one.bind((address, 0))
        return one.getsockname()[1]
