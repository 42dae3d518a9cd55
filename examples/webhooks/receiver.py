#!/usr/bin/env python3
"""A receiver of Strongroom's webhooks in Python, without dependencies:

    WEBHOOK_SECRET='whsec_…' PORT=9000 python3 receiver.py

It checks the signature of Standard Webhooks, which covers the time as well: an old request that someone kept and sends
again is refused. (`hmac.new(secret.encode(), body, 'sha256')` checks X-Strongroom-Signature, whose key is the secret as shown.)
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
TOLERANCE_SECONDS = 300
seen = set()


def is_ours(headers, body):
    """Whether one of the signatures is the HMAC of id, time and exactly these bytes."""
    # Here the key is the decoded base64 after `whsec_`.
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    stamp = headers.get("webhook-timestamp", "")
    if not stamp.isdigit() or abs(time.time() - int(stamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id', '')}.{stamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # Two during a rotation: one with the old secret, one with the new.
    return any(
        hmac.compare_digest(one, f"v1,{expected}")
        for one in headers.get("webhook-signature", "").split()
    )


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        ours = is_ours(self.headers, body)
        self.send_response(204 if ours else 401)
        self.send_header("content-length", "0")
        self.end_headers()
        delivery = self.headers.get("x-strongroom-delivery")
        if not ours or delivery in seen:
            return
        seen.add(delivery)
        event = json.loads(body)
        print(event["event"], event["bucket"], event["object_key"], flush=True)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(
        (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "9000"))),
        Receiver,
    )
    print(f"listening on {server.server_address[1]}", flush=True)
    server.serve_forever()
