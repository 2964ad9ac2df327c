# SPDX-License-Identifier: Apache-2.0
"""The check `redfish` with the real curl against mockups of other people: each mockup below a folder is served over TLS and read.

usage: [ASSAY_REDFISH_MOCKUPS=FOLDER] test_redfish_mockups.py ASSAY

A mockup is a folder as DMTF's Redfish-Mockup-Creator writes it, with index.json of the root service on top, or one with a file a
document, whose "@odata.id" says where it belongs. What a mockup does not have is a 404, as many have pieces only: then what rests on it may not
be decided. What was made of each is told in comments.
"""

import json
import os
import sys

from bmcs import LOGIN, ROOT, SECRET, Bmc, certificate, free_port, path_of, write
from cluster import Report, Tap, assay

tap = Tap()
MOCKUPS = os.environ.get("ASSAY_REDFISH_MOCKUPS")
if not MOCKUPS:
    print("1..0 # SKIP no folder of mockups in ASSAY_REDFISH_MOCKUPS")
    sys.exit(0)
ADDRESS = "127.0.1.77"


def load(path):
    try:
        with open(path, encoding="utf-8-sig") as file:
            document = json.load(file)
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def forms(path):
    return (path.rstrip("/"), path.rstrip("/") + "/")


def documents_below(folder):
    """{path: document}, with and without a / at the end; {} where it is no mockup."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            document = load(os.path.join(place, name)) if name.endswith(".json") else None
            if document is None:
                continue
            told = document.get("@odata.id")
            below = os.path.relpath(place, folder)
            if isinstance(told, str) and told.startswith(ROOT):
                found.update(dict.fromkeys(forms(told), document))
            elif name == "index.json" and "Name" in document:
                found.update(dict.fromkeys(forms(f"{ROOT}/{below}" if below != "." else ROOT), document))
    return found if f"{ROOT}/Managers" in found and f"{ROOT}/" in found else {}


def mockups(folder):
    """Each folder that has a root service in itself; what lies below belongs to it."""
    for place, folders, names in os.walk(folder):
        roots = [load(os.path.join(place, name)) for name in names if name.endswith(".json")]
        if any(root and "RedfishVersion" in root for root in roots) and documents_below(place):
            folders[:] = []
            yield place


def try_one(number, folder):
    name = os.path.relpath(folder, MOCKUPS)
    bmc.documents, bmc.asked = documents_below(folder), []
    database = path_of(f"{number}.db")
    done = assay("run", "-H", hostfile, "-s", suite, "--db", database, "--progress", "none", "-o", path_of(f"{number}.html"))
    report = Report(database)
    told = [(item["metric"], item["outcome"], item.get("cause") or "") for _, item in report.outcomes()]
    lacking = {path for path in bmc.asked if path not in bmc.documents}
    undecided = [row for row in told if row[1] not in ("pass", "fail")]
    print(f"# {name}: {len(bmc.documents) // 2} documents, {len(set(bmc.asked))} asked for, {len(lacking)} of them not in it; "
          f"{sum(row[1] == 'pass' for row in told)} pass, {sum(row[1] == 'fail' for row in told)} fail, {len(undecided)} undecided")
    for row in told:
        if row[1] != "pass":
            print("#   " + " ".join(row)[:300])
    tap.ok(done.returncode in (0, 1, 2) and len(told) > 3 and len(set(bmc.asked)) >= 3, f"{name} is read to its end", done.stdout, done.stderr)
    tap.ok(not undecided or all(cause for _, _, cause in undecided), f"{name}: what is not decided says why", undecided)


bmc = Bmc(ADDRESS, free_port(ADDRESS), certificate("ca", [ADDRESS]), lambda address: {})
netrc = write("netrc", f"machine {ADDRESS} login {LOGIN} password {SECRET}\n", 0o600)
hostfile = write("hosts", f"a transport=local platform=hgx-h100 bmc={ADDRESS}\n")
suite = write("suite.json", json.dumps({"name": "oob", "steps": [
    {"check": "redfish", "retries": 0, "timeout_s": 600,
     "arguments": {"credentials": netrc, "ca": path_of("ca.pem"), "port": bmc.server_address[1]}}]}))
folders = sorted(mockups(MOCKUPS))
tap.ok(folders, f"there are mockups below {MOCKUPS}")
for count, one in enumerate(folders):
    try_one(count, one)
tap.end()
