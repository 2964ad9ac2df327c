# SPDX-License-Identifier: Apache-2.0
"""`assay links`: what loads every link of a fabric, and which link flows and counters show to be bad.

The fabric, its routes and what its ports count are made up here, apart from the program's own model: of InfiniBand, and of
Ethernet, where a hash chooses the ways; at the end what ibdiagnet says on a host of the lab.

With PROBE, the program that runs the flows, by the real mpirun on this machine: a host is one of its ranks.

usage: test_links.py ASSAY [PROBE]

test_fabric_links.py has the lab's fabric as it should be; here its cables are swapped.
"""

import json
import os
import random
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
unmeasured = assay("links", links, routes, "--flows", flows)
tap.ok(unmeasured.returncode == 2 and "flows: none of " in unmeasured.stdout and "nan" not in unmeasured.stdout and "slow" not in unmeasured.stdout,
       "of flows that nobody ran none is called slow", unmeasured.stdout, unmeasured.stderr)
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

# --- Ethernet ---

# 16 hosts with two ports on 4 leaves, each with two uplinks to each of 2 spines: links as (node, port, node, port).
ETHER = ([(f"gpu{h + 1}", f"eth{p}", f"leaf{h // 8 * 2 + p + 1}", f"swp{h % 8 + 1}", 400) for h in range(16) for p in range(2)]
         + [(f"leaf{l + 1}", f"swp{9 + 2 * s + k}", f"spine{s + 1}", f"Ethernet1/{2 * l + k + 1}", 800) for l in range(4) for s in range(2) for k in range(2)])
ETHER_FAR = {link[:2]: link[2:4] for link in ETHER} | {link[2:4]: link[:2] for link in ETHER}
ETHER_RATE = {link[i:i + 2]: link[4] for link in ETHER for i in (0, 2)}
STREAMS = 64
dice = random.Random(1)


def folder_of(title, files):
    folder = os.path.join(FOLDER, title)
    os.makedirs(folder)
    for name_, text in files.items():
        with open(os.path.join(folder, name_), "w", encoding="utf-8") as file:
            file.write(text)
    return folder


def neighbours(node, mute=(), moved=None):
    """lldpctl -f json of a node. Hosts route (containers), and tell an address for a port, whose name describes it."""
    found = []
    for (own, port), (far, far_port) in sorted(ETHER_FAR.items()):
        if own != node or far in mute:
            continue
        far, far_port = (moved or {}).get((own, port), (far, far_port))
        one = {"id": {"type": "mac", "value": "02:00:00:00:00:01"}, "descr": far_port} if far.startswith("gpu") else {
            "id": {"type": "ifname", "value": far_port}, "descr": "a cable"}
        kinds = [{"type": "Bridge", "enabled": not far.startswith("gpu")}, {"type": "Router", "enabled": True}]
        found.append({port: {"via": "LLDP", "chassis": {far + ".dc1": {"id": {"type": "mac", "value": "02:00:00:00:00:02"}, "capability": kinds}},
                             "port": one}})
    return json.dumps({"lldp": {"interface": found}}) + "\n"


def ethernet_way(a, b):
    """(node, port) of each port that sends, by dice."""
    above, below = ETHER_FAR[a][0], ETHER_FAR[b]
    if above == below[0]:
        return [a, below]
    up = (above, f"swp{dice.randint(9, 12)}")
    spine = ETHER_FAR[up][0]
    return [a, up, dice.choice([way for way in ETHER_FAR if way[0] == spine and ETHER_FAR[way][0] == below[0]]), below]


def hash_rounds(title, file, half=(), erring=(), errors=True, hosts_only=False):
    """Runs the flows of the file, each as streams that share what they meet on. Options with the readings."""
    sent, received, bad, words = {}, {}, {}, []

    def tell(number):
        rows = [f"{node},{port},{int(sent.get((node, port), 0))},{int(received.get((node, port), 0))}" + (f",{bad.get((node, port), 0)}" if errors else "")
                for node, port in ETHER_FAR if not hosts_only or node.startswith("gpu")]
        words.extend(("--counters", write(f"{title}{number}.csv", "\n".join(rows) + "\n")))

    tell(0)
    for number, part in enumerate(re.split(r"# round \d+\n", open(file, encoding="utf-8").read())[1:]):
        ends = [tuple(map(tuple, (word.split() for word in line.split(" > ")))) for line in part.splitlines()]
        streams = [ethernet_way(*pair) for pair in ends for _ in range(STREAMS)]
        wanted = {}
        for ways_ in streams:
            for way in ways_:
                wanted[way] = wanted.get(way, 0) + 400 / STREAMS
        for ways_ in streams:
            share = min(min(1, ETHER_RATE[way] * (0.5 if way in half or ETHER_FAR[way] in half else 1) / wanted[way]) for way in ways_)
            for way in ways_:
                octets = 0.98 * share * 400 / STREAMS * 1e9 * SECONDS / 8
                sent[way] = sent.get(way, 0) + octets
                received[ETHER_FAR[way]] = received.get(ETHER_FAR[way], 0) + octets
        for way in erring:
            bad[ETHER_FAR[way]] = bad.get(ETHER_FAR[way], 0) + 30
        tell(number + 1)
    return [*words, "--seconds", str(SECONDS)]


csv = write("cabling.csv", "Node,Port,Node,Port,Gb/s\n" + "".join(",".join(map(str, link)) + "\n" for link in ETHER))
ether_flows = os.path.join(FOLDER, "ether-flows")
ether = assay("links", csv, "-o", ether_flows, "--streams", str(STREAMS))
tap.ok(ether.returncode == 0 and "fabric: 32 ports of hosts that take part, on 4 leaves; 2 levels of switches" in ether.stdout
       and re.search(r"^expected, not proven: (99\.9\d|100\.00)% of the links carry half", ether.stdout, re.M) and "links: 48;" in ether.stdout,
       "of a plan of Ethernet cabling rounds are planned, with what to expect of them", ether.stdout + ether.stderr)
said = open(ether_flows, encoding="utf-8").read()
tap.ok(f"# each flow as {STREAMS} streams" in said and re.search(r"^gpu1 eth0 > gpu\d+ eth[01]$", said, re.M), "flows are those of a file for InfiniBand", said[:300])
fewer = assay("links", csv, "--streams", "4", "--rounds", "1")
tap.ok(fewer.returncode == 2 and "1 rounds" in fewer.stdout, "too few streams and rounds for what is expected do not pass", fewer.stdout)
SWITCHES = ["leaf1", "leaf2", "leaf3", "leaf4", "spine1", "spine2"]
everyone = SWITCHES + [f"gpu{h + 1}" for h in range(16)]
lldp = folder_of("lldp", {f"{node}.json": neighbours(node) for node in everyone})
OF_LLDP = ["--gbits", "400:800", "--switches", "leaf[1-4],spine[1-2]"]
told = assay("links", lldp, *OF_LLDP, "--streams", str(STREAMS))
tap.ok(told.returncode == 0 and "remark" not in told.stdout and told.stdout == ether.stdout, "LLDP of all nodes tells the same fabric", told.stdout + told.stderr)
tap.ok((no := assay("links", lldp, "--gbits", "400")).returncode == 64 and "name the switches by --switches" in no.stderr,
       "refused: hosts that route, where nobody says who is a switch", no.stdout + no.stderr)
tap.ok((no := assay("links", lldp, *OF_LLDP[2:])).returncode == 64 and "--gbits" in no.stderr, "refused: LLDP without rates", no.stderr)
half_told = assay("links", folder_of("leaves-only", {f"{node}.json": neighbours(node) for node in SWITCHES}), *OF_LLDP, "--streams", str(STREAMS))
tap.ok(half_told.returncode == 0 and "remark: 32 links are told by one end only" in half_told.stdout, "hosts need no LLDP", half_told.stdout + half_told.stderr)
files_told = {f"{node}.json": neighbours(node) for node in everyone} | {"leaf1.json": neighbours("leaf1", mute=["spine2"])}
mute = assay("links", folder_of("mute", files_told), *OF_LLDP)
tap.ok("leaf1.json tells nothing" in mute.stdout and "links: 48;" in mute.stdout, "a link that one of two ends tells is remarked by file and port", mute.stdout)
files_told["leaf1.json"] = neighbours("leaf1", moved={("leaf1", "swp9"): ("spine2", "Ethernet1/1")})
no = assay("links", folder_of("moved", files_told), *OF_LLDP)
tap.ok(no.returncode == 64 and re.search(r"\.json: \S+: a link between .* a port has one link", no.stderr), "refused: ends that tell differently", no.stdout + no.stderr)
tap.ok((no := assay("links", folder_of("bad", {"leaf1.json": "nothing\n"}), *OF_LLDP)).returncode == 64 and "not all of it is what lldpctl prints" in no.stderr,
       "refused: what is not LLDP", no.stderr)
tap.ok((no := assay("links", csv, "--streams", "2")).returncode == 64 and "expected 4 to" in no.stderr, "refused: too few streams", no.stderr)
tap.ok((no := assay("links", csv, "--switches", "leaf[1-4]")).returncode == 64 and "'spine1' stands second" in no.stderr, "refused: a switch that is not named", no.stderr)

ran = assay("links", csv, *hash_rounds("well", ether_flows))
tap.ok(ran.returncode == 0 and "proven: by the counters 48 of 48 links (100.00%)" in ran.stdout and "siblings: 16 links" in ran.stdout
       and "slow beside" not in ran.stdout, "counters of all ports prove every link", ran.stdout + ran.stderr)
UPLINK, UPNAME = ("leaf2", "swp10"), "leaf2 swp10 - spine1 Ethernet1/4"
slow_one = assay("links", csv, *hash_rounds("half", ether_flows, half={UPLINK}))
tap.ok(slow_one.returncode == 2 and re.findall(r"^not proven: (.*?): at most 4\d\.\d% of its rate one way and 4\d\.\d% the other", slow_one.stdout, re.M) == [UPNAME],
       "an uplink at half rate is the one that is not proven, with what it carried", slow_one.stdout + slow_one.stderr)
tap.same(re.findall(r"^slow beside its siblings: (.*?): ", slow_one.stdout, re.M), [UPNAME], "and the only one that is slow beside its siblings",
         slow_one.stdout)
twice = hash_rounds("twice", ether_flows)
two_rounds = assay("links", csv, *twice[:6], *twice[-2:])
tap.ok("siblings: not compared: that takes 3 rounds and 4 leaves" in two_rounds.stdout, "two rounds do not tell siblings apart", two_rounds.stdout + two_rounds.stderr)
bad_one = assay("links", csv, *hash_rounds("erring", ether_flows, erring={UPLINK}))
tap.ok(bad_one.returncode == 1 and re.findall(r"^errors: (.*?): ", bad_one.stdout, re.M) == [UPNAME], "one with errors is named", bad_one.stdout + bad_one.stderr)
no_errors = assay("links", csv, *hash_rounds("untold", ether_flows, errors=False))
tap.ok(no_errors.returncode == 2 and "48 of 48 links" in no_errors.stdout and "errors not told: of any link" in no_errors.stdout,
       "counters without errors leave it undecided", no_errors.stdout + no_errors.stderr)
hosts_tell = assay("links", csv, *hash_rounds("hosts", ether_flows, hosts_only=True))
tap.ok(hosts_tell.returncode == 2 and "32 of 48 links" in hosts_tell.stdout and f"not proven: {UPNAME}: its octets were not told" in hosts_tell.stdout,
       "counters of hosts prove their own links only", hosts_tell.stdout + hosts_tell.stderr)
measured_ether = write("ether-measured", re.sub(r"^(gpu.*)$", r"\1: 390", said, flags=re.M))
by_flows = assay("links", csv, "--flows", measured_ether)
tap.ok(by_flows.returncode == 2 and "by the flows 32 of 32 links of hosts" in by_flows.stdout and "proven: nothing" in by_flows.stdout,
       "flows alone tell of hosts' links, and prove nothing", by_flows.stdout + by_flows.stderr)
one_reading = assay("links", csv, "--counters", os.path.join(FOLDER, "well0.csv"), "--seconds", "50")
tap.ok(one_reading.returncode == 64 and "found 1 readings" in one_reading.stderr, "refused: a single reading", one_reading.stderr)
ethtools = []
for number, octets in enumerate((0, 400e9 * SECONDS / 8)):
    ethtools += ["--counters", folder_of(f"ethtool{number}", {f"gpu{h + 1}.txt": "".join(
        f"== eth{p} ==\nNIC statistics:\n     tx_bytes_phy: {int(octets)}\n     rx_bytes_phy: {int(octets)}\n     rx_crc_errors_phy: 0\n" for p in range(2))
        for h in range(16)})]
by_ethtool = assay("links", csv, *ethtools, "--seconds", str(SECONDS))
tap.ok(by_ethtool.returncode == 2 and "32 of 48 links" in by_ethtool.stdout, "what ethtool prints on hosts proves their links", by_ethtool.stdout + by_ethtool.stderr)

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


# A ib_write_bw that sends nothing: the client asks whether its server listens there, and says what it was asked.
IB_WRITE_BW = write("ib_write_bw", f"""#!/usr/bin/env python3
import re, socket, sys
words = sys.argv[1:]
port = int(words[words.index("-p") + 1])
open("{FOLDER}/asked-for", "a").write(" ".join(words) + "\\n")
if re.fullmatch("[0-9.]+", words[-1]) and words[-2] != "-p":
    try:
        socket.create_connection((words[-1], port)).close()
    except OSError:
        sys.exit("Couldn't connect to " + words[-1])
    print(" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]")
    print(" 1048576    128301           0.00               392.41             0.046779")
else:
    server = socket.create_server(("", port))
    server.accept()
    server.accept()
""", 0o755)


def on_ethernet():
    sys_ = os.path.join(FOLDER, "sys")
    for path, text in (("ports/1/counters/port_xmit_data", "1000\n"), ("ports/1/counters/port_rcv_data", "2000\n"), ("ports/1/gid_attrs/ndevs/0", "rdma0\n"),
                       ("ports/1/gids/0", "fe80:0000:0000:0000:a288:c2ff:fe03:0000\n"), ("ports/1/gid_attrs/types/0", "RoCE v2\n"),
                       ("ports/1/gids/1", "0000:0000:0000:0000:0000:ffff:7f00:0001\n"), ("ports/1/gid_attrs/types/1", "IB/RoCE v1\n"),
                       ("ports/1/gids/2", "0000:0000:0000:0000:0000:ffff:7f00:0001\n"), ("ports/1/gid_attrs/types/2", "RoCE v2\n")):
        os.makedirs(os.path.dirname(os.path.join(sys_, "class/infiniband/mlx5_0", path)), exist_ok=True)
        write(os.path.join(sys_, "class/infiniband/mlx5_0", path), text)
    os.makedirs(os.path.join(sys_, "class/net/rdma0/statistics"))
    write(os.path.join(sys_, "class/net/rdma0/statistics/rx_crc_errors"), "3\n")
    hosts = [f"node{h + 1}" for h in range(4)]
    cables = write("cables.csv", "".join(f"{host},mlx5_0,leaf{h // 2 + 1},swp{h % 2 + 1},400\n" for h, host in enumerate(hosts)) +
                   "".join(f"leaf{l + 1},swp{3 + s},spine{s + 1},swp{l + 1},400\n" for l in range(2) for s in range(2)))
    files = [os.path.join(FOLDER, f"ethernet-{kind}") for kind in ("flows", "counters")]
    rank = ["--cables", cables, "--flows", files[0], "--counters", files[1], "--hcas", "mlx5_0", "--seconds", "1", "--sys", sys_,
            "--flow", f"{IB_WRITE_BW} --tclass=106", "--streams", "32", "--ask", "echo leaf1,swp1,7,8,0"]
    ranks = [word for host in hosts for word in (":", "-np", "1", PROBE, "--host", host, *rank)][1:]
    done = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-q", "--mca", "btl", "self,vader,tcp",
                           *(["--allow-run-as-root"] if os.geteuid() == 0 else []), *ranks], capture_output=True, text=True, timeout=120, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    tap.ok(done.returncode == 0 and lines[-1] == {"end": "ok"} and {line.get("counters") for line in lines[1:-1]} == {"fabric"},
           "on Ethernet the program runs all rounds by ib_write_bw", lines, done.stderr)
    wrote = open(files[0], encoding="utf-8").read()
    rates = re.findall(r"^node\d mlx5_0 > node\d mlx5_0: ([\d.]+)$", wrote, re.M)
    tap.ok(len(rates) == lines[0]["flows"] and set(rates) == {"392.410"}, "each flow has the rate that its sender was told", wrote)
    asked = open(os.path.join(FOLDER, "asked-for"), encoding="utf-8").read().splitlines()
    tap.ok(all(line.startswith("--tclass=106 -d mlx5_0 -x 2 -F --report_gbits -q 32 -s 1048576 -D 1 -p 186") for line in asked) and
           len([line for line in asked if line.endswith(" 127.0.0.1")]) >= len(rates), "by its first routable address of RoCE v2, with as many queue pairs", asked[:4])
    counted = open(files[1], encoding="utf-8").read()
    tap.ok(counted.startswith("# counters 0\nleaf1,swp1,7,8,0\n") and "\nnode4,mlx5_0,4000,8000,3\n" in counted and
           counted.count("# counters") == lines[0]["rounds"] + 1, "counters are those of the command, and the hosts' own in octets", counted)
    told = assay("links", cables, "--flows", files[0])
    tap.ok(told.returncode == 2 and "by the flows 4 of 4 links of hosts" in told.stdout, "assay reads what it wrote", told.stdout + told.stderr)
    without = [word.replace(IB_WRITE_BW, "false") for word in ranks]
    done = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-q", "--mca", "btl", "self,vader,tcp",
                           *(["--allow-run-as-root"] if os.geteuid() == 0 else []), *without], capture_output=True, text=True, timeout=120, check=False)
    wrote = open(files[0], encoding="utf-8").read()
    tap.ok(done.returncode == 0 and ":" not in wrote and "no rate" in done.stderr, "a flow that came to nothing has no rate, and is told", wrote, done.stderr)


if PROBE is not None:
    by_the_program()
    on_ethernet()
    without_counters()
    what_does_not_fit()
tap.end()
