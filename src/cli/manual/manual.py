# SPDX-License-Identifier: Apache-2.0
"""manual.py ASSAY VERSION FOLDER OUT: man pages of all commands.

Names, usage and options are what the program's own --help says, so that no page is behind the program; what they are for
stands in FOLDER/COMMAND.txt. In it a line in capitals begins a section, an indented line is shown as it is.
"""
import os
import re
import subprocess
import sys

EXIT_STATUS = ["As of verdicts: 0 accept or passed, 1 reject or failed, 2 incomplete, 3 with exceptions. 64 for wrong usage or a bad file, "
               "70 for a failure of assay itself, 130 when it was cancelled."]
ENVIRONMENT = [("ASSAY_DB", "the database where no --db is given; else assay.db in the working folder"),
               ("SSH_AUTH_SOCK", "the agent whose keys are tried on the hosts"),
               ("TMPDIR", "where outputs that are too long for memory lie on their way")]


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"^\.", r"\\&.", text)


def unwrapped(text):
    """An option and all that is said of it in one line, as no help of a terminal's width has it."""
    text = re.sub(r"^(  (?:-\w, |    )--\S+(?: \S+)?)\n {12,}", r"\1  ", text, flags=re.MULTILINE)
    return re.sub(r"\n {12,}(?=\S)", " ", text)


def help_of(program, *words):
    return unwrapped(subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout)


def commands_of(program):
    """What the help lists, and the older name that it does not list."""
    return re.findall(r"^  ([a-z]+) +(\S.*)$", help_of(program), re.MULTILINE) + [("hosts", "the older name of preflight")]


def usage_of(text):
    lines = re.match(r"usage: (.*(?:\n       .*)*)", text)[1].splitlines()
    return [re.sub(r"        \(.*\)$", "", line.strip()) for line in lines]


def options_of(text):
    return re.findall(r"^  (-\w, |    )(--[a-z-]+)(?: ([A-Z][^ ]*(?:\[:ARG\])?))?  +(\S.*)$", text, re.MULTILINE)


def paragraphs(lines):
    """roff of plain text."""
    out, block = [], False
    for line in lines:
        if block and not line.startswith("    "):
            out.append(".EE")
            block = False
        if line.startswith("    ") and not block:
            out += [".PP", ".EX"]
            block = True
        if line:
            out.append(escape(line[4:] if block else line))
        elif not block:
            out.append(".PP")
    return out + [".EE"] * block


def sections(path):
    """{title: lines}; what stands first is the description."""
    found, title = {"DESCRIPTION": []}, "DESCRIPTION"
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if re.fullmatch(r"[A-Z ]+", line):
                title = line
                found[title] = []
            else:
                found[title].append(line)
    return {key: [line for i, line in enumerate(lines) if line or 0 < i < len(lines) - 1] for key, lines in found.items()}


def options(text):
    out = []
    for letter, name, argument, words in options_of(text):
        head = (f"\\fB{escape(letter[:2])}\\fR, " if letter.strip() else "") + f"\\fB{escape(name)}\\fR"
        out += [".TP", head + (f" \\fI{escape(argument)}\\fR" if argument else ""), escape(words)]
    return out


def verbs_of(text):
    """Of acceptance what a verb does stands in the next line, of baseline in the same."""
    return (re.findall(r"^  ([a-z]+) *(.*)\n      (\S.*)$", text, re.MULTILINE) or
            re.findall(r"^  ([a-z]+) +(\S+)  +(\S.*)$", text, re.MULTILINE) * ("VERB\n" in text))


def verb_sections(program, command, text):
    out = []
    for verb, operands, words in verbs_of(text):
        out += [".SS " + escape(verb), f"\\fBassay {command} {verb}\\fR {escape(operands)}", ".PP", escape(words) + "."]
        out += options(help_of(program, command, verb))
    return [".SH VERBS", *out] if out else []


def environment(command, text):
    """The database of all that have one, the rest of those that go to hosts."""
    rows = [row for row in ENVIRONMENT if not command or ("--db" in text or verbs_of(text) if row[0] == "ASSAY_DB" else
                                                          "--connections" in text)]
    return [".SH ENVIRONMENT"] * bool(rows) + [line for variable, words in rows
                                               for line in (".TP", f"\\fB{variable}\\fR", escape(words))]


def page(program, version, command, summary, folder, others):
    text = help_of(program, command) if command else help_of(program)
    written = sections(os.path.join(folder, (command or "assay") + ".txt"))
    name = "assay-" + command if command else "assay"
    out = [f'.TH {name.upper()} 1 "" "assay {version}" "assay"', ".SH NAME", f"{escape(name)} \\- {escape(summary)}",
           ".SH SYNOPSIS", ".nf", *[f"\\fB{escape(line)}\\fR" for line in usage_of(text)], ".fi",
           ".SH DESCRIPTION", *paragraphs(written["DESCRIPTION"])]
    if not command:
        out += [".SH COMMANDS"]
        for other, words in others:
            out += [".TP", f"\\fBassay\\-{other}\\fR(1)", escape(words)]
    else:
        # Of the lab those of `up`, where this build has one.
        told = help_of(program, "lab", "up") if command == "lab" else text
        out += [".SH OPTIONS", *options(told)] if options_of(told) else []
    out += verb_sections(program, command, text) if command else []
    if command == "parse":
        out += [".SH TOOLS", ".nf", *[escape(line) for line in text.split("TOOL is one of\n")[1].splitlines()], ".fi"]
    if "EXAMPLES" in written:
        out += [".SH EXAMPLES", *paragraphs(written["EXAMPLES"])]
    out += [".SH EXIT STATUS", *paragraphs(written.get("EXIT STATUS", EXIT_STATUS)), *environment(command, text)]
    also = [f"\\fBassay\\-{other}\\fR(1)" for other, _ in others if other != command]
    out += [".SH SEE ALSO", ", ".join((["\\fBassay\\fR(1)"] if command else []) + also)]
    return "\n".join(out) + "\n"


def main():
    program, version, folder, target = sys.argv[1:]
    summary = re.search(r"^assay (.*)\.$", help_of(program), re.MULTILINE)[1]
    commands = commands_of(program)
    os.makedirs(target, exist_ok=True)
    for command, words in [("", summary), *commands]:
        path = os.path.join(target, f"assay-{command}.1" if command else "assay.1")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page(program, version, command, words, folder, commands))


main()
