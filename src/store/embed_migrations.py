#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed_migrations.py FOLDER OUTPUT.h DEPFILE: the migrations NN_NAME.sql of the folder as one array of strings.

They are counted from 01 without a gap. A statement may go over several lines, of which the further ones are indented: it
becomes one line, as SQLite is given it. A line "-- here: MACRO" puts that macro of schema_12.h there; other lines that
begin with "--" are comments.
"""
import os
import sys

folder, target, depfile = sys.argv[1:]
names = sorted(name for name in os.listdir(folder) if name.endswith(".sql"))
for number, name in enumerate(names, 1):
    if not name.startswith("%02d_" % number):
        sys.exit("embed_migrations.py: %s: expected migration %02d here" % (name, number))


def pieces(path):
    """C strings and macros, in their order."""
    statement = ""
    with open(path, encoding="ascii") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("-- here: "):
                yield '"%s"' % statement
                yield line.split()[2]
                statement = ""
            elif line.strip() and not line.startswith("--"):
                # All lines become one, of which a comment would take the rest.
                if "--" in line:
                    sys.exit("embed_migrations.py: %s: '--' within a line: %s" % (path, line))
                text = (" " if line.startswith(" ") else "") + line.strip()
                statement += text.replace("\\", "\\\\").replace('"', '\\"')
    yield '"%s"' % statement


with open(target, "w", encoding="ascii") as out:
    out.write("/* Made by embed_migrations.py. */\n#include \"schema_12.h\"\n\n")
    for name in names:
        out.write("static const char migration_%s[] = %s;\n" % (name[:2], " ".join(pieces(os.path.join(folder, name)))))
    out.write("#define MIGRATIONS %s\n" % ", ".join("migration_" + name[:2] for name in names))
# The folder itself too: a file that is added changes it.
with open(depfile, "w", encoding="utf-8") as out:
    out.write("%s: %s %s\n" % (target, folder, " ".join(os.path.join(folder, name) for name in names)))
