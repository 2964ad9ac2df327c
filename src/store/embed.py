#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py INPUT.sql OUTPUT: each section's statements as one C string literal, so that others can be put around it.

A line "-- section NAME" begins one. A statement is kept as it stands, for SQLite keeps it so, and one program compares it
with another's; comment lines, which only stand between statements, are left out.
"""
import sys

source, target = sys.argv[1:]
with open(source, encoding="ascii") as file:
    lines = [line.rstrip("\n") for line in file if line.strip()]
with open(target, "w", encoding="ascii") as out:
    out.write("/* Made by embed.py. */")
    for line in lines:
        if line.startswith("-- section "):
            out.write(f"\n#define {line.split()[2].rstrip(':')}")
        elif not line.startswith("--"):
            quoted = line.replace("\\", "\\\\").replace('"', '\\"')
            out.write(f' \\\n    "{quoted}\\n"')
    out.write("\n")
