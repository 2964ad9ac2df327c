# SPDX-License-Identifier: Apache-2.0
"""test_sentences.py ROOT: what is translated is still said, what is said is translated, and what the reports say
themselves stands in the catalogue."""
import glob
import os
import re
import sys

ROOT = sys.argv[1]
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# Literals that stand one after the other are one, also over the lines of a macro.
JOINED = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:[\s\\]+"(?:[^"\\\n]|\\.)*")*')
CONVERSION = re.compile(r"%[-.*0-9]*[lzh]*[a-zA-Z]")
# What a page may write itself: signs, units, and names that are the same in every language.
PROSE = re.compile(r"[A-Za-z]{2,}")
NAMES = {"gpu", "en", "zh", "CN", "GB", "busbw", "incon", "clusive"}

# Who puts a text where a report shows it: what is given to these has a row.
FOLDERS = ["parse", "check", "judge", "model", "run"]
CALLS = set("""reading_set reading_failed reading_strange reading_lacks reading_finding text_damage damage lack partial unread say_unread say window_say owners_of processes_of add_part
put_fact RULES RULES_EQUAL RULES_ONE_OF RULES_SAME RULES_MOST RULES_LEAST rules_alike plausible conclude reading_doubt add_change only_record arena_printf mem_printf mem_strdup
snprintf ssh_fail job_finish password_refused password_untried refuse key_refused session_failed say_done close_unsent""".split())
# The same of what is kept in one of these, stands in a table of these, or is returned as one.
FIELDS = re.compile(r"""(?:\b(?:damage|failure|failed|reason|why|lack|unread|beyond|note|source|text|duty_note|origin_note
    |left_out|stop|fault)\ *=|\breturn\b)""", re.X)
TABLE = "struct remedy remedies[]"
# In such a table: what is typed, and what a cause is known by.
TYPED = re.compile(r"\.(?:command|said) =\s*$")
# Two words in small letters, as in language.c.
SPOKEN = re.compile(r"[a-z']{2,} [a-z']{2,}")
# Files that speak to who asks on the command line, and never in a report.
ASIDE = set("""arguments.c baseline_check.c builtin.c derive.c derive_platform.c derive_write.c inventory_write.c manifest.c
plan_check.c preflight.c redact.c stage.c suite.c suite_duration.c suite_launcher.c suite_variants.c toolset.c waivers.c hostfile.c hostlist.c advice.c""".split())
# What has no language: the words of tools, of commands and of formats; notes and arguments that only `assay plan` shows.
DATA = [
    "Out of bounds values : %.0f %s", "unknown header type", "LocalCommand=echo %s", "every %u s:",
    "\\\"runtimes\\\" may name docker, containerd, podman and cri-o",
    " already in it",  # the JSON form alone says it
    "%s: %s%s%s; not an acceptance",  # at the terminal
    "jump host %s asks: %s",  # at the terminal
    "%s%s%s the test: %s",  # "before" and "after": two rows
    "ib_%s_bw of each HCA", "stat=average size_bytes=%.0f", "way=%s stat=average size_bytes=%.0f", "does not exist yet (FUTURE)", "dcgmi diag",
    "step %s only advises: its variants are compared with one another, and no verdict follows from them%s",
    "; \\\"repeat\\\" is %u, and fewer than %d tell no difference from noise",
]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def code(path):
    """Without comments, and without what refuses a suite's arguments: that stops the command."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/', lambda found: found.group(0) if found.group(0)[0] == '"' else " ", read(path), flags=re.S)
    return re.sub(r"\w+_fault\(const struct check_context \*context\)\n\{.*?\n\}", "", text, flags=re.S)


def strings_of(text):
    return ["".join(LITERAL.findall(one)) for one in JOINED.findall(text)]


def rows_of(kind):
    return [tuple("".join(LITERAL.findall(one)) for one in pair)
            for pair in re.findall(rf'\b{kind}\(\s*({JOINED.pattern}),\s*({JOINED.pattern})\)', read(f"{ROOT}/src/report/sentences_zh.def"))]


def said():
    found = set()
    for path in glob.glob(f"{ROOT}/src/**/*.[ch]", recursive=True) + glob.glob(f"{ROOT}/src/**/*.def", recursive=True):
        if os.path.basename(path) != "sentences_zh.def":
            found.update(strings_of(read(path)))
    for path in glob.glob(f"{ROOT}/suites/**/*.json", recursive=True):
        found.update(LITERAL.findall(read(path)))
    return found


def shown(string):
    return re.sub(r"\\x[0-9a-f]{2}|&[a-z]+;|%[-.*0-9]*[a-z]+|\\n", " ", string)


def literals(path):
    """Prose in what is written as text, or between the tags of what is written as markup."""
    found = []
    for kind, call in re.findall(r"html_(markup|shape|text|textf|cell|pair|row_head)\(((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*)\);", code(path)):
        for string in strings_of(call):
            parts = re.findall(r">([^<>]+)(?:<|$)", string) if kind in ("markup", "shape") else [string]
            for part in parts:
                if set(PROSE.findall(shown(part))) - NAMES:
                    found.append(f"{os.path.basename(path)}: {shown(part).strip()[:60]}")
    return found


def texts(path):
    """Prose in the text forms, wherever it stands: they have nothing else to say."""
    lines = [line for line in code(path).splitlines() if not line.startswith("#include") and "strcmp(" not in line]
    return [f"{os.path.basename(path)}: {string[:60]}" for string in strings_of("\n".join(lines))
            if set(PROSE.findall(shown(string))) - NAMES]


def openings(text):
    """Of each literal, by its place: the call or the table that it stands in ("", where it is a statement's own), and
    where its statement and the part of it begin."""
    stack, statement, part, found = [], 0, 0, {}
    for mark in re.finditer(r"'(?:[^'\\\n]|\\.)*'|" + JOINED.pattern + r"|(\w*)\s*([({])|[)};]", text):
        one = mark.group(0)[-1]
        if one in "({":
            # A bracket in an expression is that of the call around it.
            call = stack[-1] if one == "(" and stack and mark.group(1) in ("", "return", "sizeof") else mark.group(1) if one == "(" else ""
            stack.append(call)
        elif one in ")}" and stack:
            stack.pop()
        if one in "{};":
            part = mark.end()
            statement = part if one == ";" else statement
        if one == '"':
            found[mark.start()] = (stack[-1] if stack else "", statement, part, strings_of(mark.group(0))[0])
    return found


def spoken(path):
    """The texts of a file that a report may show."""
    text = code(path)
    for at, (call, statement, part, string) in openings(text).items():
        if SPOKEN.search(CONVERSION.sub("%", string)) and not TYPED.search(text, max(0, at - 200), at) and \
                (call in CALLS or (call == "" and FIELDS.search(text, part, at)) or text.find(TABLE, statement, at) >= 0):
            yield string


def is_covered(string, sentences, composed):
    """It is a row, or its pieces stand one behind the other in a row of what is put together."""
    if string in sentences or string in DATA:
        return True
    pieces = [piece.strip(" ;,:") for piece in CONVERSION.split(string)]
    return any(follow(pieces, row) for row in composed)


def follow(pieces, row):
    at = 0
    for piece in pieces:
        at = row.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


known = said()
rows = rows_of("SENTENCE")
sentences = {english for english, _ in rows}
composed = [english for english, _ in rows_of("COMPOSED")]
gone = [english for english, _ in rows if english not in known]
speaking = [path for folder in FOLDERS for path in sorted(glob.glob(f"{ROOT}/src/{folder}/*.[ch]")) if os.path.basename(path) not in ASIDE]
heard = [(os.path.basename(path), string) for path in speaking for string in spoken(path)]
missing = [f"{name}: {string}" for name, string in heard if not is_covered(string, sentences, composed)]
written = [line for path in sorted(glob.glob(f"{ROOT}/src/report/page*.c") + glob.glob(f"{ROOT}/src/report/svg*.c") + glob.glob(f"{ROOT}/src/report/site*.c") + [f"{ROOT}/src/report/{name}.c" for name in ("frame", "acceptance_html")])
           for line in literals(path)]
written += [line for name in ("report_text", "acceptance_text") for line in texts(f"{ROOT}/src/report/{name}.c")]
checks = [("there are sentences, and they are said", len(rows) > 0 and len(heard) > 300, []),
          ("each sentence that is translated is in the source", not gone, gone),
          ("each sentence that a report may show is translated", not missing, missing),
          ("no page and no text says anything that is not in the catalogue", not written, written)]
print(f"1..{len(checks)}")
for number, (name, good, lines) in enumerate(checks, 1):
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    for line in lines:
        print(f"# {line}")
print(f"# {len(heard)} texts were looked at")
sys.exit(0 if all(good for _, good, _ in checks) else 1)
