# SPDX-License-Identifier: Apache-2.0
"""Which cables ethernet_cables.sh takes of hosts that tell of others, and of a plan that is none.

usage: test_cables_script.py SOURCE
"""

import os
import subprocess
import sys
import tempfile

SOURCE = sys.argv[1]
sys.path.insert(0, os.path.join(SOURCE, "tests", "scripts"))
import tap  # noqa: E402

PLAN = "leaf1,swp9,spine1,swp1,400\nleaf2,swp9,spine1,swp2,400\n"
OWN = {"node1": "host,node1,node1\nhca,node1,mlx5_0,rdma0\ncable,node1,mlx5_0,leaf1,swp1,400\n",
       "node2": "host,node2,node2\nhca,node2,mlx5_0,rdma0\ncable,node2,mlx5_0,leaf2,swp1,400\n"}
CABLES = ["node1,mlx5_0,leaf1,swp1,400", "node2,mlx5_0,leaf2,swp1,400", "leaf1,swp9,spine1,swp1,400", "leaf2,swp9,spine1,swp2,400"]


def told(said, plan=PLAN, uplinks=None):
    """Exit status, cables and complaint, of two hosts that say this."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"hosts": "".join(f"{name} slots=8 # {name}\n" for name in said), "plan.csv": plan, "ask": 'cat "$ASSAY_DIR/$1.says"\n',
                           **{f"{name}.says": text for name, text in said.items()}}.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        script = os.path.join(SOURCE, "src", "check", "sh", "ethernet_cables.sh")
        done = subprocess.run(["sh", "-c", 'log_in() { sh -s "$2"; }; . "$0"', script], cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "ASSAY_DIR": folder, "uplinks": uplinks or os.path.join(folder, "plan.csv")})
        assert all(os.path.getsize(os.path.join(folder, name)) <= 1000000 for name in os.listdir(folder) if name.endswith((".out", ".err")))
        return done.returncode, done.stdout.splitlines(), done.stderr


def takes(said, cables=None, **more):
    status, found, complaint = told({**OWN, **said}, **more)
    assert (status, found) == (0, cables or CABLES), (status, found, complaint)


def refuses(said, words, **more):
    status, found, complaint = told({**OWN, **said}, **more)
    assert status != 0 and not found and words in complaint, (status, found, complaint)


def lies(more):
    return {"node2": OWN["node2"] + more}


def refuses_no_plan():
    secret = "root:$6$salt$hash:19000:0:99999:7:::\n"
    refuses({}, "expected node,port,node,port,GBITS", plan=secret)
    assert "salt" not in "".join(map(str, told(OWN, plan=secret))), "what is no cable is shown"
    refuses({}, "longer than any plan", uplinks="/dev/zero")


def takes_addresses():
    said = {f"10.0.0.{n}": OWN[f"node{n}"].replace(f"host,node{n}", f"host,10.0.0.{n}") for n in (1, 2)}
    tap.same(told(said)[:2], (0, CABLES))
    # Nor is a switch one of the hosts because its address begins as theirs do.
    plan = PLAN.replace("leaf1", "10.9.0.1").replace("leaf2", "10.9.0.2")
    tap.same(told(said, plan)[:2], (0, CABLES[:2] + plan.splitlines()))


def refuses_other_rates():
    refuses({}, "node1 mlx5_0 runs at 400 Gb/s, and the plan says 200\n", plan="node1,rdma0,leaf1,swp1,200\n" + PLAN)
    refuses({}, "node1 mlx5_0 runs at 400 Gb/s, and the plan says 800; so it is of 1 more",
            plan="node1.dc1,mlx5_0,leaf1,swp1,800\nnode2,mlx5_0,leaf2,swp1,800\n" + PLAN)
    takes({}, plan="node1,mlx5_0,leaf1,swp1,400.0\nnode2,rdma0,leaf2,swp1,4e2\n" + PLAN)
    # One that trained slow is named by those beside it, and hides nothing.
    takes({}, plan="".join(f"{line}\n" for line in CABLES[:2] * 2).replace("400", "800", 1) + PLAN)


def takes_no_cable_for_a_heading():
    for rate in ("400G", "400Gb/s", "n/a", ""):
        refuses({}, "line 1 of the plan of cables: expected", plan=PLAN.replace("400", rate, 1))
    takes({}, plan=PLAN.replace("400", "4e2", 1), cables=[*CABLES[:2], CABLES[2].replace("400", "4e2"), CABLES[3]])


CASES = (
    ("what hosts and the plan tell is taken", lambda: takes({})),
    ("a plan with a heading, remarks, blanks and quotes",
     lambda: takes({}, plan="Node,Port,Node,Port,Rate\n# ours\n\n" + PLAN.replace(",", " , ").replace("leaf1", '"leaf1"'))),
    ("what a host tells of another's cable is not taken", lambda: takes(lies("hca,leaf1,x,swp9\ncable,leaf1,swp9,spine1,swp1,4\n"))),
    ("nor that it is another host", lambda: takes(lies("host,leaf1,leaf1\ncable,leaf1,swp9,spine1,swp1,4\n"))),
    ("of one that is not who was asked nothing is taken", lambda: takes({"node2": OWN["node2"].replace("host,node2", "host,node3")}, CABLES[:1] + CABLES[2:])),
    ("refused: a host that is called as a leaf, whose uplink it tells",
     lambda: refuses({"node2": "host,node2,leaf1\ncable,leaf1,swp9,spine1,swp1,4\n"}, "node2 is called leaf1, as a switch is")),
    ("refused: a host that is called as another one", lambda: refuses({"node2": OWN["node2"].replace("node2,node2", "node2,Node1.x")}, "are both called")),
    ("hosts that are named by addresses", takes_addresses),
    ("refused: a plan that tells another rate of a host's cable", refuses_other_rates),
    ("a first cable with a slip in its rate is no heading", takes_no_cable_for_a_heading),
    ("a host that tells without an end fills no disk", lambda: takes(lies("x" * 3000000))),
    ("refused: a plan that is another file, of which nothing is shown", refuses_no_plan),
)
tap.run(CASES)
