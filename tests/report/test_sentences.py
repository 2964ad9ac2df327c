# SPDX-License-Identifier: Apache-2.0
"""test_sentences.py ROOT: what is translated is still said, and what the pages say stands in the catalogue."""
import glob
import os
import re
import sys

ROOT = sys.argv[1]
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# Literals that stand one after the other are one.
JOINED = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s+"(?:[^"\\\n]|\\.)*")*')
# What a page may write itself: signs, units, and names that are the same in every language.
PROSE = re.compile(r"[A-Za-z]{2,}")
NAMES = {"gpu", "en", "zh", "CN", "GB", "busbw", "incon", "clusive"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def strings_of(text):
    return ["".join(LITERAL.findall(one)) for one in JOINED.findall(text)]


def sentences():
    return [tuple("".join(LITERAL.findall(one)) for one in pair)
            for pair in re.findall(rf'\bSENTENCE\(\s*({JOINED.pattern}),\s*({JOINED.pattern})\)', read(f"{ROOT}/src/report/sentences_zh.def"))]


def said():
    found = set()
    for path in glob.glob(f"{ROOT}/src/**/*.[ch]", recursive=True) + glob.glob(f"{ROOT}/src/**/*.def", recursive=True):
        if os.path.basename(path) != "sentences_zh.def":
            found.update(strings_of(read(path)))
    for path in glob.glob(f"{ROOT}/suites/**/*.json", recursive=True):
        found.update(LITERAL.findall(read(path)))
    return found


def literals(path):
    """Prose in what is written as text, or between the tags of what is written as markup."""
    text = re.sub(r"/\*.*?\*/", "", read(path), flags=re.S)
    found = []
    for kind, call in re.findall(r"html_(markup|shape|text|textf|cell|pair|row_head)\(((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*)\);", text):
        for string in strings_of(call):
            parts = re.findall(r">([^<>]+)(?:<|$)", string) if kind in ("markup", "shape") else [string]
            for part in parts:
                shown = re.sub(r"\\x[0-9a-f]{2}|&[a-z]+;|%[-.*0-9]*[a-z]+|\\n", " ", part)
                if set(PROSE.findall(shown)) - NAMES:
                    found.append(f"{os.path.basename(path)}: {shown.strip()[:60]}")
    return found


known = said()
rows = sentences()
gone = [english for english, _ in rows if english not in known]
written = [line for path in sorted(glob.glob(f"{ROOT}/src/report/page*.c") + glob.glob(f"{ROOT}/src/report/svg*.c") + [f"{ROOT}/src/report/{name}.c" for name in ("frame", "acceptance_html")])
           for line in literals(path)]
print("1..3")
good = [len(rows) > 0, not gone, not written]
for number, (one, name) in enumerate(zip(good, ["there are sentences", "each sentence that is translated is in the source",
                                                "no page says anything that is not in the catalogue"]), 1):
    print(f"{'ok' if one else 'not ok'} {number} - {name}")
for line in gone + written:
    print(f"# {line}")
sys.exit(0 if all(good) else 1)
