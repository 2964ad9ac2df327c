# SPDX-License-Identifier: Apache-2.0
"""`assay links`: what loads every link of a fabric, and which link flows and counters show to be bad.

The fabric, its routes and what its ports count are made up here, apart from the program's own model; at the end what
ibdiagnet says on a host of the lab.

With PROBE, the program that runs the flows, by the real mpirun on this machine: a host is one of its ranks.

usage: test_links.py ASSAY [PROBE]

test_fabric_links.py has the lab's fabric as it should be; here its cables are swapped.
"""

import json
import os
import re
import subprocess
import sys

from cluster import FOLDER, Lab, Tap, assay, write

tap = Tap()
HOSTS, LEAVES, SPINES, GBITS, SECONDS = 12, 3, 2, 400, 50
DOWN = HOSTS // LEAVES


# A switch is ("leaf", 0) or ("spine", 1); a link joins (node, port) and (node, port). Two uplinks from each leaf to each spine.
host_links = [((("host", h), 1), (("leaf", h // DOWN), h % DOWN + 1)) for h in range(HOSTS)]
up_links = [((("leaf", l), DOWN + 2 * s + k + 1), (("spine", s), 2 * l + k + 1)) for l in range(LEAVES) for s in range(SPINES) for k in range(2)]
LINKS = host_links + up_links
FAR = {a: b for a, b in LINKS} | {b: a for a, b in LINKS}
KIND = {"host": 0xa0, "leaf": 0xb0, "spine": 0xc0}


def lid(node):
    return {"host": 1, "leaf": 101, "spine": 201}[node[0]] + node[1]


def guid(node):
    return f"{KIND[node[0]]:02x}88c203{node[1]:04x}0000"


def name(node):
    return f"node{node[1] + 1} mlx5_0" if node[0] == "host" else f"MF0;{node[0]}{node[1] + 1}:MQM9700/U1"


def route(switch, to):
    """The port by which a switch sends to a host."""
    leaf, slot = to // DOWN, to % DOWN
    if switch[0] == "leaf":
        return slot + 1 if switch[1] == leaf else DOWN + slot + 1
    return 2 * leaf + slot % 2 + 1


def ways(a, b):
    """(node, port) of each port that sends."""
    sent, at = [(("host", a), 1)], FAR[(("host", a), 1)][0]
    while at != ("host", b):
        sent.append((at, route(at, b)))
        at = FAR[sent[-1]][0]
    return sent


def end(node, port):
    kind = "CA" if node[0] == "host" else "SW"
    return (f"{{ {kind} Ports:41 SystemGUID:{guid(node)} NodeGUID:{guid(node)} PortGUID:{guid(node)} VenID:000002C9 DevID:D2F2 "
            f"Rev:000000A0 {{{name(node)}}} LID:{lid(node):04X} PN:{port:02X} }} ")


def lst(links):
    return "".join(end(*a) + end(*b) + "PHY=4x LOG=ACT SPD=100\n" for a, b in links)


SWITCHES = [("leaf", l) for l in range(LEAVES)] + [("spine", s) for s in range(SPINES)]
FDBS = "\n".join(f"osm_ucast_mgr_dump_ucast_routes: Switch 0x{guid(switch)}\nLID    : Port : Hops : Optimal\n"
                 + "".join(f"0x{lid(('host', h)):04x} : {route(switch, h):03d}  : 00   : yes\n" for h in range(HOSTS))
                 for switch in SWITCHES)
links, routes, flows = write("x.lst", lst(LINKS)), write("x.fdbs", FDBS), os.path.join(FOLDER, "flows")


def counters(number, sent, received, errors, mute=()):
    return write(f"counters{number}", "".join(
        f"# Port extended counters: Lid {lid(node)} port {port} (CapMask: 0x5300 CapMask2: 0x0000002)\nPortSelect:......................{port}\n"
        f"CounterSelect:...................0x0000\nPortXmitData:....................{sent.get((node, port), 0)}\n"
        f"PortRcvData:.....................{received.get((node, port), 0)}\nPortMulticastRcvPkts:............0\nCounterSelect2:..................0x0000\n"
        f"SymbolErrorCounter:..............{errors.get((node, port), 0)}\nQP1Dropped:......................0\n"
        for node, port in FAR if (node, port) not in mute))


def run_rounds(slow=(), erring=(), deaf=(), share=0.98, mute=()):
    """Runs the flows of the file: what they reached, and the files of counters. deaf: ports whose counters stand still; mute: ports
    that are not asked; share: of the rate, what a flow without a fault reaches."""
    sent, received, errors, out, files = {}, {}, {}, "", []
    files.append(counters(0, sent, received, errors, mute))
    for number, part in enumerate(re.split(r"# round \d+\n", open(flows, encoding="utf-8").read())[1:]):
        out += f"# round {number + 1}\n"
        for line in part.splitlines():
            a, b = (int(host) - 1 for host in re.fullmatch(r"node(\d+) mlx5_0 > node(\d+) mlx5_0", line).groups())
            gbits = GBITS * share * (0.5 if any(way in slow or FAR[way] in slow for way in ways(a, b)) else 1)
            out += f"{line}: {gbits:.2f}\n"
            for way in ways(a, b):
                for book, port in ((sent, way), (received, FAR[way])):
                    if port not in deaf:
                        book[port] = book.get(port, 0) + int(gbits * 1e9 * SECONDS / 32)
                if way in erring:
                    errors[FAR[way]] = errors.get(FAR[way], 0) + 20
        files.append(counters(number + 1, sent, received, errors, mute))
    return write("measured", out), [word for file in files for word in ("--counters", file)]


def judged(**what):
    measured, files = run_rounds(**what)
    return assay("links", links, routes, "--flows", measured, *files, "--seconds", str(SECONDS))


planned = assay("links", links, routes, "-o", flows)
tap.ok(planned.returncode == 0 and "covered: 24 of 24 (100.00%)" in planned.stdout and "0 links are crossed by the same" in planned.stdout,
       "every link of a fabric is covered, and told from the others", planned.stdout + planned.stderr)
rounds = re.split(r"# round \d+\n", open(flows, encoding="utf-8").read())[1:]
tap.ok(all(len(ports) == len(set(ports)) for ports in (re.findall(r"node\d+", part) for part in rounds)), "no host is in two flows of a round")
used = [[way for a, b in re.findall(r"node(\d+) mlx5_0 > node(\d+)", part) for way in ways(int(a) - 1, int(b) - 1)] for part in rounds]
tap.ok(all(len(part) == len(set(part)) for part in used), "no two flows of a round meet on a link")
tap.same(set().union(*used), set(FAR), "by routes that are followed here too, the flows cross every link both ways")

well = judged()
tap.ok(well.returncode == 0 and "proven: by the counters 24 of 24 links (100.00%)" in well.stdout and "slow:" not in well.stdout
       and "errors:" not in well.stdout, "what counters prove of a healthy fabric", well.stdout + well.stderr)
BAD, NAME = (("leaf", 0), DOWN + 2), "MF0;leaf1:MQM9700/U1 port 6 - MF0;spine1:MQM9700/U1 port 2"
half = judged(slow={BAD})
tap.ok(half.returncode == 1 and re.findall(r"^slow: (.*?): \d+ flows at 49.0%", half.stdout, re.M) == [NAME] and "errors:" not in half.stdout,
       "one uplink at half rate is named, and nobody else", half.stdout + half.stderr)
noisy = judged(erring={BAD})
tap.ok(noisy.returncode == 1 and re.findall(r"^errors: (.*?): ", noisy.stdout, re.M) == [NAME] and "slow:" not in noisy.stdout,
       "one uplink with errors is named, and nobody else", noisy.stdout + noisy.stderr)
deaf = judged(deaf={BAD, FAR[BAD]})
tap.ok(deaf.returncode == 2 and "proven: by the counters 23 of 24 links" in deaf.stdout and f"not proven: {NAME}\n" in deaf.stdout,
       "a link whose counters stand still is not proven, however fast its flows were", deaf.stdout + deaf.stderr)
one = judged(deaf={BAD})
tap.ok(one.returncode == 0, "one of its two ports is enough", one.stdout + one.stderr)
alike = judged(share=0.55)
tap.ok(alike.returncode == 2 and "slow alike: the median itself is below 90% of the rate" in alike.stdout and "24 of 24" in alike.stdout,
       "a fabric whose flows are all slow alike is not passed, though its links are proven", alike.stdout + alike.stderr)
mute = judged(mute={FAR[BAD]})
tap.ok(mute.returncode == 2 and f"errors not told: {NAME}: " in mute.stdout, "a link whose receiving port nobody asked for errors is not passed",
       mute.stdout + mute.stderr)
measured, _ = run_rounds()
alone = assay("links", links, routes, "--flows", measured)
tap.ok(alone.returncode == 2 and "proven: nothing" in alone.stdout and "ways are those of the tables only" in alone.stdout,
       "without counters nothing is proven", alone.stdout)
OTHER = (("leaf", 1), DOWN + 1)
adaptive = judged(slow={BAD}, deaf={OTHER, FAR[OTHER]})
tap.ok(adaptive.returncode == 2 and "other ways: on " in adaptive.stdout and not re.search("^slow: ", adaptive.stdout, re.M),
       "where counters contradict the ways of flows no link is named for a slow one", adaptive.stdout + adaptive.stderr)
measured, files = run_rounds()
rows = lst(LINKS).splitlines(keepends=True)
for row, lanes in ((0, 1), (HOSTS, 2)):
    rows[row] = rows[row].replace("PHY=4x", f"PHY={lanes}x")
trained = assay("links", write("trained.lst", "".join(rows)), routes, "--flows", measured, *files, "--seconds", str(SECONDS))
tap.ok(trained.returncode == 1 and re.findall(r"^below its peers: .*?: it runs at (\d+) Gb/s, (\d+ of \d+) links like it at 400$", trained.stdout, re.M)
       == [("100", "11 of 12"), ("200", "11 of 12")], "links that trained with fewer lanes than their peers are named", trained.stdout + trained.stderr)

few = assay("links", links, routes, "--hosts", "node[1-4]")
tap.ok(few.returncode == 2 and f"not covered: {NAME}: no route between adapters that take part crosses it\n" in few.stdout,
       "what no flow can cross is listed by name with the reason", few.stdout + few.stderr)
once = assay("links", links, routes, "--rounds", "1")
tap.ok(once.returncode == 2 and "no round has a flow that crosses it" in once.stdout, "rounds are not more than are allowed", once.stdout)
REFUSED = {
    "a file that is none of links": (write("no.lst", "nothing\n"), routes, "no.lst:1: expected a link"),
    "a table of an unknown switch": (links, write("no.fdbs", "dump_ucast_routes: Switch 0x1\n"), "no.fdbs:1: no link goes to that switch"),
}
for title, (first, second, said) in REFUSED.items():
    done = assay("links", first, second)
    tap.ok(done.returncode == 64 and said in done.stderr, f"refused: {title}", done.stderr)
unknown = assay("links", links, routes, "--hosts", "node99")
tap.ok(unknown.returncode == 64 and "host 'node99'" in unknown.stderr, "refused: a host that the fabric does not have", unknown.stderr)
short = assay("links", links, routes, "--flows", measured, "--counters", os.path.join(FOLDER, "counters0"), "--seconds", "50")
tap.ok(short.returncode == 64 and "found 1 readings for" in short.stderr, "refused: fewer counters than rounds", short.stderr)
strange = assay("links", links, routes, "--flows", write("strange", "node1 mlx5_0 > node77 mlx5_0: 1\n"))
tap.ok(strange.returncode == 64 and "strange:1:" in strange.stderr, "refused: a flow between others than the fabric has", strange.stderr)
spread = assay("links", "--spread", "32:32", "--streams", "1")
tap.ok(spread.returncode == 0 and "expected, not proven: of 32 uplinks" in spread.stdout and " 63.79% " in spread.stdout,
       "of flows that a hash spreads only a chance is told", spread.stdout + spread.stderr)
wrong = assay("links", "--spread", "32")
tap.ok(wrong.returncode == 64 and "expected ADAPTERS:UPLINKS" in wrong.stderr, "refused: a spread without uplinks", wrong.stderr)
# What ibdiagnet writes in the lab is one fabric, whose tables lead to where the cables end: swapped ones too.
with Lab("lab", 24, ["node1:rail-swap:2-3"]) as lab:
    port = re.search(r" port=(\d+)", open(lab.hostfile, encoding="utf-8").read())[1]
    subprocess.run(["ssh", "-q", "-i", os.path.join(lab.folder, "id_ed25519"), "-o", f"UserKnownHostsFile={lab.folder}/known_hosts",
                    "-p", port, "root@127.1.0.1", f"sudo -n ibdiagnet -i mlx5_0 -p 1 -o {FOLDER}/fabric --skip pm"],
                   stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
    told = assay("links", *(os.path.join(FOLDER, "fabric", f"ibdiagnet2.{kind}") for kind in ("lst", "fdbs")))
    tap.ok(told.returncode == 0 and "covered: 576 of 576 (100.00%)" in told.stdout and "0 links are crossed by the same" in told.stdout,
           "flows can load every link of the lab's fabric, two of whose cables are swapped", told.stdout + told.stderr)


# --- by the program, over MPI ---

PROBE = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
# Counters of ports that carry more with each reading than any round can need.
ASK = write("ask", f"""n=$(cat {FOLDER}/asked 2>/dev/null || echo 0)
echo $((n + 1)) >{FOLDER}/asked
while read -r lid port; do echo $lid $port $((n * 100000000000)) $((n * 100000000000)) 0; done
""")


def run_probe(hosts, *words, hca="mlx5_0", into="by-mpi"):
    """(exit status, lines of JSON, stderr, the files of flows and counters)"""
    files = [os.path.join(FOLDER, f"{into}-{kind}") for kind in ("flows", "counters")]
    rank = ["--links", links, "--routes", routes, "--flows", files[0], "--counters", files[1], "--hcas", hca, "--seconds", "0.3",
            "--size", "65536", *words]
    ranks = [word for host in hosts for word in (":", "-np", "1", PROBE, "--host", host, *rank)][1:]
    done = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-q", "--mca", "btl", "self,vader,tcp",
                           *(["--allow-run-as-root"] if os.geteuid() == 0 else []), *ranks], capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], done.stderr, files


def by_the_program():
    every = [f"node{h + 1}" for h in range(HOSTS)]
    status, lines, said, (wrote, counted) = run_probe([every[0].upper() + ".dc1.example", *every[1:]], "--ask", f"sh {ASK}")
    planned_flows = re.sub(r": [\d.]+$", "", open(wrote, encoding="utf-8").read(), flags=re.M)
    tap.ok(status == 0 and lines[-1] == {"end": "ok"} and {line.get("counters") for line in lines[1:-1]} == {"fabric"},
           "the program runs all rounds over MPI", lines, said)
    tap.same((len(lines) - 2, lines[0]["links"]), (len(re.findall("# round", planned_flows)), len(LINKS)), "as many as it announced", lines)
    rates = [float(rate) for rate in re.findall(r": ([\d.]+)$", open(wrote, encoding="utf-8").read(), re.M)]
    tap.ok(len(rates) == lines[0]["flows"] and min(rates) > 0, "each flow has a rate", rates)
    told = assay("links", links, routes, "--flows", wrote, "--counters", counted, "--seconds", "0.3")
    tap.ok(told.returncode in (1, 2) and "proven: by the counters 24 of 24 links" in told.stdout and f"flows: {len(rates)} of {len(rates)} measured" in told.stdout,
           "assay judges what it wrote: every link proven, and flows that this machine slows down not passed", told.stdout + told.stderr)
    with open(counted, encoding="utf-8") as file:
        broken = write("broken", file.read()[:-9])
    cut = assay("links", links, routes, "--flows", wrote, "--counters", broken, "--seconds", "0.3")
    tap.ok(cut.returncode == 64 and "breaks off" in cut.stderr, "refused: counters that break off", cut.stderr)


def without_counters():
    status, lines, said, (wrote, counted) = run_probe([f"node{h + 1}" for h in range(HOSTS)], "--rounds", "2", "--ask", "false", into="alone")
    told = assay("links", links, routes, "--flows", wrote, "--counters", counted, "--seconds", "0.3")
    tap.ok(status == 0 and {line.get("counters") for line in lines[1:-1]} == {"hosts"} and "proven: by the counters 0 of 24 links" in told.stdout
           and told.returncode in (1, 2), "where the fabric tells no counters nothing is proven", lines, said, told.stdout)


def what_does_not_fit():
    for hosts, hca, words in ((["node1", "node99"], "mlx5_0", "1 ranks are of no adapter, or of several, that the fabric calls so: node99 mlx5_0"),
                              (["node1", "node2"], "mlx5_1", "2 ranks are of no adapter"),
                              (["node1", "node2", "node1"], "mlx5_0", "ranks 0 and 2 are both 'node1 mlx5_0'"),
                              (["node1"], "mlx5_0", "no route leads")):
        status, lines, said, _ = run_probe(hosts, hca=hca, into="unfit")
        tap.ok(status == 69 and lines and lines[-1]["end"] == "unfit" and words in lines[-1]["reason"], f"refused: {words}", status, lines, said)


if PROBE is not None:
    by_the_program()
    without_counters()
    what_does_not_fit()
tap.end()
