"""What of a rocks server `luarocks upload` talks to, on this machine alone: scripts/release uploads to it.
usage: rocks_server.py FOLDER     prints its port, and writes what is uploaded into the folder"""
import email
import http.server
import json
import os
import re
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):           # the version of the client, and whether this rock is there already
        self.answer({"version": "1.0.0"} if "tool_version" in self.path else {})

    def do_POST(self):
        head = "Content-Type: " + self.headers["Content-Type"] + "\n\n"
        form = email.message_from_bytes(head.encode() + self.rfile.read(int(self.headers["Content-Length"])))
        for part in form.get_payload():
            name, data = os.path.basename(part.get_filename()), part.get_payload(decode=True)
            if name.endswith(".rockspec") and not re.search(rb'url = "(git\+)?https://', data):
                return self.answer({"errors": ["source.url: wanted https"]})
            with open(os.path.join(sys.argv[1], name), "wb") as file:
                file.write(data)
        self.answer({"version": {"id": 1}, "module_url": "moonarray", "is_new": True, "manifests": ["root"]})


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
