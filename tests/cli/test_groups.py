# SPDX-License-Identifier: Apache-2.0
"""Steps over pairs, racks and rails of hosts, and who replaces a host that is not fit.

usage: test_groups.py ASSAY
"""

import json
import os
import re
import signal

from cluster import Lab, Report, Tap, assay, start

tap = Tap()
SIZES = {"arguments": {"begin": "4G", "end": "8G", "iterations": 5}}


def run(lab, name, steps, *options, purpose="trial"):
    suite = os.path.join(lab.folder, f"{name}.json")
    database = os.path.join(lab.folder, f"{name}.db")
    with open(suite, "w", encoding="utf-8") as file:
        json.dump({"name": name, "title": name, "purpose": purpose, "steps": steps}, file)
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none",
                 "-o", os.path.join(lab.folder, f"{name}.html"), *options)
    return done, Report(database)


def collective(name, scope, **more):
    return {"name": f"{name}-{scope}", "check": f"nccl-{name}", "scope": scope, **SIZES, **more}


def words(report, step, metric="busbw"):
    """{hosts: outcome} of the judged bandwidths, or other items, of a step of the suite."""
    return {" ".join(at["members"]): item["outcome"] for at, item in report.outcomes()
            if at["name"] == step and item["metric"].endswith(metric)}


def pairs(tap):
    """One slow adapter makes both pairs of its host slow and no other."""
    with Lab("pairs", 5, ["node2:nic-slow:mlx5_3"]) as lab:
        steps = [{"check": "reachable"}, collective("all-gather", "pair", needs=["reachable"]),
                 collective("all-reduce", "pair", needs=["reachable"])]
        done, report = run(lab, "pairs", steps, purpose="delivery")
        right = {"node1 node2": "fail", "node2 node3": "fail", "node3 node4": "pass", "node4 node5": "pass",
                 "node5 node1": "pass"}
        tap.same(done.returncode, 1, "a slow adapter is rejected", done.stdout, done.stderr)
        tap.same(words(report, "all-gather-pair"), right, "both pairs of its host are slow, and no other")
        tap.same(words(report, "all-reduce-pair"), right, "all_reduce, judged beside all_gather, says the same")
        tap.ok("\nfix: node2: " in done.stdout and "\nanswer: 4 of 5 hosts are OK. Fix 1 fault.\n" in done.stdout,
               "what two pairs have in common is one fault of one host", done.stdout)


def against_itself(tap):
    """What only many hosts together lose is seen beside their own pairs, above every floor."""
    metric = "nccl.all_gather.asymptotic"
    more = {"arguments": {"begin": "1G", "end": "16G", "iterations": 5}, "isolate": False}
    steps = [{"check": "reachable"}, collective("all-gather", "pair", exclusive="host", needs=["reachable"], **more),
             collective("all-gather", "cluster", gate=[metric], needs=["reachable"], **more, limits=[
                 {"metric": metric, "hosts_min": 3, "fraction_of_groups": 0.9, "status": "self", "source": "its pairs"}])]
    for fault, outcome, status, cause in [("fabric-slow:10", "fail", 1, "of 4 smaller groups; fail from 10%"),
                                          ("fabric-slow:5", "pass", 0, "of 4 smaller groups; remark from 5%"), ("", "pass", 0, "")]:
        name = "itself-" + (fault.replace(":", "-") or "healthy")
        with Lab(name, 4, [f"node1:{fault}"] if fault else []) as lab:
            done, report = run(lab, name, steps)
            found = [(item["outcome"], item["status"], item["cause"]) for at, item in report.outcomes()
                     if at["name"] == "all-gather-cluster" and item["metric"] == metric]
            tap.ok(done.returncode == status and len(found) == 1 and found[0][:2] == (outcome, "self") and
                   (cause in found[0][2] if cause else found[0][2] == ""),
                   f"{fault or 'a healthy fabric'} beside its own pairs: {outcome}", done.returncode, found, done.stderr)


def every_scope(tap):
    """Each collective, on a healthy cluster, at several scopes."""
    tried = [("sendrecv", "host"), ("alltoall", "host"), ("reduce-scatter", "pair"), ("alltoall", "pair"),
             ("reduce-scatter", "group"), ("all-reduce", "group"), ("alltoall", "cluster"), ("sendrecv", "cluster")]
    with Lab("scopes", 3) as lab:
        steps = [{"check": "reachable"}] + [collective(name, scope, needs=["reachable"], **({"by": 3} if scope == "group" else {}))
                                            for name, scope in tried]
        done, report = run(lab, "scopes", steps)
        sound = {f"{name}-{scope}": set(words(report, f"{name}-{scope}", "sound").values()) for name, scope in tried}
        tap.ok(all(found == {"pass"} for found in sound.values()), "collectives run at every scope", sound, done.stderr)
        failed = [(step["name"], item["metric"], item["cause"]) for step, item in report.outcomes()
                  if item["outcome"] == "fail"]
        tap.same(failed, [], "nothing of a healthy cluster fails")
        wrong = {item["outcome"] for _, item in report.outcomes() if item["metric"].endswith(".wrong")}
        tap.same(wrong, {"pass"}, "what nccl-tests compares is decided, and no more is owed")
        tap.same(sorted(lab.logins()), ["node1", "node2", "node3"], "one login serves all steps of a host")


def rewrite(lab, **places):
    """Gives hosts of the lab other places: node5="role=spare unit=su1"."""
    lines = []
    with open(lab.hostfile, encoding="utf-8") as file:
        for line in file.read().splitlines():
            words = line.split()
            for new in places.get(words[0], "").split():
                words = [word for word in words if not word.startswith(new.split("=")[0] + "=")] + [new]
            lines.append(" ".join(words))
    with open(lab.hostfile, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


GATES = [{"check": "reachable"}, {"check": "gpu-inventory", "needs": ["reachable"]}]
ACROSS = GATES + [collective("all-gather", "cluster", needs=["gpu-inventory"])]


def substitutes(report):
    """{hosts: (worst outcome, note)} of steps over several hosts that the suite does not have."""
    found = {}
    for step, item in report.outcomes():
        if step["origin"] == "substitute" and len(step["members"]) > 1:
            word, _ = found.get(" ".join(step["members"]), ("pass", ""))
            found[" ".join(step["members"])] = (item["outcome"] if word == "pass" else word, step["origin_note"])
    return found


def whole_did_not_run(report, step):
    items = [item for at, item in report.outcomes() if at["name"] == step and at["origin"] == "suite"]
    return bool(items) and all(item["outcome"] == "not run" and "gpu-inventory on node" in item["cause"] for item in items)


def without_a_spare(tap):
    """Those that are fit are tested among themselves, and it accepts nothing."""
    with Lab("nospare", 4, ["node2:gpu-missing:3"]) as lab:
        done, report = run(lab, "nospare", ACROSS)
        tap.same(substitutes(report), {"node1 node3 node4": ("pass", "3 of 4 hosts can take part")},
                 "without a spare those that are fit are tested", done.stderr)
        tap.ok(whole_did_not_run(report, "all-gather-cluster"), "what the suite asks of all stays not run")
        tap.ok("substitute: pass: 3 hosts: node[1,3-4] all-gather-cluster: 3 of 4 hosts can take part" in done.stdout,
               "the terminal says so", done.stdout)


def a_spare_stands_in(tap):
    with Lab("spare", 5, ["node2:gpu-missing:3"]) as lab:
        rewrite(lab, node5="role=spare")
        done, report = run(lab, "spare", ACROSS)
        note = "node5 (spare) instead of node2"
        tap.same(substitutes(report), {"node1 node5 node3 node4": ("pass", note)}, "a spare stands in", done.stderr)
        own = {step["name"] for step, item in report.outcomes() if step["members"] == ["node5"] and item["outcome"] == "pass"}
        tap.same(own, {"reachable", "gpu-inventory"}, "after it passed all steps of a host")
        tap.ok(whole_did_not_run(report, "all-gather-cluster"), "what the suite asks of all stays not run")
        tap.same((done.returncode, report.verdict), (1, "reject"), "the host that failed is not forgotten")
        tap.ok(note in done.stdout, "the terminal says who stood in", done.stdout)
        for form in ("text", "html"):
            shown = assay("report", "1", "--format", form, "--db", os.path.join(lab.folder, "spare.db"), "-o", "-")
            tap.ok(note in " ".join(shown.stdout.split()), f"and so does the report as {form}", shown.stdout[-2000:])
        done, report = run(lab, "asked", ACROSS, "--hosts", "node[1-3]")
        tap.same(list(substitutes(report)), ["node1 node3"], "who asks for some hosts gets no others")


def a_spare_is_not_fit(tap):
    """The next one takes its turn; a group takes the spare of its own unit."""
    with Lab("spares", 6, ["node2:gpu-missing:3", "node5:gpu-missing:1"]) as lab:
        rewrite(lab, node5="role=spare", node6="role=spare")
        done, report = run(lab, "spares", ACROSS)
        tap.same(list(substitutes(report)), ["node1 node6 node3 node4"], "a spare that fails does not stand in", done.stderr)
        bad = {target for target, _ in report.bad()}
        tap.same(bad, {"node2", "node5"}, "and its failure is told")
    with Lab("units", 7, ["node3:gpu-missing:3"]) as lab:
        rewrite(lab, node1="unit=a", node2="unit=a", node3="unit=b", node4="unit=b", node5="unit=a role=spare",
                node6="unit=c role=spare", node7="unit=b role=spare")
        steps = GATES + [collective("all-gather", "group", by="unit", needs=["gpu-inventory"]),
                         collective("all-gather", "pair", needs=["gpu-inventory"])]
        done, report = run(lab, "units", steps)
        tap.same(words(report, "all-gather-group"), {"node1 node2": "pass", "node3 node4": "not run", "node7 node4": "pass"},
                 "a group takes the spare of its own unit", done.stderr)
        tap.same({hosts for hosts, word in words(report, "all-gather-pair").items() if word == "pass"},
                 {"node1 node2", "node4 node1", "node2 node7", "node7 node4"}, "and so do the pairs of the same host")


def a_dead_rail(tap):
    """What could not be measured passes nothing."""
    with Lab("dead", 2, ["node2:link-down:mlx5_4"]) as lab:
        steps = [{"check": "rdma-pair", "scope": "pair", "timeout_s": 60000, "retries": 0}]
        done, report = run(lab, "dead", steps)
        items = [item for _, item in report.outcomes() if item["metric"] == "rdma.write.bandwidth"]
        tap.same((report.verdict, len(items), any(item["outcome"] == "pass" for item in items if item["subject"] == "mlx5_4")),
                 ("incomplete", 16, False), "a rail without a link passes nothing", done.stdout, done.stderr)
        tap.ok("Couldn't connect to" in done.stdout, "the terminal says what stood in the way", done.stdout)


def a_run_is_resumed_with_a_spare(tap):
    """The controller dies while a spare is tried."""
    with Lab("resumed", 4, ["node2:gpu-missing:3"], speed=60) as lab:
        rewrite(lab, node4="role=spare")
        suite, database = os.path.join(lab.folder, "suite.json"), os.path.join(lab.folder, "resumed.db")
        with open(suite, "w", encoding="utf-8") as file:
            json.dump({"name": "resumed", "steps": ACROSS}, file)
        child = start("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "json",
                      "-o", os.path.join(lab.folder, "resumed.html"))
        seen = any('"started"' in line and '"gpu-inventory"' in line and '"node4"' in line for line in child.stderr)
        child.send_signal(signal.SIGKILL)
        child.wait()
        done = assay("run", "--resume", "1", "--db", database, "--progress", "none",
                     "-o", os.path.join(lab.folder, "resumed.html"))
        report = Report(database)
        own = [step["name"] for step in report.steps if step["members"] == ["node4"]]
        tap.same((seen, own, substitutes(report)),
                 (True, ["reachable", "gpu-inventory"], {"node1 node4 node3": ("pass", "node4 (spare) instead of node2")}),
                 "a resumed run goes on with the same spare, once", done.stdout, done.stderr)


def rails(tap):
    """A slow adapter is named by its rail."""
    with Lab("rails", 3, ["node2:nic-slow:mlx5_5"]) as lab:
        steps = GATES + [collective("all-gather", "group", by="rail", needs=["gpu-inventory"], sizes_judged=["8G"])]
        done, report = run(lab, "rails", steps, purpose="delivery")
        found = {item["subject"]: item["outcome"] for _, item in report.outcomes() if item["metric"].endswith("rail.busbw")}
        tap.same(found, {f"mlx5_{i}": "fail" if i == 5 else "pass" for i in range(8)},
                 "a slow adapter is named by its rail", done.stdout, done.stderr)
        tap.ok("3 hosts: node[1-3] all-gather-group mlx5_5: " in done.stdout, "the terminal says which", done.stdout)


def rdma(tap):
    """Between hosts each rail for itself, both ways."""
    with Lab("rdma", 3, ["node2:nic-slow:mlx5_4"]) as lab:
        steps = GATES + [{"check": "rdma-pair", "scope": "pair", "needs": ["gpu-inventory"], "timeout_s": 36000},
                         {"name": "gpudirect", "check": "rdma-pair", "scope": "pair", "by": "disjoint", "timeout_s": 36000,
                          "needs": ["gpu-inventory"], "arguments": {"operation": "send", "gpudirect": True}},
                         {"name": "both", "check": "rdma-pair", "scope": "pair", "by": "disjoint", "timeout_s": 36000,
                          "needs": ["gpu-inventory"], "arguments": {"bidirectional": True, "hcas": ["mlx5_3", "mlx5_4"]}}]
        done, report = run(lab, "rdma", steps, purpose="delivery")
        found = {(" ".join(step["members"]), item["subject"], item["outcome"]) for step, item in report.outcomes()
                 if step["name"] == "rdma-pair" and item["metric"] == "rdma.write.bandwidth"}
        right = {(pair, f"mlx5_{i}", "fail" if i == 4 and "node2" in pair else "pass") for i in range(8)
                 for pair in ("node1 node2", "node2 node3", "node3 node1")}
        tap.same(found, right, "a slow rail is found in both pairs of its host, and no other", done.stdout, done.stderr)
        items = [item for step, item in report.outcomes() if step["name"] == "rdma-pair" and item["metric"].startswith("rdma.")]
        tap.same(len(items), 3 * 2 * 8, "both ways are measured")
        tap.ok("\nfix: node2 mlx5_4 (by tests across hosts): " in done.stdout and
               "\nanswer: 2 of 3 hosts are OK. Fix 1 fault.\n" in done.stdout,
               "its host is named, once for all tests between hosts", done.stdout)
        bad = {(step["target"], item["metric"], item["subject"]) for step, item in report.outcomes()
               if step["name"] == "gpudirect" and item["outcome"] != "pass"}
        tap.same(bad, {(f"2 hosts: node[{pair}]", "rdma.send.gpudirect.bandwidth", "mlx5_4") for pair in ("1-2", "2-3")},
                 "from GPU memory too")
        sums = {(item["subject"], item["outcome"]) for step, item in report.outcomes()
                if step["name"] == "both" and item["metric"] == "rdma.write.bidirectional.bandwidth"}
        tap.same(sums, {("mlx5_3", "pass"), ("mlx5_4", "fail")}, "and in both directions at once")


def variants(tap):
    """The same test under several settings: advice with the noise, a crash is told, and nothing of it is judged."""
    with Lab("variants", 2, options=("--fabric", "roce")) as lab:
        step = collective("all-gather", "cluster", retries=0, repeat=3, variants={
            "default": {}, "qps4": {"NCCL_IB_QPS_PER_CONNECTION": "4"}, "tree": {"NCCL_ALGO": "Tree"}})
        done, report = run(lab, "variants", [step])
        found = {one["name"]: [point["difference"] for point in one["points"]] for one in report.json["tunings"][0]["variants"]}
        tap.same(found, {"default": ["", ""], "qps4": ["faster"] * 2, "tree": ["too few repeats"] * 2},
                 "a setting that helps is told from noise", report.json["tunings"], done.stderr)
        tap.same((report.verdict, report.outcomes()), ("incomplete", []), "and judges nothing")
        remarks = {(step["variant"], item["metric"]) for step, item in report.outcomes("record") if item["remark"]}
        tap.same(remarks, {("tree", "sound")}, "a variant that crashes is remarked")
        tap.ok("is advice only" in done.stderr, "the notes say that it only advises", done.stderr)
        shown = " ".join(assay("report", "1", "--format", "text", "--db", os.path.join(lab.folder, "variants.db"), "-o", "-").stdout.split())
        tap.ok("at 4G to 8G `qps4` is " in shown and "do not use `tree`: the tool failed" in shown, "the report advises in words", shown[-4000:])


LAUNCHED = [{"check": "reachable"}, {"check": "ib-port", "needs": ["reachable"]},
            {"check": "mpi-launch", "scope": "cluster", "needs": ["reachable"]},
            collective("all-gather", "pair", needs=["mpi-launch", "ib-port"])]
DISJOINT = LAUNCHED[:3] + [collective("all-gather", "pair", by="disjoint", needs=["mpi-launch", "ib-port"])]


def pairs_of_the_rest(tap, fault, launch):
    """A host that stops the launch of all stops no test between the others, and is one fault."""
    with Lab("rest-" + fault, 4, [f"node4:{fault}"]) as lab:
        done, report = run(lab, "rest", LAUNCHED, purpose="delivery")
        right = {"node1 node2": "pass", "node2 node3": "pass", "node3 node4": "not run", "node4 node1": "not run",
                 "node3 node1": "pass"}
        tap.same(words(report, "all-gather-pair"), right, f"{fault}: the others are tested in pairs, and close the ring", done.stdout, done.stderr)
        tap.ok(f"substitute: pass: 3 hosts: node[1-3] mpi-launch: 3 of 4 hosts can take part" in done.stdout and
               {step["outcome"] for step in report.steps if step["name"] == "mpi-launch"} == {"pass", launch},
               f"{fault}: they are launched on without it", done.stdout)
        tap.same([report.verdict_of(f"node{i}") for i in (1, 2, 3)], ["accept"] * 3, f"{fault}: and are accepted", done.stdout)
        tap.ok("\nanswer: 3 of 4 hosts are OK. Fix 1 fault.\n" in done.stdout, f"{fault}: one fault, and no open point",
               done.stdout)
        tap.same(report.unrun_without_reason(), [], f"{fault}: what did not run says why")


def the_rest_of_a_dead_host(tap):
    pairs_of_the_rest(tap, "down", "not run")


def the_rest_of_a_stopped_launch(tap):
    pairs_of_the_rest(tap, "peer-down", "fail")


def an_unknown_key_between_hosts(tap):
    """What stops a launch and is no fault of a host is one open point, whatever cannot be known because of it."""
    with Lab("between", 3, ["node3:peer-key-unknown"]) as lab:
        done, report = run(lab, "between", LAUNCHED)
        tap.same(words(report, "all-gather-pair").get("node1 node2"), "pass", "the others are tested in pairs", done.stdout)
        tap.ok("1 point is open" in done.stdout and done.stdout.count("\nopen: ") == 1 and
               "more items are not known because of launch.login" in done.stdout, "a key unknown between hosts is one open point",
               done.stdout)


def another_partner(tap):
    """Who lost the one partner that it has is tested with another host."""
    with Lab("another", 4, ["node4:down"]) as lab:
        done, report = run(lab, "another", DISJOINT, purpose="delivery")
        tap.same(words(report, "all-gather-pair"), {"node1 node2": "pass", "node3 node4": "not run", "node3 node2": "pass"},
                 "a host whose only partner is down is tested with another", done.stdout, done.stderr)
        tap.ok("substitute: pass: 2 hosts: node[2-3] all-gather-pair: node2 instead of node4" in done.stdout and
               "\nanswer: 3 of 4 hosts are OK. Fix 1 fault.\n" in done.stdout, "and the terminal says so", done.stdout)


def a_host_without_a_partner(tap):
    """Who was in no test between hosts is not accepted."""
    with Lab("alone", 2, ["node2:down"]) as lab:
        done, report = run(lab, "alone", LAUNCHED, purpose="delivery")
        tap.same((report.verdict_of("node1"), report.verdict), ("incomplete", "reject"), "whom nobody tested with others is not OK",
                 done.stdout, done.stderr)
        tap.ok("\nanswer: 0 of 2 hosts are OK. Fix 1 fault.\n" in done.stdout and
               "in no test across hosts of 2 kinds" in done.stdout, "and the terminal says why", done.stdout)


def an_unknown_key_of_all(tap):
    """What all hosts have alike is one line, one point and one piece of advice."""
    with Lab("unknown", 3, []) as lab:
        empty = os.path.join(lab.folder, "no-keys")
        open(empty, "w", encoding="utf-8").close()
        with open(lab.hostfile, encoding="utf-8") as file:
            text = re.sub(r"known_hosts=\S+", f"known_hosts={empty}", file.read())
        with open(lab.hostfile, "w", encoding="utf-8") as file:
            file.write(text)
        done, _ = run(lab, "unknown", LAUNCHED[:2])
        for word in ("inconclusive: ", "open: "):
            tap.same(len([line for line in done.stdout.splitlines() if line.startswith(word)]), 1,
                     f"three hosts without a known key: one line of {word.strip()}", done.stdout, done.stderr)
        tap.ok("1 point is open" in done.stdout, "three hosts without a known key: one point", done.stdout)


tap.together([an_unknown_key_between_hosts, the_rest_of_a_dead_host, the_rest_of_a_stopped_launch, another_partner, a_host_without_a_partner, an_unknown_key_of_all, variants, against_itself, a_dead_rail, a_run_is_resumed_with_a_spare, rdma, rails, without_a_spare, a_spare_stands_in, a_spare_is_not_fit, pairs, every_scope])
tap.end()
