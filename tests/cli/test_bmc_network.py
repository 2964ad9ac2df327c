# SPDX-License-Identifier: Apache-2.0
"""usage: test_bmc_network.py ASSAY

bmc-network over two real hosts that are namespaces, with the real curl and ping: a BMC that answers HTTPS, one that answers a ping
only, one of another network that nobody leads to, one behind a firewall that drops or refuses, and a name that nobody knows, and one that answers IPMI over LAN only.
"""

import json
import shutil
import ssl
import subprocess
import sys

from cluster import FOLDER, Report, Tap, assay, start_program, wait_until
from namespaces import NETWORK, Hosts, command, write

tap = Tap()
missing = [name for name in ("curl", "ping", "openssl") if shutil.which(name) is None]
if missing:
    print(f"1..0 # SKIP not installed: {', '.join(missing)}")
    sys.exit(0)

# A server that takes connections and says nothing is one that answers.
LISTENS = ("import socket, sys\ns = socket.create_server((sys.argv[1], 443))\nprint('up', flush=True)\n"
           "while True:\n c, _ = s.accept()\n c.close()\n")
# As a BMC does: a pong to a presence ping (ASF 2.0), and nothing to anything else.
RMCP_LISTENS = ("import socket, sys\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.bind((sys.argv[1], 623))\nprint('up', flush=True)\n"
                "while True:\n d, a = s.recvfrom(512)\n"
                " if d == bytes.fromhex('0600ff06000011be80000000'): s.sendto(bytes.fromhex('0600ff06000011be40000010') + bytes(16), a)\n")
HTTPS, PINGS, ABSENT = f"{NETWORK}.201", f"{NETWORK}.202", f"{NETWORK}.203"
REFUSES, IPMI = f"{NETWORK}.204", f"{NETWORK}.206"


def asked(name, bmcs, **step):
    """{pair or host: (outcome, value or cause)} of a run in which the hosts have these BMCs."""
    lines = [f"{host.name} address={host.address} mpi_address={host.address} bmc={bmc}\n" for host, bmc in zip(hosts.list, bmcs)]
    hostfile = write(f"{hosts.folder}/{name}", f"defaults user=root port=22 identity={hosts.identity} "
                     f"known_hosts={hosts.known_hosts} platform=atlas-800t-a2\n" + "".join(lines))
    suite = write(f"{FOLDER}/{name}.json", json.dumps({"name": name, "steps": [
        {"check": "reachable"},
        {"check": "bmc-network", "needs": ["reachable"], "gate": ["bmc_network.answers"], "retries": 0, **step}]}))
    database = f"{FOLDER}/{name}.db"
    done = assay("run", "-H", hostfile, "-s", suite, "--db", database, "--progress", "none", "-o", f"{FOLDER}/{name}.html")
    found = {step["target"]: (item["outcome"], item.get("cause") or item["measured"]) for step, item in Report(database).outcomes()
             if item["metric"] == "bmc_network.answers"}
    return found, done.stdout + done.stderr


hosts = Hosts(2, "1gbit")
# The switch has the BMCs' addresses: those that it has answer a ping.
for address in (HTTPS, PINGS, REFUSES, IPMI):
    command("ip", "addr", "add", f"{address}/32", "dev", "switch0")
# What goes to this one is thrown away on the hosts' side of it.
for host in hosts.list:
    command(*host.enter("ip", "route", "add", "blackhole", f"{NETWORK}.205/32"))
server = start_program([sys.executable, "-c", LISTENS, HTTPS], stdout=subprocess.PIPE, text=True)
wait_until(lambda: server.stdout.readline().strip() == "up", 10)

found, said = asked("closed", [ABSENT, f"{NETWORK}.205"])
tap.same(found, {"node1": ("pass", "none"), "node2": ("pass", "none")}, "BMCs that nothing leads to do not answer", said)
found, said = asked("open", [HTTPS, PINGS])
tap.same({target: word for target, (word, _) in found.items()}, {"node1": "fail", "node2": "fail"}, "BMCs that are reached fail", found, said)
tap.ok(f"{HTTPS} (443/tcp, ping)" in found["node1"][1] and f"{PINGS} (ping)" in found["node2"][1], "and it is said by what they answer", found)
found, said = asked("neighbours", [ABSENT, HTTPS], scope="pair")
tap.ok(len(found) > 0 and all(word == "fail" and HTTPS in cause for word, cause in found.values()),
       "of a pair each host tries the other one's BMC", found, said)
found, said = asked("named", ["169.254.3.1", "169.254.3.1"], arguments={"addresses": [f"{NETWORK}.[202-203]"]})
tap.ok(all(word == "fail" and f"{PINGS} (ping)" in cause for word, cause in found.values()), "each host tries those that the suite names",
       found, said)
found, said = asked("link-local", ["169.254.3.1", "169.254.3.1"])
tap.ok(all(word == "inconclusive" and "their own BMCs" in cause for word, cause in found.values()),
       "an address between a host and its BMC is no network", found, said)
found, said = asked("unknown", ["bmc1.invalid", "bmc2.invalid"])
tap.same({word for word, _ in found.values()}, {"inconclusive"}, "a name that the host does not know is undecided", found, said)
with open("/proc/sys/net/ipv4/icmp_echo_ignore_all", "w", encoding="ascii") as setting:
    setting.write("1")
found, said = asked("refused", [REFUSES, ABSENT])
tap.ok(found["node1"][0] == "inconclusive" and f"{REFUSES} refuses connections" in found["node1"][1] and found["node2"] == ("pass", "none"),
       "a connection that is refused is undecided: by the BMC, or by a firewall", found, said)
server.kill()
server.wait()
server = start_program([sys.executable, "-c", RMCP_LISTENS, IPMI], stdout=subprocess.PIPE, text=True)
wait_until(lambda: server.stdout.readline().strip() == "up", 10)
found, said = asked("ipmi", [IPMI, ABSENT])
tap.ok(found["node1"][0] == "fail" and f"{IPMI} (623/udp)" in found["node1"][1] and found["node2"] == ("pass", "none"),
       "IPMI over LAN that answers alone is found", found, said)
server.kill()
server.wait()
tap.same(hosts.processes(), [], "nothing is left of it")
tap.end()
