# SPDX-License-Identifier: Apache-2.0
"""README and guide say nothing that is not so: commands, options, files and figures are held against the program."""
import json
import os
import re
import subprocess
import sys
import tempfile

import tap

ROOT, ASSAY = map(os.path.abspath, sys.argv[1:3])


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


GUIDE = sorted(os.path.join("docs/guide", name) for name in os.listdir(os.path.join(ROOT, "docs/guide")) if name.endswith(".md"))
REPAIR = sorted(os.path.join("docs/guide/repair", name) for name in os.listdir(os.path.join(ROOT, "docs/guide/repair")))
PAGES = {path: read(path) for path in ["README.md", *GUIDE, *REPAIR]}
README = "\n".join(PAGES.values())
BLOCKS = re.findall(r"^```\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
# Without what stands behind the command in words.
COMMANDS = [line.split("  #")[0].split() for block in BLOCKS for line in block.splitlines()]


def assay(*words, folder=None):
    done = subprocess.run([ASSAY, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    return done.returncode, done.stdout


def some(found, least):
    """What a search found, which must not be nothing: a test of no commands proves nothing."""
    found = sorted(set(found))
    if len(found) < least:
        raise AssertionError(f"only {found} found in the README")
    return found


def scripts_exist():
    for path in some(re.findall(r"\bscripts/[a-z-]+", README), 4):
        tap.same((path, os.access(os.path.join(ROOT, path), os.X_OK)), (path, True))


def files_exist():
    found = []
    vendor = "docs/adding-a-vendor.md"
    for page, text in [*PAGES.items(), (vendor, read(vendor))]:
        links = [os.path.normpath(os.path.join(os.path.dirname(page), link))
                 for link in re.findall(r"\]\(([^)#][^)]*)\)", text) if "://" not in link]
        named = [path for path in re.findall(r"`([a-z]+/[\w./-]+)`", text) if path.split("/")[0] in os.listdir(ROOT)]
        found += links + named
    for path in some(found, 8):
        if not path.startswith("build"):
            path = path.replace("/check_NAME", "/check_reachable").replace("/parse_NAME", "/parse_xid").replace("/sh/NAME", "/sh/os")
            path, _, heading = path.partition("#")
            tap.same((path, os.path.exists(os.path.join(ROOT, path))), (path, True))
            if heading:
                headings = [line.lstrip("# ").lower().replace(" ", "-") for line in read(path).splitlines() if line[:1] == "#"]
                tap.same((heading, heading in headings), (heading, True))


def handover_rows_are_steps_or_gaps():
    """suites/README.md, "What others check at a handover": each row names a step of delivery, site or soak, or says what is missing; what
    it names beside that is a check, a suite, or a command."""
    steps, others = set(), set(re.findall(r"\(?(?:\w+, )?(\w+)\)", read("src/check/checks.def")))
    for name in ("delivery", "site", "soak", "gpu", "periodic"):
        found = {word for step in json.loads(read(f"suites/{name}.json"))["steps"] for word in (step["check"], step.get("name", ""))} - {""}
        others |= {name} | found
        if name not in ("gpu", "periodic"):
            steps |= found
    others |= set(re.findall(r"^  ([a-z]+) ", assay("--help")[1], re.MULTILINE))
    table = read("suites/README.md").partition("### What others check at a handover")[2].partition("\n\n`soak` is")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| ")][1:]
    for what, *_, here, missing in some(map(tuple, rows), 20):
        names = set(re.findall(r"`(?:assay )?([a-z0-9-]+)`", here))
        tap.same((what, sorted(name for name in names - others if name.replace("-", "_") not in others)), (what, []))
        tap.same((what, bool(names & steps) or missing != ""), (what, True))


def guide_is_led_to():
    tap.same([path for path in GUIDE if f"({path})" not in PAGES["README.md"]], [])


def as_printed(page):
    """Links as they are read on a terminal: pages of repair by their command, others by where they lie."""
    page = re.sub(r"\[[^\[\]]*\]\(([a-z-]+)\.md\)", r"`assay repair \1`", page)
    page = re.sub(r"\[([^\[\]]*)\]\(\.\./([^)]*)\)", r"\1 (docs/guide/\2)", page)
    return re.sub(r"\[([^\[\]]*)\]\((http[^)]*)\)", r"\1 (\2)", page)


def repair_leads_to_its_pages():
    tap.same([path for path in REPAIR if f"({path[len('docs/guide/'):]})" not in PAGES["docs/guide/repair.md"]], [])
    listed = re.findall(r"^  ([a-z-]+)  ", assay("repair")[1], re.MULTILINE)
    tap.same(listed, [os.path.basename(path)[:-3] for path in some(REPAIR, 20)])
    for page in listed:
        tap.same(assay("repair", page), (0, as_printed(PAGES[f"docs/guide/repair/{page}.md"])))


def xids_have_the_catalogs_actions():
    """Each number of the catalogue stands under its action, and no other does."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "log"), "w", encoding="utf-8") as file:
            file.writelines(f"[ 1.0] NVRM: Xid (PCI:0000:9b:00): {number}, pid=1, name=x\n" for number in range(1, 400))
        code, text = assay("parse", "xid", "log", folder=folder)
    found = {}
    for number, meaning, action in re.findall(r"Xid \(PCI:0000:9b:00\): (\d+), pid=1, name=x \(meaning: ([^\n]*?); action: ([^\n]*?)\)\"", text):
        if meaning != "not in the catalog":
            found.setdefault(action, []).append(int(number))
    said = {}
    for section in PAGES["docs/guide/repair/xid.md"].split("\n## ")[1:]:
        title, _, rest = section.partition("\n\n")
        said[title] = [int(number) for number in rest.split("\n\n")[0].replace("\n", " ").split(", ")]
    tap.same(said, found)


def readme_is_two_screens():
    tap.same(len(PAGES["README.md"].splitlines()) <= 100, True)


def commands_exist():
    known = re.findall(r"^  ([a-z]+)  ", assay("--help")[1], re.MULTILINE)
    spoken = [words.split() for words in re.findall(r"`assay ([^`]+)`", README)]
    for words in some(map(tuple, spoken + [words[1:] for words in COMMANDS if words[:1] == ["assay"]]), 8):
        tap.same((words, words[0] in known), (words, True))
        options = re.findall(r"(?<!\S)--?[A-Za-z-]+", " ".join(words))
        code, text = assay(*(words[:2] if words[0] in ("lab", "acceptance", "baseline", "contract", "platform", "periodic") else words[:1]), *(["--help"] if options else []))
        for option in options:
            tap.same((words, option, bool(re.search(rf"(?<![\w-]){option}(?![\w-])", text))), (words, option, True))


def first_cluster_is_planned():
    hostfile = some((block for block in BLOCKS if "defaults " in block), 1)[0]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "cluster"), "w", encoding="utf-8") as file:
            file.write(hostfile)
        for suite in ("delivery", "periodic", "smoke", "tuning"):
            code, text = assay("plan", "-H", "cluster", "-s", suite, folder=folder)
            tap.same((code, "hosts: 4" in text), (0, True))


def exit_statuses_are_told():
    text = assay("--help")[1].replace("\n", " ")
    for verdict, status in some(re.findall(r"^\| `([a-z ]+)` \|.*\| (\d) \|$", README, re.MULTILINE), 4):
        tap.same((verdict, f" {status} {verdict}," in text), (verdict, True))


def tools_lie_there():
    for folder in json.loads(read("suites/delivery.json"))["search_path"]:
        tap.same((folder, f"`{folder}`" in README), (folder, True))


def platforms_are_built_in():
    for name in os.listdir(os.path.join(ROOT, "suites/platforms")):
        tap.same((name, f"`{name[:-5]}`" in README), (name, True))


CASES = [
    ("each script exists and can be executed", scripts_exist),
    ("each file and link exists", files_exist),
    ("each row of what others check is a step of a built-in suite, or a gap that is said", handover_rows_are_steps_or_gaps),
    ("the README leads to each page of the guide", guide_is_led_to),
    ("repair leads to each page, and the program has each as it stands", repair_leads_to_its_pages),
    ("each Xid of the page of repair has the action that reports say", xids_have_the_catalogs_actions),
    ("the README is two screens", readme_is_two_screens),
    ("each command and option exists", commands_exist),
    ("the first real cluster can be planned", first_cluster_is_planned),
    ("the exit status of each verdict is the program's", exit_statuses_are_told),
    ("the folders of the tools are the suite's", tools_lie_there),
    ("each platform is named", platforms_are_built_in),
]

tap.run(CASES)
