# SPDX-License-Identifier: Apache-2.0
"""test_manual.py ASSAY BUILT SOURCE: each command has a man page that names all its options; bash, zsh and fish complete them, and
what there is of runs, hosts, steps and suites."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from cluster import Tap

tap = Tap()
PROGRAM, BUILT, SOURCE, WRITE_DATABASE = (os.path.abspath(path) for path in sys.argv[1:5])
COMPLETED = [  # words typed, one that must be offered, one that must not
    (["assay", "r"], "report", "hosts"), (["assay", "run", "--re"], "--resume", "--hostfile"),
    (["assay", "acceptance", ""], "withdraw", "run"), (["assay", "acceptance", "event", "--"], "--when", "--next"),
    (["assay", "lab", ""], "swap", "report"), (["assay", "parse", "nv"], "nvidia-smi", "xid"),
    (["assay", "report", "--lang", ""], "zh", "html"),
    (["assay", "report", "-l", ""], "zh", "html"), (["assay", "run", "--l"], "--limit", "--hosts"), (["assay", "report", "-f", ""], "junit", "svg"),
    (["assay", "help", "acc"], "acceptance", "run"), (["assay", "baseline", "show", "hgx"], "hgx-h100", "delivery"),
    (["assay", "run", "-s", "del"], "delivery", "smoke"), (["assay", "run", "-H", "hosts", "--hosts", "gpu1,l"], "gpu1,login", "gpu1,gpu2"),
    (["assay", "run", "-s", "smoke", "--steps", "r"], "reachable", "driver"), (["assay", "report", ""], "1", "html"),
    (["assay", "logs", "1", "node"], "node2", "1"), (["assay", "platform", "derive", "1", "--host", "node"], "node2", "1"),
    (["assay", "plan", "-H", "ho"], "hosts", "smoke"), (["assay", "stage", "fol"], "folder/", "hosts")]


def said(*words):
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout


def words_of(path):
    """A page as it is read, without typography."""
    shown = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-P-cbou", path], capture_output=True, text=True, check=True)
    return re.sub(r"-\s*\n\s+", "-", re.sub(r"\s+", " ", shown.stdout)), shown.stderr


def pages():
    commands = re.findall(r"^  ([a-z]+) ", said(), re.MULTILINE) + ["hosts"]
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


SHELLS = {  # how each calls what it has of ours, and prints what it would offer
    "bash": (["bash", "-c", '. "$0/assay.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; printf "%s\\n" "${COMPREPLY[@]}"',
              f"{SOURCE}/completion"]),
    "zsh": (["zsh", "-f", "-c", '_describe() { print -l -- ${${(P)3}%%:*} }; _files() { print -l -- ${words[CURRENT]}*(MN) }; '
             'words=("$@"); CURRENT=$#words; . "$0/_assay"', f"{SOURCE}/completion"]),
    "fish": (["fish", "--no-config", "-c", 'source $argv[1]/assay.fish; complete -C (string join " " -- $argv[2..])',
              f"{SOURCE}/completion"])}
TYPED = """
zmodload zsh/zpty; zpty typed zsh -f -i
zpty -w typed "PS1=; fpath=($1 \\$fpath); autoload -U compinit; compinit -u -D; print RE''ADY"; zpty -r typed seen "*READY*"
zpty -w -n typed $'assay run --res\\t'; zpty -r typed seen "*--resume*"; print -r -- $seen
"""


def completion():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"], "HOME": folder,
                       "ASSAY_DB": f"{folder}/runs.db", "TERM": "dumb"}
        os.mkdir(f"{folder}/folder")
        with open(f"{folder}/hosts", "w", encoding="utf-8") as file:
            file.write("defaults platform=hgx-h100\ngpu[1-3]\nlogin\n")
        subprocess.run([WRITE_DATABASE, f"{folder}/runs.db", f"{folder}/hosts", f"{folder}/hosts"], check=True, capture_output=True)
        for shell, start in SHELLS.items():
            if shutil.which(shell) is None:
                tap.skip(f"{shell} completes", f"there is no {shell}")
                continue
            for words, wanted, unwanted in COMPLETED:
                done = subprocess.run([*start, *words], capture_output=True, text=True, check=False, env=environment, cwd=folder, timeout=60)
                offered = [line.split("\t")[0].rstrip("/") for line in done.stdout.splitlines()]
                tap.ok(wanted.rstrip("/") in offered and unwanted not in offered and not done.stderr,
                       f"{shell} completes {' '.join(words)!r}", offered[:20], done.stderr)
        # Nobody writes to either: read, they would hold the shell.
        silent, writer = os.pipe()
        os.mkfifo(f"{folder}/pipe")
        for option, of in (("-H", "--hosts"), ("-s", "--steps")):
            for path in ("-", f"{folder}/pipe"):
                done = subprocess.run([PROGRAM, "complete", "run", option, path, of, ""], stdin=silent, capture_output=True, text=True,
                                      check=False, env=environment, cwd=folder, timeout=60)
                tap.same((done.returncode, done.stdout, done.stderr), (0, "", ""),
                         f"a key press does not wait for {'the terminal' if path == '-' else 'a pipe'} behind {option}")
        os.close(silent)
        os.close(writer)
        if shutil.which("zsh") is None:
            tap.skip("zsh completes what is typed", "there is no zsh")
        else:
            done = subprocess.run(["zsh", "-f", "-c", TYPED, "zsh", f"{SOURCE}/completion"], capture_output=True, text=True,
                                  check=False, env=environment, cwd=folder, timeout=60)
            tap.ok("assay run --resume" in done.stdout, "zsh completes what is typed at a terminal", done.stdout, done.stderr)


if shutil.which("groff") is None:
    tap.skip("man pages", "there is no groff")
else:
    pages()
completion()
tap.end()
