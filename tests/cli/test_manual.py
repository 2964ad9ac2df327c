# SPDX-License-Identifier: Apache-2.0
"""test_manual.py ASSAY BUILT SOURCE: each command has a man page that names all its options; bash and zsh complete them."""
import os
import re
import shutil
import subprocess
import sys

from cluster import Tap

tap = Tap()
PROGRAM, BUILT, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])
COMPLETED = [  # words typed, one that must be offered, one that must not
    (["assay", "r"], "report", "hosts"), (["assay", "run", "--re"], "--resume", "--hostfile"),
    (["assay", "acceptance", ""], "withdraw", "run"), (["assay", "acceptance", "event", "--"], "--when", "--next"),
    (["assay", "lab", ""], "swap", "report"), (["assay", "parse", "nv"], "nvidia-smi", "xid"),
    (["assay", "report", "--lang", ""], "zh", "html"),
    (["assay", "report", "-l", ""], "zh", "html"), (["assay", "run", "--l"], "--limit", "--hosts"), (["assay", "report", "-f", ""], "junit", "svg")]


def said(*words):
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout


def words_of(path):
    """A page as it is read, without typography."""
    shown = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-P-cbou", path], capture_output=True, text=True, check=True)
    return re.sub(r"-\s*\n\s+", "-", re.sub(r"\s+", " ", shown.stdout)), shown.stderr


def pages():
    commands = re.findall(r"^  ([a-z]+) ", said().split("commands:\n")[1].split("\n\n")[0], re.MULTILINE)
    tap.ok(len(commands) > 10, "the commands are known", commands)
    for command in ["", *commands]:
        path = os.path.join(BUILT, f"assay-{command}.1" if command else "assay.1")
        if not os.path.exists(path):
            tap.ok(False, f"{command or 'assay'} has a page", "add it to src/cli/meson.build")
            continue
        text, warnings = words_of(path)
        with open(path, encoding="utf-8") as file:
            source = file.read()
        options = set(re.findall(r"^  (?:-\w, |    )(--[a-z-]+)", said(command) if command else "", re.MULTILINE))
        missing = [option for option in options if option.replace("-", "\\-") not in source]
        tap.ok(not warnings and not missing and "EXIT STATUS" in text and "SEE ALSO" in text,
               f"{command or 'assay'} has a page with its {len(options)} options", warnings, missing)


def completes(shell, script, words):
    done = subprocess.run([shell, "-c", script, shell, *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"]})
    return done.stdout.split(), done.stderr


def completion():
    script = (f'. "{SOURCE}/completion/assay.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    for words, wanted, unwanted in COMPLETED:
        offered, errors = completes("bash", script, words)
        tap.ok(wanted in offered and unwanted not in offered and not errors, f"bash completes {' '.join(words)!r}", offered, errors)
    if shutil.which("zsh") is None:
        tap.skip("zsh reads its completion", "there is no zsh")
        return
    done = subprocess.run(["zsh", "-n", f"{SOURCE}/completion/_assay"], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0, "zsh reads its completion", done.stderr)


if shutil.which("groff") is None:
    tap.skip("man pages", "there is no groff")
else:
    pages()
completion()
tap.end()
