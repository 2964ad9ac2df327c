# SPDX-License-Identifier: Apache-2.0
"""Writes a text file as a C string: embed.py INPUT OUTPUT NAME."""
import sys

source, target, name = sys.argv[1:]
with open(source, encoding="utf-8") as text, open(target, "w", encoding="utf-8") as out:
    out.write(f'extern const char {name}[];\nconst char {name}[] =\n')
    for line in text:
        quoted = line.rstrip("\n").replace("\\", "\\\\").replace('"', '\\"')
        out.write(f'    "{quoted}\\n"\n')
    out.write("    ;\n")
