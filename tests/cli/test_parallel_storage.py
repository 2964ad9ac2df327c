# SPDX-License-Identifier: Apache-2.0
"""usage: test_parallel_storage.py ASSAY

IOR, mdtest and elbencho over the hosts of a lab: what they measure is recorded, or judged by a contract; wrong data, a mount that cannot be
written to and a tool that is missing never pass, and nothing is left on the mount.
"""

import json
import os

from cluster import FOLDER, Lab, Report, Tap, assay

# Two healthy hosts, and one for each fault.
FAULTS = ["node3:data-bad:corrupts", "node4:client-slow:60", "node5:data-bad:read-only", "node6:tool-missing:ior",
          "node6:tool-missing:mdtest", "node6:tool-missing:elbencho"]


def limit(metric, floor, unit):
    return {"metric": metric, "floor": floor, "unit": unit, "source": "contract, clause 7.3", "status": "contract"}


def suite(name, limits_of_ior=(), limits_of_mdtest=(), **arguments):
    path = os.path.join(FOLDER, f"{name}.json")
    steps = [{"check": "reachable"},
             {"check": "storage-ior", "scope": "cluster", "needs": ["reachable"], "limits": list(limits_of_ior),
              "arguments": {"mount": "/data", **arguments}},
             {"check": "storage-mdtest", "scope": "cluster", "needs": ["reachable"], "limits": list(limits_of_mdtest),
              "arguments": {"mount": "/data"}}]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": name, "title": name, "purpose": "delivery", "steps": steps}, file)
    return path


def run(lab, name, hosts, document):
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", document, "--db", database, "--progress", "none", "--hosts", hosts, "-o",
                 os.path.join(FOLDER, f"{name}.html"))
    return done, Report(database)


def outcome(report, step, metric):
    found = [item for of, item in report.outcomes() if of["name"] == step and item["metric"] == metric]
    return (found[0]["outcome"], found[0]["cause"] or "") if found else None


def elbencho(lab, name, hosts, *limits, **arguments):
    path = os.path.join(FOLDER, f"elbencho-{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": name, "title": name, "purpose": "delivery", "steps": [
            {"check": "reachable"},
            {"check": "storage-elbencho", "scope": "cluster", "needs": ["reachable"], "limits": list(limits),
             "arguments": {"mount": "/data", **arguments}}]}, file)
    done, report = run(lab, f"elbencho-{name}", hosts, path)
    return done, report, {metric: outcome(report, "storage-elbencho", metric) for metric in
                          ("elbencho.nodes", "elbencho.wrong", "elbencho.read.bandwidth", "sound")}


def elbencho_over(lab):
    done, report, _ = elbencho(lab, "healthy", "node1,node2")
    recorded = {item["metric"]: item["measured"] or "" for _, item in report.outcomes("record") if item["metric"].startswith("elbencho.")}
    tap.same((done.returncode, report.bad()), (0, {}), "elbencho: healthy hosts pass", done.stderr)
    tap.ok(22 < float(recorded["elbencho.write.bandwidth"].split()[0]) < 25 and 33 < float(recorded["elbencho.read.bandwidth"].split()[0]) < 37
           and recorded["elbencho.version"] == "3.1.9", "elbencho: as much as both hosts together have", recorded)
    tap.ok(recorded["elbencho.read.slowest"].startswith("node"), "elbencho: who was done last is told by its name", recorded)
    done, report, found = elbencho(lab, "slow", "node1,node2,node4", limit("elbencho.read.bandwidth", 40, "GB/s"))
    tap.ok(done.returncode == 1 and found["elbencho.read.bandwidth"][0] == "fail", "client-slow: elbencho reads less than the contract says",
           found, done.stderr)
    slowest = [item["measured"] for _, item in report.outcomes("record") if item["metric"] == "elbencho.write.slowest"]
    tap.ok(slowest[0].startswith("node4 ("), "client-slow: and who was done last is that host", slowest)
    done, report, found = elbencho(lab, "corrupts", "node1,node2,node3")
    tap.ok(done.returncode == 1 and found["elbencho.wrong"][0] == "fail" and found["sound"][0] == "fail"
           and "Data verification failed" in found["sound"][1], "data-bad:corrupts: elbencho compares, and wrong data is rejected", found)
    for name, hosts, words in (("read-only", "node1,node5", "Read-only file system"), ("missing", "node1,node6", "unable to find the specified executable")):
        done, report, found = elbencho(lab, name, hosts)
        passed = [item["metric"] for step, item in report.outcomes() if item["outcome"] == "pass" and step["name"] == "storage-elbencho"]
        tap.same(passed, [], f"elbencho {name}: nothing passes", found)
        tap.ok(any(words in (found[metric] or ("", ""))[1] for metric in found), f"elbencho {name}: and why is said", found, done.stderr)
    document = os.path.join(FOLDER, "elbencho-wrong.json")
    with open(document, "w", encoding="utf-8") as file:
        json.dump({"name": "wrong", "title": "wrong", "steps": [{"check": "storage-elbencho", "scope": "cluster", "arguments": {
            "mount": "/data", "size": "3M", "block": "2M"}}]}, file)
    refused = assay("plan", "-H", lab.hostfile, "-s", document)
    tap.ok(refused.returncode == 64 and "no multiple" in refused.stderr, "elbencho: a size that is no multiple is refused", refused.stderr)


tap = Tap()
FLOORS = suite("floors", [limit("ior.read.bandwidth", 30, "GB/s"), limit("ior.write.bandwidth", 20, "GB/s")],
               [limit("mdtest.file.create", 15000, "count")])
with Lab("parallel", 6, FAULTS) as lab:
    done, report = run(lab, "healthy", "node1,node2", suite("recorded", layout="shared"))
    recorded = {item["metric"]: float(item["measured"].split()[0]) for _, item in report.outcomes("record")
                if item["metric"].startswith(("ior.", "mdtest.")) and not item["metric"].endswith("version") and item["measured"]}
    tap.same((done.returncode, report.verdict, report.bad()), (0, "accept", {}), "healthy hosts pass", done.stderr)
    tap.same(sorted(recorded), sorted([f"ior.{way}.{what}" for way in ("write", "read") for what in ("bandwidth", "transfers", "time")] +
                                      [f"mdtest.file.{what}" for what in ("create", "stat", "remove")]),
             "what no limit is of is recorded")
    tap.ok(22 < recorded["ior.write.bandwidth"] < 24 and 33 < recorded["ior.read.bandwidth"] < 35.5 and
           recorded["mdtest.file.create"] == 18000, "as much as both hosts together have, and as fast as all files were there", recorded)

    done, report = run(lab, "limits", "node1,node2", FLOORS)
    tap.same((done.returncode, outcome(report, "storage-ior", "ior.read.bandwidth")[0],
              outcome(report, "storage-mdtest", "mdtest.file.create")[0]), (0, "pass", "pass"), "limits of a contract are met", done.stderr)

    done, report = run(lab, "reads", "node1,node2", suite("reads", (), [limit("mdtest.file.read", 1, "count")]))
    word, cause = outcome(report, "storage-mdtest", "mdtest.file.read")
    tap.ok(word == "inconclusive" and "its own files" in cause, "what two hosts would read of their own is no rate", word, cause)

    done, report = run(lab, "slow", "node1,node4", FLOORS)
    tap.same((done.returncode, report.verdict), (1, "reject"), "client-slow: storage that is slower than the contract says is rejected",
             done.stderr)
    for step, metric, words in (("storage-ior", "ior.read.bandwidth", "expected >= 30 GB/s"),
                                ("storage-mdtest", "mdtest.file.create", "expected >= 15000")):
        word, cause = outcome(report, step, metric)
        tap.ok(word == "fail" and words in cause, f"{metric} is what fails", word, cause)

    done, report = run(lab, "corrupts", "node1,node2,node3", suite("verified"))
    word, cause = outcome(report, "storage-ior", "ior.wrong")
    tap.ok(done.returncode == 1 and word == "fail" and "expected <= 0" in cause, "data-bad:corrupts: wrong data is rejected", word, cause)
    word, cause = outcome(report, "storage-ior", "sound")
    tap.ok(word == "fail" and "node3/rank16" in cause and "which node" in cause and ".000000" in cause,
           "who read it, in which file, and who wrote it are told", word, cause)
    tap.same(sorted(step for _, step in report.bad()), ["storage-ior"], "nothing else is", report.bad())
    done, report = run(lab, "corrupts-two", "node1,node3", suite("verified-two"))
    word, cause = outcome(report, "storage-ior", "ior.wrong")
    tap.ok(done.returncode == 1 and word == "fail", "and so it is of two hosts, of which each compares what the other wrote", word, cause)

    for name, hosts, words in (("read-only", "node1,node5", "Read-only file system"), ("missing", "node1,node6", "unable to find the specified executable")):
        done, report = run(lab, name, hosts, suite(name))
        bad = {step: {word: [item["cause"] for item in items] for word, items in words_of.items()}
               for (_, step), words_of in report.bad().items()}
        tap.same(sorted(bad), ["storage-ior", "storage-mdtest"], f"{name}: neither passes", bad, done.stderr)
        tap.ok(any(words in (cause or "") for causes in bad.get("storage-ior", {}).values() for cause in causes),
               f"{name}: and why is said", bad)
        passed = [item["metric"] for step, item in report.outcomes() if item["outcome"] == "pass" and step["name"].startswith("storage-")]
        tap.same(passed, [], f"{name}: nothing of them passes")
    for name, arguments, words in (("layout", {"layout": "files of all"}, '"layout" is neither'),
                                   ("block", {"block": "3M", "transfer": "2M"}, '"block" is no multiple')):
        refused = assay("plan", "-H", lab.hostfile, "-s", suite(f"wrong-{name}", **arguments))
        tap.ok(refused.returncode == 64 and words in refused.stderr, f"a wrong {name} is refused", refused.stderr)
    for check in ("storage-ior", "storage-mdtest"):
        of_one = os.path.join(FOLDER, f"one-{check}.json")
        with open(of_one, "w", encoding="utf-8") as file:
            json.dump({"name": "one", "title": "one", "steps": [{"check": check, "arguments": {"mount": "/data"}}]}, file)
        refused = assay("plan", "-H", lab.hostfile, "-s", of_one)
        tap.ok(refused.returncode == 64 and "cannot run with scope 'host'" in refused.stderr,
               f"{check} of one host, which reads its own memory, is refused", refused.stderr)
    elbencho_over(lab)
    left = [name for name in os.listdir(os.path.join(lab.folder, "data")) if name.startswith("assay-")]
    tap.same(left, [], "nothing is left on the mount")
tap.end()
