# SPDX-License-Identifier: Apache-2.0
"""The check `redfish` with the real curl against real servers over TLS: two BMCs, of which one is well and the other is not.

usage: test_redfish.py ASSAY [all]

What a BMC can do wrong is told by the items that it owes, so several faults are those of one BMC where no item is owed by two of them.
With `all` each is alone on a BMC, too.

The documents are made up after DMTF's schemas (DSP2046) and its public mockups; the form is that of 2020.4 and later, with power
supplies and fans of their own; the lab's BMC has the older one.
"""

import base64
import itertools
import json
import shutil
import subprocess
import sys
import time

from bmcs import BASIC, LOGIN, ROOT, SECRET, Bmc, certificate, free_port, path_of, write
from cluster import Report, Tap, assay

tap = Tap()
DAY = 86400
TOGETHER = 6  # BMCs of one run that are not well


def link(path):
    return {"@odata.id": f"{ROOT}/{path}"}


def members(folder, *names):
    return {"Members": [link(f"{folder}/{name}") for name in names], "Members@odata.count": len(names)}


def stamp(seconds_ago, zone="+00:00"):
    hours = int(zone[:3])
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - seconds_ago + hours * 3600)) + zone


def documents(address):
    ok = {"State": "Enabled", "Health": "OK"}
    entries = "Managers/bmc/LogServices/EventLog/Entries"
    found = {
        "": {"Id": "RootService", "RedfishVersion": "1.17.0", "Systems": link("Systems"), "Managers": link("Managers"),
             "Chassis": link("Chassis"), "UpdateService": link("UpdateService"), "Oem": {"Status": {"Health": "Critical"}}},
        "Systems": members("Systems", "system"),
        "Systems/system": {"Id": "system", "UUID": "8f1c2d3e-0000-4000-8000-" + address.replace(".", "").zfill(12), "SerialNumber": "None",
                           "Model": "Eight GPUs", "BiosVersion": "2.1", "Boot": {"BootSourceOverrideMode": "UEFI"},
                           "Status": ok, "MemorySummary": {"Status": ok}, "SecureBoot": link("Systems/system/SecureBoot")},
        "Systems/system/SecureBoot": {"Id": "SecureBoot", "SecureBootEnable": True},
        "Managers": members("Managers", "bmc"),
        "Managers/bmc": {"Id": "bmc", "FirmwareVersion": "24.10-1", "DateTime": stamp(0, "+08:00"), "Status": ok,
                         "NetworkProtocol": link("Managers/bmc/NetworkProtocol"), "LogServices": link("Managers/bmc/LogServices")},
        "Managers/bmc/NetworkProtocol": {"Id": "NetworkProtocol", "IPMI": {"ProtocolEnabled": False}},
        "Managers/bmc/LogServices": members("Managers/bmc/LogServices", "EventLog", "Journal", "Dump"),
        "Managers/bmc/LogServices/EventLog": {"Id": "EventLog", "Entries": link(entries)},
        # The entries of one page must be asked for, those of the other stand in it.
        entries: {**members(entries, "1", "2"), "Members@odata.nextLink": f"{ROOT}/{entries}?$skip=2"},
        # As large as a log of a thousand events that stand in their collection.
        f"{entries}/1": {"Id": "1", "Severity": "OK", "Created": stamp(60),
                         "Description": "x" * (1_300_000 if address.endswith(".1") else 1)},
        f"{entries}/2": {"Id": "2", "Severity": "Critical", "Created": stamp(2 * DAY, "-05:00"), "Message": "an old story"},
        f"{entries}?$skip=2": {"Members": [{**link(f"{entries}/3"), "Id": "3", "Severity": "Critical", "Created": stamp(60),
                                            "EntryCode": "Deassert", "Message": "it is over"}],
                               "Members@odata.nextLink": f"{ROOT}/{entries}?$skip=3"},
        f"{entries}?$skip=3": {"Members": []},
        "Chassis": members("Chassis", "box", "hgx"),
        "Chassis/box": {"Id": "box", "Status": {**ok, "HealthRollup": "OK"}, "PowerSubsystem": link("Chassis/box/PowerSubsystem"),
                        "ThermalSubsystem": link("Chassis/box/ThermalSubsystem"),
                        "EnvironmentMetrics": link("Chassis/box/EnvironmentMetrics")},
        "Chassis/hgx": {"Id": "hgx", "Status": ok},
        "Chassis/box/EnvironmentMetrics": {"Id": "EnvironmentMetrics", "PowerWatts": {"Reading": 4321.5}},
        "Chassis/box/PowerSubsystem": {"Id": "PowerSubsystem", "PowerSupplies": link("Chassis/box/PowerSubsystem/PowerSupplies")},
        "Chassis/box/PowerSubsystem/PowerSupplies": members("Chassis/box/PowerSubsystem/PowerSupplies", "0", "1", "2"),
        "Chassis/box/ThermalSubsystem": {"Id": "ThermalSubsystem", "Fans": link("Chassis/box/ThermalSubsystem/Fans")},
        "Chassis/box/ThermalSubsystem/Fans": members("Chassis/box/ThermalSubsystem/Fans", "0"),
        "Chassis/box/ThermalSubsystem/Fans/0": {"Id": "0", "Status": ok},
        "UpdateService": {"Id": "UpdateService", "FirmwareInventory": link("UpdateService/FirmwareInventory")},
        "UpdateService/FirmwareInventory": members("UpdateService/FirmwareInventory", "bmc", "HGX_FW_CPLD_0", "HGX_FW_NVSwitch_0"),
    }
    for number in "012":
        found[f"Chassis/box/PowerSubsystem/PowerSupplies/{number}"] = {
            "Id": number, "Name": f"Supply {number}", "Status": ok if number != "2" else {"State": "Absent", "Health": "Critical"}}
    for name in ("bmc", "HGX_FW_CPLD_0", "HGX_FW_NVSwitch_0"):
        found[f"UpdateService/FirmwareInventory/{name}"] = {"Id": name, "Version": "24.10-1", "Updateable": True}
    return {f"{ROOT}/{path}": document for path, document in found.items()}


class Run(dict):
    """Of each host {metric: (outcome, cause)}."""

    def __init__(self, done, report, database, hosts):
        super().__init__({name: {item["metric"]: (item["outcome"], item.get("cause") or "")
                                 for step, item in report.outcomes() if step["target"] == name} for name in hosts})
        self.done, self.report, self.database = done, report, database


class Cluster:
    """Hosts by name, each this machine, and each with a BMC of its own."""

    def __init__(self, names):
        addresses = {name: f"127.0.1.{number}" for number, name in enumerate(names, 1)}
        self.port = free_port(addresses["a"])
        self.ca = certificate("ca", addresses.values())
        self.other = certificate("other", addresses.values())
        self.bmcs = {name: Bmc(address, self.port, self.ca, documents) for name, address in addresses.items()}
        self.netrc = write("netrc", "".join(f"machine {address} login {LOGIN} password {SECRET}\n" for address in addresses.values()), 0o600)
        self.hostfile = write("hosts", "".join(f"{name} transport=local platform=hgx-h100 bmc={address}\n"
                                               for name, address in addresses.items()))
        self.runs = itertools.count(1)

    def run(self, hosts="a,b", **arguments):
        number = next(self.runs)
        step = {"check": "redfish", "retries": 0, "timeout_s": 600, "gate": ["redfish.ipmi_over_lan", "redfish.boot_mode"],
                "arguments": {"credentials": self.netrc, "ca": self.ca, "port": self.port, **arguments}}
        step["arguments"] = {key: value for key, value in step["arguments"].items() if value is not None}
        suite = write(f"suite{number}.json", json.dumps({"name": "oob", "steps": [step]}))
        database = path_of(f"{number}.db")
        done = assay("run", "-H", self.hostfile, "-s", suite, "--db", database, "--progress", "none",
                     "-o", path_of(f"report{number}.html"), "--hosts", hosts)
        return Run(done, Report(database), database, hosts.split(","))


def told(found, outcome):
    return {metric for metric, (word, _) in found.items() if word == outcome}


FIRMWARE = {f"redfish.firmware.{kind}" for kind in
            ("bmc", "bios", "cpld", "erot", "gpu", "nvswitch", "retimer", "psu", "nic", "other")}
HEALTH, FANS, SUPPLIES, EVENTS = "redfish.health_faults", "redfish.fans", "redfish.power_supplies", "redfish.event_faults"
MACHINE = {"redfish.machine", HEALTH, SUPPLIES, FANS, "redfish.boot_mode"}
# What rests on a system's own document, to which its logs belong; and on a chassis.
SYSTEM = {"redfish.machine", "redfish.boot_mode", HEALTH, "redfish.firmware.bios", EVENTS}
CHASSIS = {HEALTH, SUPPLIES, FANS}


def answers(path, function):
    return lambda bmc: bmc.answers.update({f"{ROOT}/{path}": function})


def changes(path, **more):
    return lambda bmc: bmc.documents[f"{ROOT}/{path}"].update(more)


def is_cut(handler):
    body = json.dumps({"Id": "system", "BiosVersion": "2.1"}).encode()
    handler.reply(200, body, len(body) + 500)
    handler.close_connection = True
    handler.connection.close()


def drips(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    try:
        for _ in range(60):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(1)
    except OSError:
        pass
    handler.close_connection = True


def floods(handler):
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    try:
        for _ in range(400):
            handler.wfile.write(b"x" * 100000)
    except OSError:
        pass
    handler.close_connection = True


def cut_often(bmc):
    for path in ("Chassis/box", "Chassis/hgx", "Managers/bmc", "Systems/system"):
        answers(path, is_cut)(bmc)


def two_managers(bmc, ipmi=None):
    """The second one is a baseboard's, which has the protocol only where it is given."""
    bmc.documents[f"{ROOT}/Managers"] = members("Managers", "bmc", "hgx")
    bmc.documents[f"{ROOT}/Managers/hgx"] = {"Id": "hgx", "NetworkProtocol": link("Managers/hgx/NetworkProtocol")}
    bmc.documents[f"{ROOT}/Managers/hgx/NetworkProtocol"] = {"SSH": {"ProtocolEnabled": True}, **({"IPMI": ipmi} if ipmi is not None else {})}


def both_forms(bmc):
    """As DMTF's mockup of a rack server has it: the same supply and the same fan in the form of 2020.4 and in the older one."""
    ok = {"State": "Enabled", "Health": "OK"}
    bmc.documents[f"{ROOT}/Chassis/box"].update(Power=link("Chassis/box/Power"), Thermal=link("Chassis/box/Thermal"))
    bmc.documents[f"{ROOT}/Chassis/box/Power"] = {"PowerSupplies": [{"MemberId": "0", "Name": "Supplies", "Status": ok}]}
    bmc.documents[f"{ROOT}/Chassis/box/Thermal"] = {"Fans": [{"MemberId": "0", "Name": "Fan A", "Status": ok},
                                                            {"MemberId": "1", "Name": "Fan B", "Status": ok}]}


def old_without_severity(bmc):
    """As Supermicro's X10 boards tell all of their events."""
    bmc.documents[f"{ROOT}/{ENTRIES}?$skip=2"] = {"Members": [{"Id": "9", "Created": stamp(3 * DAY), "Message": "[ OEM ] Correctable ECC"}]}


def token_service(bmc):
    """A log service of NVIDIA's BMCs that holds no events: its entries tell no severity."""
    service = f"{ROOT}/Managers/bmc/LogServices/DebugTokenService"
    bmc.documents[f"{ROOT}/Managers/bmc/LogServices"]["Members"].append({"@odata.id": service})
    bmc.documents[service] = {"Id": "DebugTokenService", "Entries": {"@odata.id": f"{service}/Entries"}}
    bmc.documents[f"{service}/Entries"] = {"Members": [{"Id": "1", "Created": stamp(60), "DiagnosticDataType": "OEM"}]}


def older_fans(bmc):
    bmc.documents[f"{ROOT}/Chassis/box"].update(ThermalSubsystem=None, Thermal=link("Chassis/box/Thermal"))
    bmc.documents[f"{ROOT}/Chassis/box/Thermal"] = {"Fans": [{"MemberId": "0", "Name": "Fan 0"}]}


def a_hot_sensor(bmc):
    both_forms(bmc)
    bmc.documents[f"{ROOT}/Chassis/box/Thermal"]["Temperatures"] = [
        {"MemberId": "0", "Name": "CPU1 Temp", "ReadingCelsius": 97, "UpperThresholdCritical": 95},
        {"MemberId": "1", "Name": "CPU2 Temp", "ReadingCelsius": 99, "UpperThresholdCritical": 95, "Status": {"State": "Absent"}},
        {"MemberId": "2", "Name": "Inlet", "ReadingCelsius": 24, "UpperThresholdCritical": 0, "PhysicalContext": "Intake"}]


def metrics_that_are_gone(bmc):
    """What is only recorded is not known then, and nothing that is judged."""
    bmc.documents[f"{ROOT}/{THERMAL}"]["ThermalMetrics"] = link(f"{THERMAL}/ThermalMetrics")


def two_of_one_id(bmc):
    bmc.documents[f"{ROOT}/{ENTRIES}?$skip=2"] = {"Members": [
        {"Id": "9", "Severity": "Critical", "Created": stamp(3 * DAY), "Message": "an old story"},
        {"Id": "9", "Severity": "critical", "Message": "nobody knows when"}]}


def two_on_a_page(bmc):
    bmc.documents[f"{ROOT}/{ENTRIES}?$skip=2"] = {"Members": [
        {"Id": "9", "Severity": "Critical", "Created": stamp(5), "Message": "late"}, {"Id": "10", "Severity": None, "Created": stamp(5)}]}


def one_without_severity(bmc):
    bmc.documents[f"{ROOT}/{ENTRIES}?$skip=2"] = {"Members": [
        {"Id": "9", "Severity": "OK", "Created": stamp(5)}, {**link(f"{ENTRIES}/10"), "Id": "10"}]}


PSU = "Chassis/box/PowerSubsystem/PowerSupplies/1"
INVENTORY = "UpdateService/FirmwareInventory"
ENTRIES = "Managers/bmc/LogServices/EventLog/Entries"
THERMAL = "Chassis/box/ThermalSubsystem"
ALL = None  # items: each gate of the check but those of whether the BMC asks for a login

# what a person sees, how b is changed, the outcome, of which items, and words of their cause
CASES = [
    ("a power supply that is Critical", changes(PSU, Status={"State": "Enabled", "Health": "Critical"}), "fail",
     {"redfish.health_faults"}, "PowerSupplies/1: Critical"),
    ("a power supply that says nothing of its health", changes(PSU, Status={"State": "Enabled"}), "inconclusive", {HEALTH, SUPPLIES}, "Status.Health"),
    ("a health that is a number", changes(PSU, Status={"State": "Enabled", "Health": 7}), "inconclusive", {HEALTH, SUPPLIES}, "Status.Health"),
    ("a supply that is off and calls itself OK", changes(PSU, Status={"State": "UnavailableOffline", "Health": "OK"}), "fail",
     {"redfish.health_faults"}, "PowerSupplies/1: UnavailableOffline"),
    ("a chassis that leads to no fans", lambda bmc: bmc.documents[f"{ROOT}/Chassis/box"].pop("ThermalSubsystem"), "inconclusive",
     {"redfish.fans"}, "does not tell of redfish.fans"),
    ("a fan of the older form without a Status", older_fans, "inconclusive", {HEALTH, FANS}, "Status.Health"),
    ("a sensor that is as hot as its own board calls critical", a_hot_sensor, "fail", {HEALTH}, "CPU1 Temp: 97 degrees, critical from 95"),
    ("a system without a UUID", changes("Systems/system", UUID="00000000-0000-0000-0000-000000000000"), "inconclusive",
     {"redfish.machine"}, "does not tell of redfish.machine"),
    ("a supply that is gone", changes(PSU.replace("/1", "/0"), Status={"State": "Absent"}), "fail", {"redfish.power_supplies"}, "redfish.power_supplies is 1, while most hosts have 2"),
    ("an event of today", changes(f"{ENTRIES}/2", Created=stamp(3600, "-05:00")), "fail", {"redfish.event_faults"}, "an old story"),
    ("an event without a time", changes(f"{ENTRIES}/2", Created=None), "fail", {"redfish.event_faults"}, "an old story"),
    ("an event of 1970", changes(f"{ENTRIES}/2", Created="1970-01-01T00:02:00+00:00"), "fail", {"redfish.event_faults"}, "an old story"),
    ("a clock that is ahead", changes("Managers/bmc", DateTime=stamp(-4 * DAY)), "fail", {"redfish.event_faults"}, "an old story"),
    ("an undated event of the same Id as an old one", two_of_one_id, "fail", {"redfish.event_faults"}, "nobody knows when"),
    ("an event of a severity that nobody knows", changes(f"{ENTRIES}/1", Severity="Fatal"), "inconclusive", {"redfish.event_faults"}, "severity is Fatal"),
    ("an event beside one that was not read", two_on_a_page, "fail", {"redfish.event_faults"}, "late"),
    ("a member of a page that does not stand there whole", one_without_severity, "inconclusive", {"redfish.event_faults"}, "not asked for"),
    ("pages that hold fewer than they say", changes(f"{ENTRIES}", **{"Members@odata.count": 4}), "inconclusive",
     {"redfish.event_faults"}, "not asked for"),
    ("an event on the second page", changes(f"{ENTRIES}?$skip=2", Members=[{"Id": "9", "Severity": "Critical", "Created": stamp(5), "Message": "late"}]),
     "fail", {"redfish.event_faults"}, "late"),
    ("a second page that is not there", lambda bmc: bmc.documents.pop(f"{ROOT}/{ENTRIES}?$skip=2"), "inconclusive",
     {"redfish.event_faults"}, "HTTP status 404"),
    ("a component of other firmware", changes(f"{INVENTORY}/HGX_FW_NVSwitch_0", Version="24.09"), "fail", {"redfish.firmware.nvswitch"}, "24.09"),
    ("a component without a version", changes(f"{INVENTORY}/HGX_FW_CPLD_0", Version=None), "inconclusive", {"redfish.firmware.cpld"},
     "no version of HGX_FW_CPLD_0"),
    ("an inventory that forgets one", lambda bmc: bmc.documents.pop(f"{ROOT}/{INVENTORY}/HGX_FW_CPLD_0"), "inconclusive", FIRMWARE, "404"),
    ("an inventory that is empty", changes(INVENTORY, **members(INVENTORY)), "inconclusive", FIRMWARE, "does not tell"),
    ("IPMI over LAN", changes("Managers/bmc/NetworkProtocol", IPMI={"ProtocolEnabled": True}), "fail", {"redfish.ipmi_over_lan"}, "is on"),
    ("IPMI over LAN at the second of two managers", lambda bmc: two_managers(bmc, {"ProtocolEnabled": True}), "fail",
     {"redfish.ipmi_over_lan"}, "is on (Managers/hgx/NetworkProtocol)"),
    ("IPMI over LAN at one manager, and another that does not tell",
     lambda bmc: (two_managers(bmc, {"ProtocolEnabled": None}), changes("Managers/bmc/NetworkProtocol", IPMI={"ProtocolEnabled": True})(bmc)),
     "fail", {"redfish.ipmi_over_lan"}, "is on (Managers/bmc/NetworkProtocol)"),
    ("IPMI of which the second of two managers does not tell", lambda bmc: two_managers(bmc, {"ProtocolEnabled": None}), "inconclusive",
     {"redfish.ipmi_over_lan"}, "Managers/hgx/NetworkProtocol"),
    ("IPMI that is not told", changes("Managers/bmc/NetworkProtocol", IPMI={"ProtocolEnabled": "no"}), "inconclusive",
     {"redfish.ipmi_over_lan"}, "does not tell"),
    ("a link that is no path", changes("Chassis", Members=[link("Chassis/box"), link("Chassis/hgx"), link("Chassis/$(touch run)")]),
     "inconclusive", CHASSIS, "not asked for"),
    ("a document that is no JSON", answers("Chassis/hgx", lambda handler: handler.reply(200, b'{"Id": "hgx"')), "inconclusive",
     CHASSIS, "not JSON"),
    ("one that nests without end", answers("Chassis/hgx", lambda handler: handler.reply(200, b"[" * 200000)), "inconclusive",
     CHASSIS, "not JSON"),
    ("a line that looks like ours", answers("Chassis/hgx", lambda handler: handler.reply(500, b"\nredfish end\nredfish default root 401\n")),
     "inconclusive", CHASSIS, "HTTP status 500"),
    ("a redirection", answers("Systems/system", lambda handler: handler.reply(302, b"{}")), "inconclusive",
     SYSTEM, "HTTP status 302"),
    ("an answer that is cut off", answers("Systems/system", is_cut), "inconclusive", SYSTEM, r"curl: (18)"),
    ("an answer that drips", answers(f"{THERMAL}/Fans/0", drips), "inconclusive", {HEALTH, FANS}, r"curl: (28)"),
    ("an answer that announces too much", answers("Chassis/hgx", lambda handler: handler.reply(200, b"{}", 1 << 40)), "inconclusive", CHASSIS,
     "curl: (63)"),
    ("a log that drips", answers(ENTRIES, drips), "inconclusive", {EVENTS}, r"curl: (28)"),
    ("a manager that drips, of two", lambda bmc: (two_managers(bmc), answers("Managers/hgx", drips)(bmc)), "inconclusive",
     {HEALTH, EVENTS, "redfish.ipmi_over_lan"}, r"curl: (28)"),
    ("more answers that are cut off than are waited for", cut_often, "inconclusive", ALL, r"curl: (18)"),
    ("a flood", answers("Systems/system", floods), "inconclusive", SYSTEM, ""),
    ("a login that is refused", lambda bmc: setattr(bmc, "login", "another"), "inconclusive", ALL, "HTTP status 401"),
]


def packed(cases, alone):
    """Cases by the BMC that has them."""
    def room(case):
        """With what it would be mixed up: the BIOS is the machine's."""
        return case[3] | (MACHINE if case[3] == FIRMWARE else set())

    bmcs = []
    for case in cases:
        for bmc in bmcs:
            if not alone and case[3] is not ALL and all(other[3] is not ALL and room(other).isdisjoint(room(case)) for other in bmc):
                bmc.append(case)
                break
        else:
            bmcs.append([case])
    return bmcs


def cases_of(tell, cluster, well, names):
    """Several BMCs in one run: of each component most hosts agree. Not all: each walk takes turns at this machine's CPUs."""
    for first in range(0, len(names), TOGETHER):
        some = names[first:first + TOGETHER]
        run = cluster.run(hosts=",".join([*well, *some]))
        tell.same({word for name in well for word, _ in run[name].values()}, {"pass"},
                  f"the hosts beside {', '.join(some)} are not accused", *(run[name] for name in well))
        for name in some:
            cases_of_one(tell, cluster.wrong[name], run[name])


def cases_of_one(tell, cases, found):
    beside = {"redfish.login_required", "sound"} if cases[0][3] is ALL else set()
    owed = {"fail": set(), "inconclusive": set()}
    for name, _, outcome, items, words in cases:
        items = set(found) - beside if items is ALL else items
        owed[outcome] |= items
        tell.same({found[item][0] for item in items}, {outcome}, f"{name}: {outcome}", found)
        causes = [found[item][1] for item in items]
        tell.ok(all(words in cause for cause in causes), f"{name}: the cause says so", causes)
    tell.same((told(found, "fail"), told(found, "inconclusive") - beside), (owed["fail"], owed["inconclusive"]),
              f"nothing else: {', '.join(name for name, *_ in cases)}", found)


def who_is_well(tell, cluster):
    for name in "ab":
        cluster.bmcs[name].is_watched = True
    run = cluster.run(default_passwords=["root:0penBmc", "admin:admin"])
    for name in "ab":
        cluster.bmcs[name].is_watched = False
    asked = cluster.bmcs["b"].asked
    found = run["b"]
    tell.same({word for host in run.values() for word, _ in host.values()}, {"pass"}, "two BMCs that are well pass", run,
             run.done.stdout + run.done.stderr)
    tell.ok(set(found) == FIRMWARE | MACHINE | {"redfish.event_faults", "redfish.ipmi_over_lan", "redfish.login_required",
                                               "redfish.default_password", "sound"}, "all that is owed is there", set(found))
    tell.ok(not any("Journal" in path or "Dump" in path for path in asked), "logs that hold no events are not read", asked)
    tell.ok(not any(bmc.seen_in_arguments for bmc in cluster.bmcs.values()), "the password is in no argument and no environment")
    logs = assay("logs", "1", "a", "redfish", "--db", run.database)
    tell.ok("24.10-1" in logs.stdout and SECRET not in logs.stdout and BASIC[6:] not in logs.stdout,
           "the documents are kept, and no password", logs.stdout[-400:] + logs.stderr)


def who_may_enter(tell, cluster):
    def account(words):
        return "Basic " + base64.b64encode(words).decode()

    cluster.bmcs["first"].others = [account(b"root:0penBmc")]
    cluster.bmcs["second"].others = [account(b"root:calvin")]
    cluster.bmcs["change"].to_change = account(b"root:0penBmc")
    run = cluster.run("first,second,change", default_passwords=["root:0penBmc", "root:calvin"])
    tell.ok(told(run["first"], "fail") == {"redfish.default_password"} and "root" in run["first"]["redfish.default_password"][1],
            "a published password that is accepted fails", run["first"])
    tell.same(told(run["second"], "fail"), {"redfish.default_password"}, "and so does a second one of the same account", run["second"])
    found = run["change"]
    tell.ok(told(found, "inconclusive") - {"sound"} == {"redfish.default_password"} and "403" in found["redfish.default_password"][1],
            "one that has to be changed first was not refused", found)


def who_differs(tell, cluster):
    """Each in one thing."""
    bmcs = cluster.bmcs
    bmcs["open"].others = [None]
    bmcs["twin"].documents[f"{ROOT}/Systems/system"]["UUID"] = bmcs["one"].documents[f"{ROOT}/Systems/system"]["UUID"]
    for name in ("Previous-1-bmc", "Available-1-bmc"):  # what is not running is not compared
        bmcs["older"].documents[f"{ROOT}/{INVENTORY}/{name}"] = {"Id": name, "Version": "24.09"}
    bmcs["older"].documents[f"{ROOT}/{INVENTORY}"] = members(INVENTORY, "bmc", "HGX_FW_CPLD_0", "HGX_FW_NVSwitch_0", "Previous-1-bmc",
                                                            "Available-1-bmc")
    # Not what is set for the next boot.
    bmcs["booted"].documents[f"{ROOT}/Systems/system/SecureBoot"]["SecureBootCurrentBoot"] = "Disabled"
    # What boards of several vendors have, and is well.
    for be_other in (two_managers, both_forms, old_without_severity, token_service, metrics_that_are_gone):
        be_other(bmcs["vendors"])
    asked = len(bmcs["b"].asked)
    run = cluster.run("a,b,open,one,twin,older,booted,vendors")
    tell.same(bmcs["b"].asked[asked:].count(f"{ROOT}/Managers"), 2, "none is tried where nobody asks for it")
    tell.same(told(run["open"], "fail"), {"redfish.login_required"}, "a BMC that asks for no login fails", run["open"])
    tell.same([told(run[name], "fail") for name in ("one", "twin")], [{"redfish.machine"}] * 2, "one machine behind two addresses fails", run)
    tell.same(told(run["older"], "pass"), set(run["older"]), "images that a BMC keeps beside those that run are left out", run["older"])
    report = json.dumps(run.report.json)
    tell.ok("redfish.secure_boot is off" in report, "secure boot is as the machine was booted", report[-2000:])
    tell.same(told(run["vendors"], "pass"), set(run["vendors"]), "a baseboard's manager without IPMI, parts in both forms, old events "
              "without a severity and a log without events are well", run["vendors"])
    tell.same([told(run[name], "fail") for name in ("a", "b", "booted")], [set()] * 3, "and nobody else is accused", run)


def whom_to_trust(tell, cluster):
    before = len(cluster.bmcs["b"].asked)
    found = cluster.run("b", ca=cluster.other)["b"]
    tell.ok(not told(found, "pass") - {"sound"} and "certificate" in found["redfish.fans"][1],
            "a certificate of nobody whom we know is not taken", found)
    tell.same(before, len(cluster.bmcs["b"].asked), "and nothing is sent to it")
    run = cluster.run(ca=None, unverified=True)
    report = json.dumps(run.report.json)
    tell.ok(told(run["b"], "pass") == set(run["b"]) and "redfish.certificate" in report and "not verified" in report,
            "where the suite says so any is taken, and that is remarked on", run["b"])
    with open(cluster.netrc, encoding="utf-8") as file:
        careless = write("careless", file.read(), 0o644)
    found = cluster.run("b", credentials=careless)["b"]
    tell.ok("chmod 600" in found["redfish.fans"][1], "a login that others may read is not used", found)
    found = cluster.run("b", credentials=path_of("nothing"))["b"]
    tell.ok("is not there" in found["redfish.fans"][1], "a login that is not there is named", found)


def words_of_the_suite(tell):
    def refused(hosts, suite, words, name):
        done = assay("plan", "-H", write("bad-hosts", hosts), "-s", write("bad.json", json.dumps({"name": "bad", "steps": [suite]})))
        tell.ok(done.returncode == 64 and words in done.stderr, name, done.stderr)

    local = "transport=local platform=hgx-h100"
    refused(f"a {local}\n", {"check": "redfish"}, "bad-hosts:1:1: host 'a' has no bmc=ADDRESS", "a host without an address is refused by its line")
    refused(f"a {local} bmc=10.0.0.9\nb {local} bmc=10.0.0.9\n", {"check": "redfish"}, "bmc 10.0.0.9 of host 'b' is already that of 'a' on line 1",
            "one BMC of two hosts is refused")
    refused(f"a {local} bmc=bmc1.example\nb {local} bmc=BMC1.example.\n", {"check": "redfish"}, "is already that of 'a' on line 1",
            "and so is one that is written in another way")
    refused(f"a {local} bmc=169.254.example\nb {local} bmc=169.254.example\n", {"check": "redfish"}, "is already that of 'a' on line 1",
            "a name is no link-local address")
    refused(f"a {local} bmc=non\n", {"check": "redfish"}, "expected ipmi, none, or the name or IP address of the BMC", "a misspelt none is no address")
    refused(f"a {local} bmc=10.0.0.9\n", {"check": "redfish", "arguments": {"default_passwords": ["admin"]}}, "ACCOUNT:PASSWORD",
            "a default password without an account is refused")
    refused(f"a {local} bmc=10.0.0.9\n", {"check": "redfish", "arguments": {"ca": "/x", "unverified": True}}, "expected one of them",
            "a CA and no verification at once are refused")
    done = assay("plan", "-H", write("good-hosts", f"a {local} bmc=169.254.3.1\nb {local} bmc=169.254.3.1\n"),
                 "-s", write("good.json", json.dumps({"name": "good", "steps": [{"check": "redfish"}]})))
    tell.same(done.returncode, 0, "the address between a host and its own BMC may be the same on all", done.stderr)


if shutil.which("curl") is None or shutil.which("openssl") is None:
    tap.skip("redfish", "curl or openssl is not installed: NO BMC WAS ASKED OVER TLS")
else:
    ALONE = sys.argv[2:] == ["all"]
    wrong = {f"c{number}": cases for number, cases in enumerate(packed(CASES, ALONE))}
    the_cluster = Cluster(["a", "b", "y", "z", "first", "second", "change", "open", "one", "twin", "older", "booted", "vendors", *wrong])
    the_cluster.wrong = wrong
    for host, of_it in wrong.items():
        for _, be_wrong, *_ in of_it:
            be_wrong(the_cluster.bmcs[host])
    # Whoever tells next to nothing is waited for the longest.
    lost = [host for host, of_it in wrong.items() if any(case[3] is ALL or "drips" in case[0] for case in of_it)]

    def what_is_waited_for(tell):
        cases_of(tell, the_cluster, ["y", "z"], lost)

    def all_others(tell):
        for story in (who_is_well, who_may_enter, who_differs, whom_to_trust):
            story(tell, the_cluster)
        words_of_the_suite(tell)
        cases_of(tell, the_cluster, ["a", "b"], [host for host in wrong if host not in lost])

    tap.together([all_others, what_is_waited_for])
tap.end()
