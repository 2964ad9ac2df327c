#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py OUTPUT NAME FILE...: the shell files as one C string, without comments and indentation."""
import sys

output, name, *files = sys.argv[1:]
lines = []
for path in files:
    with open(path, encoding="ascii") as file:
        lines += [line.strip() for line in file]
text = [line for line in lines if line and not line.startswith("#")]
with open(output, "w", encoding="ascii") as file:
    file.write("/* Made by embed.py. */\nstatic const char %s[] =\n" % name)
    for line in text:
        quoted = line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
        file.write('    "%s\\n"\n' % quoted)
    file.write("    ;\n")
