# SPDX-License-Identifier: Apache-2.0
"""A platform file from what a good host said of itself.

usage: test_platform.py ASSAY ROOT
"""

import json
import os
import sys

from cluster import FOLDER, Lab, Tap, assay

tap = Tap()
STEPS = "reachable,privilege,gpu-inventory,nvlink,ib-port"


def database(name):
    return os.path.join(FOLDER, f"{name}.db")


def derive(host, *more, profile="hgx-h100", run=1, name="site"):
    return assay("platform", "derive", str(run), "--host", host, "--name", name, "--db", database(profile), *more)


def built_in(name):
    with open(os.path.join(sys.argv[2], "suites/platforms", f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)


def told_by_hosts(platform):
    """Without what no host says of itself; a built-in one names several models and ids, any of which is right."""
    parts = {key: dict(platform[key]) for key in ("gpus", "nvlink", "pcie", "hcas")}
    parts["gpus"].pop("memory_gib", None)
    for key in ("models", "pci_ids"):
        del parts["gpus"][key]
    return {**parts, **{key: platform[key] for key in ("nvswitch", "fabric_state", "driver_minimum")}}


def of_a_good_host(profile):
    with Lab(profile, 2, ["node2:gpu-missing:3"], profile=profile) as lab:
        assay("run", "-H", lab.hostfile, "-s", "delivery", "--steps", STEPS, "--db", database(profile), "--progress",
              "none", "-o", os.path.join(FOLDER, "run.html"))
        path = os.path.join(FOLDER, "site.json")
        done = derive("node1", "-o", path, profile=profile)
        if done.returncode != 0:
            tap.ok(False, f"{profile}: a platform is derived", done.stderr)
            return
        with open(path, encoding="utf-8") as file:
            made = json.load(file)
        known = built_in(profile)
        tap.same(told_by_hosts(made), told_by_hosts(known), f"{profile}: it says what the built-in one says", done.stderr)
        tap.ok(set(made["gpus"]["models"]) <= set(known["gpus"]["models"])
               and set(made["gpus"]["pci_ids"]) <= set(known["gpus"]["pci_ids"]), "models and PCI ids are among those", made)
        tap.ok(made.get("like") == profile and f"those of {profile}, whose limits hold for it" in done.stderr and "rails" in done.stderr,
               "its limits are those of the built-in platform, and that is told", made, done.stderr)
        with open(lab.hostfile, encoding="utf-8") as file:
            text = file.read().replace(f"platform={profile}", f"platform={path}")
        with open(f"{lab.hostfile}.site", "w", encoding="utf-8") as file:
            file.write(text)
        done = assay("plan", "-H", f"{lab.hostfile}.site", "-s", "periodic", "--full")
        tap.ok(done.returncode == 0 and "site" in done.stdout, "hosts can be planned by it", done.stdout[:400], done.stderr)
        done = assay("run", "-H", f"{lab.hostfile}.site", "-s", "periodic", "--hosts", "node1", "--steps", f"{STEPS}",
                     "--db", database(profile), "--progress", "none", "-o", os.path.join(FOLDER, "site.html"))
        tap.ok("fail" not in done.stdout, "and the host that it is from is as it says", done.stdout, done.stderr)


def what_is_refused():
    for host, run, why, text in (("node2", 1, "a host that lost a GPU is no measure", "odd in itself"),
                                 ("node9", 1, "a host that the run does not have", "has nothing of host 'node9'"),
                                 ("node1", 77, "a run that is missing", "77")):
        done = derive(host, run=run)
        tap.ok(done.returncode == 64 and text in done.stderr and not done.stdout, f"refused: {why}", done.stdout, done.stderr)
    with Lab("hurt", 1, ["node1:link-down:mlx5_7"]) as lab:
        assay("run", "-H", lab.hostfile, "-s", "delivery", "--steps", STEPS, "--db", database("hurt"), "--progress", "none",
              "-o", os.path.join(FOLDER, "hurt.html"))
        done = derive("node1", profile="hurt")
        tap.ok(done.returncode == 64 and "mlx5_7 is Down" in done.stderr, "refused: an HCA whose link is down", done.stderr)
        done = derive("node1", "--without", "mlx5_6,mlx5_7", profile="hurt")
        tap.ok(done.returncode == 0 and json.loads(done.stdout)["hcas"]["names"] == [f"mlx5_{i}" for i in range(6)],
               "it is left out where somebody says so", done.stdout, done.stderr)
    with Lab("links", 1, ["node1:nvlink-down:2-5"]) as lab:
        assay("run", "-H", lab.hostfile, "-s", "delivery", "--steps", STEPS, "--db", database("links"), "--progress", "none",
              "-o", os.path.join(FOLDER, "links.html"))
        done = derive("node1", profile="links")
        tap.ok(done.returncode == 64 and "NVLink gpu2.link0 is" in done.stderr, "refused: a host with an NVLink that is down",
               done.stderr)
    done = derive("node1", name="no name")
    tap.ok(done.returncode == 64 and not done.stdout, "refused: a name that is none", done.stderr)
    with Lab("few", 1) as lab:
        assay("run", "-H", lab.hostfile, "-s", "delivery", "--steps", "reachable,privilege,gpu-inventory", "--db", database("few"),
              "--progress", "none", "-o", os.path.join(FOLDER, "few.html"))
        done = derive("node1", profile="few")
        tap.ok(done.returncode == 64 and "the check nvlink reads" in done.stderr, "refused: the check that is missing is named",
               done.stderr)


of_a_good_host("hgx-h100")
what_is_refused()
of_a_good_host("hgx-a100")
tap.end()
