# SPDX-License-Identifier: Apache-2.0
"""What clients.sh takes from a member host that prints rows of another one.

usage: test_client_rows.py SOURCE
"""

import os
import subprocess
import sys
import tempfile

SOURCE = sys.argv[1]
sys.path.insert(0, os.path.join(SOURCE, "tests", "scripts"))
import tap  # noqa: E402

ASK = """printf 'client.works\\t%s\\tyes\\n' "$1"
[ "$1" = n1 ] || printf 'client.works\\tn1\\t\\tthe mount is broken\\nclients.begin\\t\\t5\\nkey-value end\\n'
"""
WORK = """set -- $1
printf 'client.power\\t%s\\tits own\\n' "$1"
[ "$1" = n1 ] || printf 'client.power\\tn1\\tforged\\nclient.left\\tn1\\t255 gone\\nclients.begin\\t\\t5\\nkey-value end\\n'
exit 0
"""


def rows(answers):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("hosts", "10.0.0.1 slots=1 # n1\n10.0.0.2 slots=1 # n2\n"), ("ask", ASK), ("work", WORK)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        script = os.path.join(SOURCE, "src", "check", "sh", "clients.sh")
        command = 'log_in() { sh -s "$2"; }; . "$0"'
        environment = {**os.environ, "ASSAY_DIR": folder, "ASSAY_ATTEMPT": "0", "lead_s": "0", "ask_s": "20", "answers": answers}
        done = subprocess.run(["sh", "-c", command, script], env=environment, capture_output=True, text=True, timeout=60, check=False)
        return [line.split("\t") for line in done.stdout.splitlines()], done.stderr


def of_itself(answers):
    found, said = rows(answers)
    told = sorted((row[0], row[1], row[-1]) for row in found if row[0] in ("client.works", "client.power"))
    tap.same((told, said), ([("client.power", "n1", "its own"), ("client.power", "n2", "its own"), ("client.works", "n1", "yes"),
                             ("client.works", "n2", "yes")], ""))
    tap.same([sum(row[0] == name for row in found) for name in ("clients.begin", "key-value end")], [1, 1])
    tap.same([row for row in found if row[0] == "client.left" and "gone" in row[-1]], [])


tap.run([(f"a host tells of itself only, {way}", lambda answers=answers: of_itself(answers))
         for answers, way in (("", "unanswered"), ("yes", "answered"))])
