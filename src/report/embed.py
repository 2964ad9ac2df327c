# SPDX-License-Identifier: Apache-2.0
"""Writes a text file as a C string, and the hash by which a page allows it: embed.py INPUT OUTPUT NAME.

NAME_sha256 is what a Content-Security-Policy calls the bytes: base64 of their SHA-256.
"""
import base64
import hashlib
import sys

source, target, name = sys.argv[1:]
with open(source, encoding="utf-8", newline="") as file:
    text = file.read()
digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
with open(target, "w", encoding="utf-8") as out:
    out.write(f"extern const char {name}[], {name}_sha256[];\nconst char {name}_sha256[] = \"{digest}\";\nconst char {name}[] =\n")
    for line in text.splitlines(keepends=True):
        quoted = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")  # no trigraphs
        out.write(f'    "{quoted}"\n')
    out.write("    ;\n")
