# SPDX-License-Identifier: Apache-2.0
"""A question that is put wrongly: refused with exit status 64, told by its word and place, and nothing is left behind.

Nothing here connects to anything.
"""

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import time

from cluster import ASSAY, FOLDER, Tap, assay

tap = Tap()
# Without libssh there is no lab, whose questions are none of that program.
HAS_LAB = "has no lab" not in assay("lab", "faults").stderr


def of_this_build(words):
    return HAS_LAB or words[:1] != ("lab",) or words == ("lab",)


def write(name, text):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.write(text if isinstance(text, str) else json.dumps(text))


def suite(purpose, *steps):
    return {"name": "mine", "purpose": purpose, "steps": [{"check": "reachable"}, *steps]}


RATE = {"check": "gpu-burn", "gate": ["gpu_burn.gflops"]}  # no baseline has an enforceable limit for it

write("hosts", "defaults slots=8 platform=hgx-h100 user=ops\nnode[1-4] unit=su1 leaf=l1\n")
write("wrong-key", "node1 slots=8 platform=hgx-h100\nnode2 slots=8 platfrom=hgx-h100\n")
write("platform-typo", "node1 platform=hgx-h10\n")
write("wrong-value", "# racks\nnode1 slots=eight\n")
write("wrong-range", "node[1-x] slots=8\n")
write("one-host", "node1 platform=hgx-h100\n")
write("in-production", "defaults slots=8 platform=hgx-h100\nnode1 use=production\nnode2\n")
write("wrong-use", "node1 use=prod\n")
write("pair-of-hosts", "node[1-2] slots=8 platform=hgx-h100\n")
write("half-slurm", "defaults slots=8 platform=hgx-h100\nnode1 transport=slurm\nnode2\n")
write("default-for-defaults", "default user=ops platform=hgx-h100\nnode1\n")
write("twice", "node1 platform=hgx-h100\nnode1 platform=hgx-h100\n")
write("no-hosts", "# none yet\n")
write("no-platform", "node1 slots=8\n")
RAILS = " ".join(f"rail.mlx5_{i}=leaf{i}" for i in range(8))
write("rails", f"defaults platform=hgx-h100 {RAILS}\nnode[1-4] rail.mlx5_3=leaf3:[1-4]\n")
write("rail-missing", f"defaults platform=hgx-h100\nnode1 {RAILS}\n  node2 rail.mlx5_0=leaf0\n")
write("rail-unknown", f"defaults platform=hgx-h100 {RAILS}\nnode1 rail.mlx5_12=leaf1\n")
write("cabling.json", suite("trial", {"check": "cabling"}))
write("cabling-via.json", suite("trial", {"check": "cabling", "arguments": {"via": "cdp"}}))
write("probe.json", suite("trial", {"check": "probe-collective", "arguments": {"collective": "allreduce"}}))
write("probe-backend.json", suite("trial", {"check": "probe-collective", "arguments": {"backend": "auto"}}))
write("typo.json", suite("trial", {"check": "gpu-brun"}))
write("needs.json", suite("trial", {"check": "driver", "needs": ["inventory"]}))
write("argument.json", suite("trial", {"check": "gpu-burn", "arguments": {"secnods": 60}}))
write("comma.json", '{"name": "mine",\n "steps": [{"check": "reachable",}]}\n')
write("duplicate.json", '{"name": "mine",\n "name": "yours", "steps": [{"check": "reachable"}]}\n')
write("gate.json", suite("delivery", RATE))
write("gate-trial.json", suite("trial", RATE))
write("gate-with-limit.json", suite("delivery", {**RATE, "limits": [
    {"metric": "gpu_burn.gflops", "floor": 40000, "unit": "GFLOP/s", "source": "contract, clause 4", "status": "contract"}]}))
write("gate-with-guess.json", suite("delivery", {**RATE, "limits": [
    {"metric": "gpu_burn.gflops", "floor": 40000, "unit": "GFLOP/s", "source": "a hunch", "status": "guess"}]}))

write("flor.json", {"name": "b", "platforms": ["hgx-h100"], "limits": [
    {"metric": "p2p.unidirectional.enabled", "flor": 345, "unit": "GB/s", "source": "nccl#1264", "status": "field"}]})

RUN = ("run", "-H", "hosts", "-s", "delivery")
# (what is put wrongly, words of the command, what the message must have)
REFUSED = [
    ("no command", (), "usage: assay COMMAND"),
    ("an unknown command", ("frobnicate",), "'frobnicate'"),
    ("an unknown option", (*RUN, "--frob"), "'--frob'"),
    ("an option without its value", ("run", "-s", "delivery", "-H"), "-H|hostfile"),
    ("no hostfile", ("run", "-s", "delivery"), "-H HOSTFILE is missing"),
    ("no suite", ("run", "-H", "hosts"), "-s SUITE is missing: .*one of: .*delivery, .*smoke"),
    ("a command that other programs have", ("status",), "'status'; .*`assay list`.*`assay attach`"),
    ("another word for attach", ("board",), "'board'; `assay attach`"),
    ("a hostfile with default for defaults", ("run", "-H", "default-for-defaults", "-s", "delivery"), "default-for-defaults:1:1: .*did you mean defaults"),
    ("a report into a folder that is not there", (*RUN, "-o", "nowhere/r.html"), "-o nowhere/r.html: nowhere: No such file or directory; nothing was started"),
    ("a step that is like none", (*RUN, "--steps", "xyzzy"), "has no step 'xyzzy'; it has .*reachable, "),
    ("a step that is not for these hosts", ("run", "-H", "hosts", "-s", "site", "--steps", "line-elsewhere"),
     "nothing that it names is for these hosts: line-elsewhere: the hostfile declares no lines to elsewhere"),
    ("a language of show", ("show", "--lang", "fr"), "'fr'; expected en or zh"),
    ("a word too much", (*RUN, "extra"), "'extra'"),
    ("a hostfile that is missing", ("run", "-H", "nowhere", "-s", "delivery"), "nowhere: No such file"),
    ("a folder for a hostfile", ("run", "-H", ".", "-s", "delivery"), r"^assay: \."),
    ("a hostfile with an unknown key", ("run", "-H", "wrong-key", "-s", "delivery"),
     r"wrong-key:2:15: .*'platfrom'.*did you mean 'platform'"),
    ("a hostfile with a wrong value", ("run", "-H", "wrong-value", "-s", "delivery"), r"wrong-value:2:13: .*'eight'"),
    ("tests that load a host in production", ("run", "-H", "in-production", "-s", "delivery"),
     r"^assay: node1: in production .*gpu-burn.*--allow-active"),
    ("a plan of hosts of which one is reached over Slurm", ("plan", "-H", "half-slurm", "-s", "smoke"),
     r"^assay: 1 of 2 hosts have transport=slurm.*--hosts"),
    ("allocations of an unknown scheduler", ("run", "-H", "one-host", "-s", "delivery", "--exclusive-via", "slurms"),
     r"--exclusive-via 'slurms'; expected slurm"),
    ("no time to wait for an allocation", ("run", "-H", "one-host", "-s", "delivery", "--exclusive-via", "slurm", "--exclusive-wait",
                                           "soon"), r"--exclusive-wait 'soon'; expected minutes"),
    ("a host in some other use", ("run", "-H", "wrong-use", "-s", "delivery"), r"wrong-use:1:11: .*'prod'.*production or acceptance"),
    ("a hostfile with a wrong range", ("run", "-H", "wrong-range", "-s", "delivery"), r"wrong-range:1:6: .*'1-x'"),
    ("a host that stands twice", ("run", "-H", "twice", "-s", "delivery"), r"twice:2:1: .*'node1'.*line 1"),
    ("a hostfile without hosts", ("run", "-H", "no-hosts", "-s", "delivery"), "no-hosts"),
    ("a host without a platform", ("run", "-H", "no-platform", "-s", "delivery"), "platform"),
    ("a host without the rail of an HCA", ("run", "-H", "rail-missing", "-s", "cabling.json"),
     r"rail-missing:3:3: host 'node2' declares no rail for mlx5_1, .*'cabling'.* rail\.mlx5_1=SWITCH"),
    ("a rail of no HCA", ("run", "-H", "rail-unknown", "-s", "cabling.json"),
     r"rail-unknown:2:7: host 'node1': unknown HCA in 'rail\.mlx5_12'"),
    ("a way to the neighbours that there is not", ("run", "-H", "rails", "-s", "cabling-via.json"), "via is neither ib nor lldp"),
    ("a probe of an unknown collective", ("plan", "-H", "hosts", "-s", "./probe.json"), "'allreduce'; expected all_reduce"),
    ("a probe that may fall back to the CPU", ("plan", "-H", "hosts", "-s", "./probe-backend.json"),
     "'auto'; expected nccl or host"),
    ("an unknown suite", ("run", "-H", "hosts", "-s", "delivrey"), "'delivrey'.*delivery, gpu, periodic, site, smoke, soak, tuning"),
    ("a suite file that is missing", ("run", "-H", "hosts", "-s", "./none.json"), "none.json: No such file"),
    ("a suite that is no JSON", ("run", "-H", "hosts", "-s", "comma.json"), r"comma.json:2:\d+: .*'}'"),
    ("a suite with a key twice", ("run", "-H", "hosts", "-s", "duplicate.json"), r"duplicate.json:2:\d+: .*name"),
    ("a suite with an unknown check", ("run", "-H", "hosts", "-s", "typo.json"), r"typo.json:1:\d+: .*'gpu-brun'.*'gpu-burn'"),
    ("a step that needs no earlier step", ("run", "-H", "hosts", "-s", "needs.json"), r"needs.json:1:\d+: .*inventory"),
    ("an argument that the check does not know", ("run", "-H", "hosts", "-s", "argument.json"), "secnods"),
    ("an unknown baseline", (*RUN, "-b", "hgx-h1000"), "'hgx-h1000'.*hgx-h100"),
    ("a baseline of another platform", (*RUN, "-b", "hgx-a100"), "hgx-a100 is for platform hgx-a100.*they are of hgx-h100"),
    ("a host that is not in the hostfile", (*RUN, "--hosts", "node5"), "--hosts: .*'node5'"),
    ("a list of hosts that does not end", (*RUN, "--hosts", "node[1-"), r"--hosts: column 5: .*'node\[1-'"),
    ("a step that the suite has not", (*RUN, "--steps", "reachabel"), "--steps: .*'reachabel'"),
    ("no step at all", (*RUN, "--steps", ""), "--steps"),
    ("a number that is none", (*RUN, "--connections", "many"), "--connections .*'many'"),
    ("an unknown kind of progress", (*RUN, "--progress", "loud"), "'loud'.*auto, plain, json or none"),
    ("a delivery suite with a gate without a limit", ("run", "-H", "hosts", "-s", "gate.json"),
     "enforceable limit.*gpu_burn.gflops of step gpu-burn"),
    ("a delivery suite with a gate that is guessed", ("run", "-H", "hosts", "-s", "gate-with-guess.json"),
     "enforceable limit.*gpu_burn.gflops of step gpu-burn"),
    ("the plan of such a suite", ("plan", "-H", "hosts", "-s", "gate.json"),
     "enforceable limit.*gpu_burn.gflops.*assay contract init -H hosts -s gate.json -o contract.json"),
    ("an unknown word of contracts", ("contract", "innit"), "'innit' is none of init, show"),
    ("a resumed run with another hostfile", ("run", "--resume", "1", "-H", "hosts"), "assay.db|give none of them"),
    ("a resumed run with another limit of its searches", ("run", "--resume", "1", "--isolate-minutes", "9"),
     "--isolate-minutes.*leave it out with --resume"),
    ("no time for a search", (*RUN, "--isolate-minutes", "0"), "--isolate-minutes is '0'; expected a whole number"),
    ("a time for a search with its unit", (*RUN, "--isolate-minutes", "10m"), "--isolate-minutes is '10m'; expected a whole number"),
    ("a resumed run where there is no database", ("run", "--resume", "1"), "assay.db: No such file"),
    ("a run to show where there is no database", ("show", "1"), "assay.db: No such file"),
    ("a waiver of no run", ("waive",), "expected one RUN"),
    ("a waiver without a name", ("waive", "1", "--host", "node1", "--check", "gpu-burn", "--why", "x", "--until",
                                 "2099-01-01"), "expected --who NAME"),
    ("an unknown word of an acceptance", ("acceptance", "begin"), "'begin' is none of create"),
    ("an acceptance without a suite", ("acceptance", "create", "su", "-H", "hosts", "--db", "none/x.db"), "x.db|-s SUITE"),
    ("an option of another word", ("acceptance", "add", "su", "1", "--by", "x"), "'--by'"),
    ("an event of no acceptance", ("acceptance", "event", "su"), "expected NAME repair"),
    ("a run to judge where there is no database", ("judge", "1"), "assay.db: No such file"),
    ("an unknown word of baselines", ("baseline", "derrive"), "'derrive' is none of list, show, derive, check"),
    ("a baseline of no run", ("baseline", "derive"), "expected accepted runs"),
    ("a baseline from where there is no database", ("baseline", "derive", "1"), "assay.db: No such file"),
    ("a baseline to show that there is not", ("baseline", "show", "hgx-h1000"), "'hgx-h1000'.*hgx-h100"),
    ("a baseline with a misspelt key", ("baseline", "check", "./flor.json"), r'flor.json:1:\d+: unknown key "flor".*"floor"'),
    ("a list where there is no database", ("list", "--db", "other.db"), "other.db: No such file"),
    ("an unknown format of the report", ("report", "1", "--format", "pdf"), "'pdf'.*html"),
    ("an unknown language of the report", ("report", "1", "--lang", "xx"), "'xx'.*zh"),
    ("an unknown tool to parse", ("parse", "nvidia-sim"), "'nvidia-sim'"),
    ("no hostfile for a preflight", ("preflight",), "preflight: the hostfile is missing: expected assay preflight HOSTFILE"),
    ("no hostfile, by the older name", ("hosts",), "preflight: the hostfile is missing: expected assay preflight HOSTFILE"),
    ("a mistyped command", ("inventroy",), "unknown command 'inventroy'.*; did you mean 'inventory'\\?"),
    ("a mistyped --version", ("--verison",), "'--verison'.*; did you mean '--version'\\?"),
    ("an unknown option of a command that has words behind it", ("report", "--frob"), "assay: report: unknown option '--frob'"),
    ("a mistyped option", (*RUN, "--conections", "2"), "assay: run: unknown option '--conections'; did you mean '--connections'\\?"),
    ("a mistyped step", (*RUN, "--steps", "reachabel"), "has no step 'reachabel'; did you mean 'reachable'\\?"),
    ("a mistyped host", (*RUN, "--hosts", "ndoe2"), "has no host 'ndoe2'; did you mean 'node2'\\?"),
    ("a host of another number, which is no slip", (*RUN, "--hosts", "node5"), r"has no host 'node5'; it has node\[1-4\]\n"),
    ("a folder of tools that is missing", ("stage", "-H", "hosts", "notools"),
     "notools.*: No such file or directory\n.*`scripts/build-tools notools` makes such a folder"),
    ("a run by a folder of tools that is missing", (*RUN, "--tools", "notools"), "`scripts/build-tools notools` makes such a folder"),
    ("signers that are in no file", ("merge", "hosts", "--db", "merged.db", "--signers", "nofile"),
     "allowed signers nofile does not exist; .*NAME KEYTYPE KEY"),
    ("a mistyped host to bring tools to", ("stage", "-H", "hosts", "--hosts", "node[1-2],nod3", "."),
     "1 of the 3 hosts are not in hosts: 'nod3'; did you mean 'node3'\\?"),
    ("a mistyped platform", ("plan", "-H", "platform-typo", "-s", "smoke"), "'hgx-h10'.*; did you mean 'hgx-h100'\\?"),
    ("a mistyped suite", ("plan", "-H", "hosts", "-s", "delivrey"), "'delivrey'.*; did you mean 'delivery'\\?"),
    ("a mistyped word of acceptances", ("acceptance", "craete"), "none of create, .*; did you mean 'create'\\?"),
    ("a mistyped word of baselines", ("baseline", "derrive"), "; did you mean 'derive'\\?"),
    ("a mistyped word of contracts", ("contract", "innit"), "'innit' is none of init, show; did you mean 'init'\\?"),
    ("a mistyped word of platforms", ("platform", "lsit"), "'lsit' is none of list, derive; did you mean 'list'\\?"),
    ("a mistyped tool to parse", ("parse", "nvidia-sim"), "; did you mean 'nvidia-smi'\\?"),
    ("a mistyped word of labs", ("lab", "dwon"), "'dwon' is none of up, .*; did you mean 'down'\\?"),
    ("a mistyped profile of a lab", ("lab", "up", "2", "--dir", "L", "--profile", "hgx-h10"), "; did you mean 'hgx-h100'\\?"),
    ("a mistyped fault of a lab", ("lab", "up", "2", "--dir", "L", "--fault", "node1:ecc-uncorected"),
     "'ecc-uncorected'.*; did you mean 'ecc-uncorrected'\\?"),
    ("a lab of no hosts", ("lab", "up", "0"), "'0' is not a number of hosts"),
    ("a lab with an unknown fault", ("lab", "up", "2", "--dir", "L", "--fault", "node1:flood"), "column 7: 'flood'"),
    ("a lab with a fault on no host of it", ("lab", "up", "2", "--dir", "L", "--fault", "node3:down"), "'node3'"),
    ("a lab that is missing", ("lab", "down", "--dir", "nolab"), "nolab: No such file"),
]


def one_is_refused(what, words, message):
    done = assay(*words)
    text = done.stderr + done.stdout

    tap.ok(done.returncode == 64 and re.search(message, text), f"refused: {what}", f"exit status {done.returncode}", text)


before = set(os.listdir(FOLDER))
for row in REFUSED:
    if of_this_build(row[1]):
        one_is_refused(*row)
for words in (("run", "-H", "hosts", "-s", "delivery"), ("contract", "init", "-H", "hosts", "-s", "delivery")):
    one_is_refused(f"{words[0]}: an output that is read", (*words, "-o", "./hosts"), "-o: './hosts' is what --hostfile names, which would be written over")
one_is_refused("a report over the database that is made", ("run", "-H", "hosts", "-s", "delivery", "--db", "new.db", "-o", "new.db"),
               "-o: 'new.db' is the database, which would be written over")
one_is_refused("a plan of links over itself", ("links", "hosts", "-o", "hosts"), "-o: 'hosts' is what is read, which would be written over")
tap.same(set(os.listdir(FOLDER)) - before, set(), "none of them leaves a database, a report or a lab behind")

# --- a database without the run

sqlite3.connect(os.path.join(FOLDER, "empty.db")).close()
for command in ("show", "report", "judge"):
    asked = assay(command, "7", "--db", "empty.db")
    tap.ok(asked.returncode == 64 and not asked.stdout, f"{command}: an empty file is no database of runs, or has no run 7",
           asked.returncode, asked.stdout, asked.stderr)
write("text.db", "this is no database at all, only a text that is long enough to be read as a header\n" * 20)
one_is_refused("a report over its database", ("report", "7", "--db", "text.db", "-o", "./text.db"), "-o: './text.db' is the database, which would be written over")
asked = assay("list", "--db", "text.db")
tap.ok(asked.returncode == 64 and "text.db" in asked.stderr, "a file that is no database is refused by its name",
       asked.stderr)
asked = assay("import", "text.db", "--db", "imported.db")
tap.ok(asked.returncode == 64 and "text.db is not an evidence bundle\n" in asked.stdout + asked.stderr, "a text is no damaged bundle",
       asked.returncode, asked.stdout, asked.stderr)

# --- what is put well

for words in ((), ("run",), ("plan",), ("list",), ("show",), ("report",), ("judge",), ("waive",), ("baseline",), ("baseline", "derive"), ("baseline", "check"), ("acceptance",), ("acceptance", "status"), ("parse",), ("lab",)):
    asked = assay(*words, "--help")
    tap.ok(asked.returncode == 0 and asked.stdout.startswith("usage: assay") and not asked.stderr,
           f"assay {' '.join((*words, '--help'))} says how it is used", asked.returncode, asked.stderr)
for word in ("--version", "-V", "version"):
    asked = assay(word)
    tap.ok(asked.returncode == 0 and re.fullmatch(r"assay \d+\.\d+\.\d+\n", asked.stdout), f"{word}: the version is printed",
           asked.stdout)
tap.same([assay("help", "run").stdout, assay("help").stdout], [assay("run", "--help").stdout, assay("--help").stdout],
         "help, and help COMMAND, are --help")
for words in (("acceptance", "create"), ("baseline", "derive"), ("contract", "init"), ("lab", "up"), ("run", "now")):
    asked = assay("help", *words)
    tap.ok(asked.returncode == 0 and asked.stdout == assay(*words, "--help").stdout != assay("--help").stdout and not asked.stderr,
           f"help {' '.join(words)} is its --help", asked.returncode, asked.stdout, asked.stderr)
tap.same([assay("help", "help").stdout, assay("help", "version").stdout], [assay("--help").stdout, assay("version").stdout],
         "help of help, and of the version")
for words in (("run",), ("preflight",), ("plan",), ("stage",), ("report",), ("export",), ("acceptance", "create"), ("lab", "up")):
    if not of_this_build(words):
        continue
    lines = assay(*words, "--help").stdout.split("\n\n", 1)[1].splitlines()
    tap.same([line for line in lines if len(line) > 80], [], f"{' '.join(words)} --help: options fit into 80 columns")
shown = assay("run", "--help").stdout
tap.same([word for word in ("Which hosts", "What is run", "Output", "Connection") if f"\n{word}:\n" not in shown], [],
         "run --help: options stand in groups")
tap.same([assay("run", "--Which").returncode, "--Which" in assay("run", "--Which").stderr], [64, True], "the title of a group is no option")
tap.same([assay("hosts", "--help").stdout, assay("help", "hosts").stdout], [assay("preflight", "--help").stdout] * 2,
         "assay hosts, the older name, is assay preflight")
overview = assay("--help").stdout
tap.same([line for line in overview.splitlines() if len(line) > 80], [], "assay --help fits into 80 columns")
tap.same(re.findall(r"^(\S[^:\n]*):$", overview, re.M),
         ["before a run", "run", "what a run found", "acceptance", "sites and history", "to try it, and to look inside"],
         "assay --help: commands stand in groups")
tap.ok("\n  hosts " not in overview and "\n  preflight " in overview, "the older name of a command is not in the overview", overview)
for words in (("run",), ("report",), ("acceptance",), ("contract",), ("contract", "init"), ("lab",), ("lab", "up")):
    if not of_this_build(words):
        continue
    told = assay(*words, "--help").stdout
    tap.ok(re.search(rf"\nexamples:\n(    assay .*\n)*    assay {words[0]} ", told) is not None, f"{' '.join(words)} --help has examples", told)
    tap.same([line for line in told.splitlines() if len(line) > 80], [], f"{' '.join(words)} --help fits into 80 columns")
told = assay("lab", "--help").stdout
tap.same([word for word in ("--fabric KIND", "--bmc KIND", "what connects the hosts", "how the BMCs are asked") if HAS_LAB and word not in told], [],
         "lab --help has the options of up")
for words in (("run",), ("plan",)):
    built_in = re.search(r"built-in one:\s+((?:[a-z]+,?\s+)+)", assay(*words, "--help").stdout)[1].replace(",", " ").split()
    tap.same(built_in[:8], ["collect", "delivery", "gpu", "periodic", "site", "smoke", "soak", "tuning"], f"{words[0]} --help names all built-in suites")

# --- what leads to the next step

page = assay("repair", "gpu-memory").stdout
tap.same(assay("repair", "ecc").stdout, page, "repair of a check is its page")
tap.ok("](" not in page and "`assay repair rma`" in page, "a link of a page is the command that prints it", page)
several = assay("repair", "gpu-inventory")
tap.ok(several.returncode == 0 and {"gpu-missing", "gpu-settings", "pcie"} <= set(re.findall(r"^  assay repair (\S+)", several.stdout, re.M)),
       "repair of a check that several pages are about lists them", several.stdout, several.stderr)
nothing = assay("repair", "frobnicate")
tap.ok(nothing.returncode == 64 and "no page 'frobnicate'" in nothing.stderr, "repair of what there is not", nothing.stderr)
for step in (*(name for suite_name in ("delivery", "soak") for name in ("rdma-pair", "nccl-all-reduce-cluster", "gpu-burn")),):
    done = assay("repair", step)
    tap.ok(done.returncode == 0 and "assay repair" in done.stdout, f"repair {step}: a step of a suite leads to its pages", done.stderr)
for words, wanted in ((("plan", "-H", "nofile", "-s", "smoke"), ("hostfiles/README.md", "assay inventory")),
                      (("plan", "-H", "hosts", "-s", "./none.json"), ("suites/README.md",)),
                      (("plan", "-H", "hosts", "-s", "smoke", "--contract", "none.json"), ("assay contract init",)),
                      (("contract", "show", "none.json"), ("assay contract init",)),
                      (("explain",), ("assay repair", "assay show")),
                      (("verify", "x.html"), ("x.html: there is no such file",))):
    done = assay(*words)
    tap.ok(done.returncode == 64 and all(word in done.stderr for word in wanted) and "verified" not in done.stdout,
           f"{' '.join(words)}: says what to do", done.stdout, done.stderr)
write("program", "\x7fELF\0\1\n" + "\0\1\n" * 30)
tap.same(assay("plan", "-H", "program", "-s", "smoke").stderr.count("NUL byte"), 1, "a program as a hostfile: once")
tap.ok("did you mean" not in assay("parse", "foo").stderr and "did you mean 'fio'" in assay("parse", "fioo").stderr,
       "parse: only what is near is offered")
asked = assay("help", "rnu")
tap.ok(asked.returncode == 64 and "did you mean 'run'" in asked.stderr, "help of a command that there is not", asked.stderr)
for words in (("--help",), ("run", "--help"), ("lab", "faults"), ("baseline", "show", "hgx-h100"),
              ("plan", "-H", "hosts", "-s", "smoke"), ("plan", "-H", "hosts", "-s", "delivery", "--format", "json"), ("version",),
              ("help", "acceptance", "create"), ("plan", "--checks"), ("platform", "list"), ("parse", "--help"),
              ("lab", "profiles")):
    if not of_this_build(words):
        continue
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([ASSAY, *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=FOLDER, check=False)
    tap.ok(done.returncode == 70 and "standard output took not all of it" in done.stderr,
           f"assay {' '.join(words)} > a full disk: exit status 70, and it says so", done.returncode, done.stderr)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([ASSAY, *words], stdout=writing, stderr=subprocess.PIPE, text=True, cwd=FOLDER, check=False)
    os.close(writing)
    tap.same((done.returncode, "output" in done.stderr), (0, False), f"assay {' '.join(words)} | a reader that left: no word of it",
             done.stderr)


# --- a site's own platform

with open(os.path.join(os.path.dirname(__file__), "../../suites/platforms/hgx-h100.json"), encoding="utf-8") as file:
    reference = file.read()
os.makedirs(os.path.join(FOLDER, "other"), exist_ok=True)
write("mine.json", reference.replace('"hgx-h100"', '"mine"'))
write("other/mine.json", reference.replace('"hgx-h100"', '"mine"').replace('"count": 8', '"count": 4'))
write("own", "a platform=./mine.json\nb platform=mine.json\n")
write("two", "a platform=mine.json\nb platform=other/mine.json\n")
write("called", "a platform=./other/called.json\n")
write("other/called.json", reference)
asked = assay("plan", "-H", "own", "-s", "smoke", "--full")
tap.ok(asked.returncode == 0 and " on mine" in asked.stdout + asked.stderr, "plan: a site's own platform, called by its path",
       asked.returncode, asked.stdout[-300:], asked.stderr)
for hosts, message in (("two", "other/mine.json: another platform .*'mine'"), ("called", "called.json.*'hgx-h100'")):
    one_is_refused(f"platforms that are not what they are called ({hosts})", ("plan", "-H", hosts, "-s", "smoke"), message)


def plan(*words):
    return assay("plan", "-H", "hosts", "--full", *words)


asked = plan("-s", "delivery")
burn = [line for line in asked.stdout.splitlines() if re.search(r" gpu_burn\.gflops ", line)]
tap.ok(len(burn) == 2 and all("compared with its peers: a remark from 5%, a fail from 7%" in line for line in burn),
       "plan: a rate without a figure is compared with its peers, and the plan says from where it fails", burn)
alltoall = [line for line in asked.stdout.splitlines() if re.search(r"gate +nccl\.alltoall\.busbw", line)]
write("many-hosts", "defaults platform=hgx-h100\nnode[001-232]\n")
asked = assay("plan", "-H", "many-hosts", "--full", "-s", "delivery")
alltoall += [line for line in asked.stdout.splitlines() if re.search(r"gate +nccl\.alltoall\.busbw +1 .*>= 13 GB/s \(computed: ", line)]
tap.same(len(alltoall), 2, "plan: alltoall is a gate on 232 hosts")
write("more-hosts", "defaults platform=hgx-h100\nnode[0001-1250]\n")
asked = assay("plan", "-H", "more-hosts", "--full", "-s", "delivery")
alltoall = re.findall(r"(gate|record) +nccl\.alltoall\.busbw +1 (.*)", asked.stdout)
tap.ok(asked.returncode == 0 and alltoall and all(duty == "record" and " >= " not in words for duty, words in alltoall),
       "plan: alltoall on 1,250 hosts, of which nobody has measured it, is recorded", alltoall, asked.stderr)
asked = assay("baseline", "show", "hgx-h100")
tap.ok(asked.returncode == 0 and "\np2p.unidirectional.enabled: >= 345 GB/s [field]\n    source: measured 365-394: nccl#1264"
       in asked.stdout, "baseline show: every figure with its source", asked.stdout[:1500], asked.stderr)
site = {"name": "site", "platforms": ["hgx-h100"], "limits": [
    {"metric": "p2p.unidirectional.enabled", "floor": 360, "unit": "GB/s", "source": "nccl#1264", "status": "field"}]}
os.makedirs(os.path.join(FOLDER, "site"), exist_ok=True)
write("site/site.json", site)
# A contract to begin with: what it says is what the plan went by, so that the plan owes the same by it.
asked = assay("contract", "init", "-H", "hosts", "-s", "delivery", "--name", "site9", "-o", "begun.json")
tap.same((asked.returncode, [line for line in asked.stderr.splitlines() if "only records it" not in line][:-1]), (0, []),
         "contract init writes a contract")
tap.ok(re.search(r"begun\.json is written, with \d+ clauses; next: .*`assay contract show begun\.json`", asked.stderr) and
       "\nassay: note: " in "\n" + asked.stderr, "contract init says what it wrote, and what is next", asked.stderr)
warned = asked.stderr
with open(os.path.join(FOLDER, "begun.json"), encoding="utf-8") as file:
    draft = json.load(file)
begun = {clause["metric"]: clause for clause in draft["limits"]}
tap.ok(all(re.search(r": (field|vendor|datasheet|provisional|computed|self|tool): .", clause["source"]) for clause in begun.values()) and
       "p2p.unidirectional.enabled" in begun and "nccl.all_reduce.busbw" in begun,
       "contract init: each clause has our figure with its status and source", list(begun.values())[:3])
plain, agreed = assay("plan", "-H", "hosts", "-s", "delivery"), assay("plan", "-H", "hosts", "-s", "delivery", "--contract", "begun.json")
tap.same((agreed.returncode, agreed.stdout.splitlines()[-1:]), (0, plain.stdout.splitlines()[-1:]), "contract init: by it the plan owes the same",
         agreed.stderr)
gates = set(re.findall(r"^ +gate +(\S+)", plan("-s", "delivery").stdout, re.MULTILINE))
recorded, by_rules = re.fullmatch(r".* would judge it: (.*)\. Gates .* rules of the checks: (.*)", draft["note"]).groups()
tap.ok(len(gates) > 120 and gates - set(begun) == set(by_rules.split(", ")) | {"pcie.generation"} and
       {"gpu.uuid", "host.machine", "gpu_burn.lasted", "ib.counter.link_downed"} <= set(by_rules.split(", ")),
       "contract init: each gate of the plan has a clause, or the note names it", gates - set(begun), draft["note"])
# It has a figure, and goes by no rule of its check; counters that may not grow between two looks go by nothing else.
tap.ok(recorded == "pcie.generation" and recorded not in by_rules.split(", ") and "pcie.generation has no clause: step pcie-link only records it"
       in warned, "contract init: what another step only records is named as that", draft["note"], warned)
tap.ok(begun["gpu_burn.verdict"]["equal"] == "ok" and ": tool: " in begun["gpu_burn.verdict"]["source"] and begun["gpu_burn.errors"]["ceiling"] == 0,
       "contract init: what a tool's word means is a clause too, and says so", begun["gpu_burn.verdict"])
tap.same([(begun[metric]["floor"], begun[metric]["source"].split(": ")[1]) for metric in ("rdma.write.bandwidth", "rdma.write.gpudirect.bandwidth")],
         [(384, "vendor"), (370, "vendor")], "contract init: of several figures of an item it has the one that decides")
# The same as a table that people agree by: a row for each clause, and whose figure it is in words.
shown = assay("contract", "show", "begun.json")
lines = shown.stdout.splitlines()
at = next((i for i, line in enumerate(lines) if line.startswith("Clause ")), len(lines))
busbw = next((line for line in lines if re.search(r"\snccl\.all_reduce\.busbw\s.*all hosts together", line)), "")
tap.ok(shown.returncode == 0 and [line.split()[:2] for line in lines[at + 1:at + 1 + len(draft["limits"])]] == [[clause["clause"], clause["metric"]] for clause in draft["limits"]],
       "contract show: each clause of the file has a row, with its number and metric", shown.stdout[:1500], shown.stderr)
tap.ok(re.search(r"hgx-h100, all hosts together, 4 hosts, messages of \d+[KMG]? .* >= [\d.]+ GB/s +_+  assay proposes: [a-z]+: \S", busbw) and
       not any(CONTROL in shown.stdout for CONTROL in ("proposed by assay", "(null)")),
       "contract show: a row says where it holds, the limit, whose figure it is, and has room for what is agreed", busbw)
with open(os.path.join(FOLDER, "begun.json"), "rb") as file:
    tap.ok(hashlib.sha256(file.read()).hexdigest() in shown.stdout, "contract show: it says of which file it is", lines[:4])
shown = assay("contract", "show", "begun.json", "--format", "html", "--lang", "zh", "-o", "begun.html")
with open(os.path.join(FOLDER, "begun.html"), encoding="utf-8") as file:
    page = file.read()
tap.ok(shown.returncode == 0 and page.count("<td></td></tr>") == len(draft["limits"]) and "<th>商定" in page and "全部主机一起" in page and
       "assay 提议：厂商" in page, "contract show: a page for the other side, in Chinese too", page[-3000:-2000], shown.stderr)
write("agreed.json", {"name": "site9", "limits": [
    {"clause": "4.2 <b>", "metric": "nccl.*.busbw", "hosts_min": 2, "floor": 300, "unit": "GB/s", "source": "annex C, agreed <in> May"},
    {"clause": "5", "metric": "os.kernel", "same": True}]})
shown = assay("contract", "show", "agreed.json")
rows = [re.split(r"  +", line) for line in shown.stdout.splitlines()]
tap.same([row for row in rows if row[0] in ("4.2 <b>", "5")],
         [["4.2 <b>", "nccl.*.busbw", "speed of collectives", "2 hosts or more", ">= 300 GB/s", "____________", "annex C, agreed <in> May"],
          ["5", "os.kernel", "operating system and its settings", "everything", "same on all hosts", "____________", ""]], "contract show: of a contract of one's own it has what stands there")
tap.ok(all(f"For the {party}: name, date, signature\n____" in shown.stdout for party in ("supplier", "customer")),
       "contract show: both parties have a line to sign", shown.stdout[-400:])
shown = assay("contract", "show", "agreed.json", "--format", "html")
tap.ok("4.2 &lt;b&gt;" in shown.stdout and "<in>" not in shown.stdout, "contract show: no clause writes into the page", shown.stdout[-1500:])
tap.same([(asked.returncode, asked.stderr.startswith("assay: ")) for asked in (assay("contract", "show"), assay("contract", "show", "none.json"),
         assay("contract", "show", "agreed.json", "--format", "pdf"), assay("contract", "show", "agreed.json", "--lang", "fr"))],
         [(64, True)] * 4, "contract show: no file, a wrong format or language is refused")
# By the square of hosts it took eighty times what the plan itself takes.
write("in-leaves", "defaults platform=hgx-h100\n" + "".join(f"node[{at:04d}-{at + 15:04d}] leaf=l{at}\n" for at in range(1, 1250, 16)))
took = []
for words in (("plan",), ("contract", "init", "-o", "large.json")):
    begun_at = time.monotonic()
    asked = assay(*words, "-H", "in-leaves", "-s", "delivery")
    took.append((asked.returncode, time.monotonic() - begun_at))
tap.ok([status for status, _ in took] == [0, 0] and took[1][1] < 10 * took[0][1],
       "contract init: over 1,264 hosts it takes about as long as their plan", took)
PLATFORMS = sorted(name[:-5] for name in os.listdir(os.path.join(os.path.dirname(__file__), "../../suites/platforms")) if name.endswith(".json"))


def weaker_by_its_draft(platform, count):
    """What the untouched draft of these hosts is judged by in place of stricter limits."""
    hosts, draft = f"{platform}-{count}", f"{platform}-{count}.json"
    write(hosts, f"defaults platform={platform}\nnode[1-{count}]\n")
    begun = assay("contract", "init", "-H", hosts, "-s", "delivery", "-o", draft)
    asked = assay("plan", "-H", hosts, "-s", "delivery", "--contract", draft)
    weaker = "weaker" in asked.stdout or asked.returncode != 0 or begun.returncode != 0
    return [(platform, count, begun.stderr, asked.stdout[-1500:], asked.stderr)] if weaker else []


tap.same(sum((weaker_by_its_draft(platform, count) for platform in PLATFORMS for count in (1, 2, 8)), []), [],
         "contract init: nowhere does the untouched draft ask for less than without it")
# Clauses that judge nothing here say why, each by its place.
write("clauses.json", """{"name": "site9", "limits": [
{"clause": "1", "metric": "gpu_burn.tensor.gflop", "floor": 1, "unit": "GFLOP/s"},
{"clause": "8", "metric": "rdma.write.bandwidth", "floor": 384, "unit": "Gb/s"},
{"clause": "8b", "metric": "rdma.write.bandwidth", "floor": 390, "unit": "Gb/s"},
{"clause": "9", "metric": "nccl.all_gather.busbw", "hosts_min": 5, "floor": 30, "unit": "GB/s"},
{"clause": "10", "metric": "ecc.mode", "equal": "Enabled", "platform": "hgx-h200"},
{"clause": "11", "metric": "p2p.unidirectional.enabled", "floor": 900, "unit": "GB/s"}]}
""")
write("unit.json", """{"name": "site9", "limits": [
{"clause": "11", "metric": "p2p.unidirectional.enabled", "floor": 300, "unit": "Gb/s"}]}
""")
for words, message in (
        (("clauses.json",), r"clauses\.json:2:1: clauses of the contract that nothing in this plan is judged by: "
                            r"1 \(gpu_burn\.tensor\.gflop\), 8b \(rdma\.write\.bandwidth\), 9 \(nccl\.all_gather\.busbw\), 10 \(ecc\.mode\); expected"),
        (("clauses.json",), r"clauses\.json:2:1: clause 1: nothing in this plan measures gpu_burn\.tensor\.gflop; did you mean gpu_burn\.tensor\.gflops\?"),
        (("clauses.json",), r"clauses\.json:4:1: clause 8b: clause 8 comes first, and all of rdma\.write\.bandwidth is judged by it"),
        (("clauses.json",), r"clauses\.json:5:1: clause 9: it is for 5 or more hosts, and nccl\.all_gather\.busbw is measured here over \d"),
        (("clauses.json",), r"clauses\.json:6:1: clause 10: it is for hosts of platform hgx-h200, and ecc\.mode is measured here on hgx-h100"),
        (("unit.json",), r"unit\.json:2:\d+: the limit >= 300 Gb/s for p2p\.unidirectional\.enabled .* is in 'Gb/s', the metric in 'GB/s'")):
    asked = assay("plan", "-H", "hosts", "-s", "delivery", "--contract", *words)
    tap.ok(asked.returncode == 64 and re.search(message, asked.stderr), f"a clause that judges nothing: {message[-60:]}", asked.returncode, asked.stderr)
asked = assay("plan", "-H", "hosts", "-s", "delivery", "--hosts", "node[1-2]", "--contract", "clauses.json")
tap.ok(asked.returncode == 0 and "\nnote: clause 8b: clause 8 comes first" in asked.stdout and
       re.search(r"\nnote: clause 11: a floor of 900 GB/s for p2p\.unidirectional\.enabled is more than platform hgx-h100 can reach "
                 r"\(450 GB/s: rate of a GPU's NVLinks\), so no host can meet it", asked.stdout),
       "of a part of the hosts they are notes, and so is a floor above what the links carry", asked.stdout, asked.stderr)
asked = assay("contract", "init", "-H", "hosts", "-s", "soak", "-o", "soak-contract.json")
write("windows.json", """{"name": "site9", "limits": [
{"clause": "1", "metric": "window.ib.bytes", "scope": "cluster", "floor": 17000000000, "unit": "B"},
{"clause": "2", "metric": "window.ib.rnr_nak_retry_err.rate", "ceiling": 1e-9, "unit": "rate"},
{"clause": "3", "metric": "window.memory_temperature.max", "ceiling": 95, "unit": "C"}]}
""")
agreed = plan("-s", "delivery", "--contract", "windows.json")
tap.ok(agreed.returncode == 0 and all(re.search(rf"^ +gate +{metric} .*contract", agreed.stdout, re.MULTILINE) for metric in
                                      (r"window\.ib\.bytes", r"window\.ib\.rnr_nak_retry_err\.rate", r"window\.memory_temperature\.max")),
       "a contract may name what a test carried, its errors of each bit, and how warm it became", agreed.stdout[-1500:], agreed.stderr)
with open(os.path.join(FOLDER, "soak-contract.json"), encoding="utf-8") as file:
    soaked = json.load(file)
tap.ok(asked.returncode == 0 and not [clause for clause in soaked["limits"] if ".loaded." in clause["metric"]] and
       "nccl.all_gather.loaded.busbw" in soaked["note"].split("rules of the checks: ")[1].split(", "),
       "contract init: what a soak's slices are to one another is no clause", asked.stderr)
asked = assay("contract", "init", "-H", "hosts", "-s", "gate.json", "-o", "none.json")
tap.ok("there is no figure for gpu_burn.gflops of step gpu-burn" in asked.stderr, "contract init: what nobody has a figure for is named",
       asked.returncode, asked.stderr)

asked = assay("baseline", "list", "site")
tap.ok(asked.returncode == 0 and re.search(r"(?m)^hgx-h100 +hgx-h100 +\d+ +\d+  built in", asked.stdout) and
       re.search(r"(?m)^site +hgx-h100 +1 +0  site/site.json$", asked.stdout), "baseline list: built-in ones, and those of a folder",
       asked.returncode, asked.stdout, asked.stderr)
asked = assay("baseline", "check", "site/site.json")
tap.same((asked.returncode, asked.stdout), (0, "site: 1 limit, 0 errors, 0 remarks\n"), "baseline check: nothing is wrong", asked.stderr)
site["limits"][0]["floor"] = 2880  # bits
write("site/site.json", site)
asked = assay("baseline", "check", "site/site.json")
tap.ok(asked.returncode == 1 and re.search(r"(?m)^site/site.json:1:\d+: limits\[0\]: a floor of 2880 GB/s .* reach over 1 host, 450 GB/s",
                                          asked.stdout), "baseline check: a floor above what NVLink carries, by its place",
       asked.returncode, asked.stdout, asked.stderr)

for many in (4, 16, 208, 1250):
    write("many", f"defaults platform=hgx-h100\nnode[1-{many}]\n")
    asked = assay("plan", "-H", "many", "-s", "delivery")
    tap.ok(asked.returncode == 0 and len(asked.stdout.splitlines()) < 50 and f"\nhosts: {many}\n" in asked.stdout and
           re.search(r"\n    reachable, privilege, .*(\n    .*)*\n\n", asked.stdout) and
           re.search(rf"\n  gpu-burn +each host +{many} +31m 00s +\d+ +\d+\n", asked.stdout) and
           re.search(r"published a limit.*\n    gpu_burn.tensor.gflops", asked.stdout) and
           "\n    storage: the hostfile declares no storage" in asked.stdout, f"the plan of {many} hosts is one screen", asked.stdout, asked.stderr)

asked = plan("-s", "delivery")
steps = re.findall(r"^ *(\d+)\. ([a-z0-9-]+) \(", asked.stdout, re.MULTILINE)
total = re.search(r"^(\d+) tests require (\d+) measurements: (\d+) gates and (\d+) records; about ", asked.stdout, re.MULTILINE)
with open(os.path.join(os.path.dirname(__file__), "../../suites/delivery.json"), encoding="utf-8") as file:
    delivery = json.load(file)["steps"]
# The hostfile declares neither cables nor storage nor leaves nor a probe nor addresses of BMCs, and says nothing of the fabric; an H100's NVLinks end at the host.
absent = {"storage", "roce", "cabling", "cabling-lldp", "cabling-fabric", "nccl-all-gather-leaves", "nvlink-domain", "redfish",
          "gpu-sdc"}
delivery = [step for step in delivery if step.get("name", step["check"]) not in absent]
across = [step for step in delivery if step.get("scope") == "cluster"]
pairs = {"ring": 4, "disjoint": 2}
owed = sum(pairs[step["by"]] if step.get("scope") == "pair" else 1 if step in across else 4 for step in delivery)
tap.same([name for _, name in steps], [step.get("name", step["check"]) for step in delivery],
         "plan: the delivery suite's steps, in their order", asked.stdout[:500], asked.stderr)
tap.ok(total and int(total[1]) == owed and int(total[2]) == int(total[3]) + int(total[4]) and len(across) == 4,
       "plan: each step on each of four hosts, four over all, each measurement a gate or a record", asked.stdout[-200:])
tap.ok(not re.search(r"^ +gate .*\d\s*$", asked.stdout, re.MULTILINE), "plan: every gate shows its limit",
       re.findall(r"^ +gate .*\d\s*$", asked.stdout, re.MULTILINE))
tap.ok(">= 455 GB/s (field:" in asked.stdout and "node[1-4]" in asked.stdout, "plan: limits with their source, hosts by name")


def expected_s(*words):
    """Of one step on each of the four hosts."""
    told = plan("-s", "delivery", "--steps", "dcgm-diag", *words).stdout
    about = re.search(r"records; about (.*)$", told, re.MULTILINE)[1]
    return sum(float(count) * {"h": 3600, "m": 60, "s": 1}[unit] for count, unit in re.findall(r"([\d.]+) ?([hms])", about))


tap.same([expected_s("--hosts-at-once", count) / expected_s() for count in ("1", "2", "3", "4", "9")], [4, 2, 2, 1, 1],
         "plan: with --hosts-at-once the time for their turns", expected_s())

asked = plan("-s", "delivery", "--hosts", "node[2-3]", "--steps", "reachable,gpu-inventory")
told = asked.stdout + asked.stderr
tap.ok(asked.returncode == 0 and "hosts: 2\n" in told and "on each host: 2 steps" in told, "plan: --hosts narrows it", told)
tap.same(set(re.findall(r"^ *\d+\. ([a-z0-9-]+) .*left out by --steps", told, re.MULTILINE)),
         {name for _, name in steps} - {"reachable", "gpu-inventory"}, "plan: --steps narrows it", told)
tap.ok("at best be `incomplete`" in told, "plan: what --steps leaves out is owed all the same", told)
for words in (("--limit", "node[2-3]"), ("--limit=node[2-3]",), ("-l", "node[2-3]")):
    tap.same(plan("-s", "delivery", *words, "--steps", "reachable,gpu-inventory").stdout, asked.stdout,
             f"plan: {' '.join(words)} is --hosts")
for words in (("run",), ("preflight",), ("stage",), ("plan",), ("acceptance", "event")):
    tap.ok("-l, --limit LIST" in assay(*words, "--help").stdout, f"{' '.join(words)}: -l and --limit beside --hosts")
asked = plan("-s", "gate-trial.json")
tap.ok(asked.returncode == 0 and re.search(r"(?s)gpu_burn\.gflops.*(limit|inconclusive)", asked.stdout + asked.stderr),
       "plan: a trial suite with a gate without a limit is warned of", asked.stdout, asked.stderr)
asked = plan("-s", "gate-with-limit.json")
tap.ok(asked.returncode == 0 and "contract, clause 4" in asked.stdout, "plan: the contract's limit makes it a delivery suite",
       asked.stdout, asked.stderr)
asked = assay("plan", "--checks")
tap.ok(asked.returncode == 0 and "gpu-burn" in asked.stdout and "seconds" in asked.stdout,
       "plan --checks: the checks and their arguments")
asked = assay("plan", "-H", "in-production", "-s", "delivery")
tap.ok(asked.returncode == 0 and re.search(r"note: node1: in production .*gpu-burn.*without --allow-active", asked.stdout),
       "plan: what will not run on hosts in production is said", asked.stdout[-600:])
asked = assay("plan", "-H", "in-production", "-s", "smoke", "--steps", "reachable,driver")
tap.ok(asked.returncode == 0 and "in production" not in asked.stdout, "plan: steps that are left out load no host in production", asked.stdout[-600:])
asked = assay("plan", "-H", "pair-of-hosts", "-s", "delivery", "--hosts", "node1", "--steps", "ecc")
tap.ok(asked.returncode == 0 and "will not run: " in asked.stdout and '"gate" names' not in asked.stdout,
       "plan: of a step that is left out nothing else is said to judge nothing", asked.stdout[-600:], asked.stderr)
tap.ok("assay.db" not in os.listdir(FOLDER), "a plan makes no database")
tap.end()
