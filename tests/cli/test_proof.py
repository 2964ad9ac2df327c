# SPDX-License-Identifier: Apache-2.0
"""What changes hands can be proved: one changed byte anywhere is found and named, and what is redacted tells nobody.

One made-up run, no cluster. Keys are made here; where ssh-keygen is missing, what is signed is passed over.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import sys

from cluster import ASSAY, FOLDER, Tap, assay, environment
from unpacking import unpacked as whole_frame, unpacked_bytes

tap = Tap()
WRITE_DATABASE = os.path.abspath(sys.argv[2])

HOSTFILE = """# the cluster of acme
report title="Project Falcon" customer=Umbrella site="Reykjavik 2"
defaults user=opsmith become=sudo platform=hgx-h100 slots=8 jump=gate@bastion.dc1.acme.example:2222
node[1-8] address=10.0.0.[1-8] mpi_address=node[1-8]-ib unit=su1
spare[01-02] address=172.16.9.[1-2] identity=/home/alice/.ssh/id
"""
# Every way in which a name has been seen to stand in an output.
OUTPUT = r"""plain node1, node2: node3; (node4) <node5> "node6" 'node7' [node8] node1:8,node2:8
UPPER NODE1 Node2.DC1.Acme.Example and node1.dc1.acme.example. ntp.dc1.acme.example dc1.acme.example
lists node[1-8] node[1,3-5]-ib node[01-04] NODE[1-2].dc1.acme.example spare[01-02] spare01 neighbour node9 node12
glued {"text": "a\nnode1\tnode2\u001b[0m"} log_node3_x /var/log/node4/syslog node5.log %2Fnode6 rank0@node7 key=node8;
"""+"\x1b[1;31mnode1\x1b[0m \x1b[mnode2\x1b[0m\r\n"+r"""
addresses 10.0.0.1 10.0.0.12:22 (10.1.2.3/24) \n10.0.0.2 10.0.0.3.443 > ip-10-0-0-4 0A000005 1.0.0.10.in-addr.arpa
addresses fe80::506b:4bff:fe03:ae 2001:0DB9:0:0:0:0:0:1 [fe80::1%ib0] ::ffff:10.0.0.7 fd00:1::/64 aa:bb:cc:dd:ee:ff
addresses 00:00:10:29:fe:80:00:00:00:00:00:00:50:6b:4b:03:00:ae:de:ad AA-BB-CC-11-22-33 aabb.cc44.5566 10.0.0.[1-8]
users opsmith /home/alice/x alice uid=1001(carol) gid=1001(carol) carol bob@node3 mail to dave@acme.example dave
users Accepted publickey for erin from 10.0.0.9 port 22, erin; user=frank USER=frank frank /Users/grace/y grace
names Mar 01 12:00:00 srv-8842 kernel: NVRM; srv-8842 Rank 0 Pid 4711 on blade-77 device 0; blade-77 HOSTNAME=tango7 tango7
names 2026-03-01T12:00:01.5+00:00 kilo-3 sshd[12]: x; kilo-3 root@node2:~# bastion gate
keep version 535.129.03 vbios 96.00.74.00.01 gpu0 gpu7 0000:1b:00.0 GPU-6b0c5e3a 12:00:01 127.0.0.1 ::1 1.5 GB/s root 255.255.255.0
keep getty@tty1.service std::fixed node_count nodes 7c0e0000-0001-4a11-9d00-000000000001
"""
SECRETS = ["falcon", "umbrella", "reykjavik", "node1", "node2", "node3", "node4", "node5", "node6", "node7", "node8", "node9", "node12", "spare01", "node[", "spare[",
           "acme", "dc1.", "bastion", "ntp.", "opsmith", "alice", "carol", "bob", "dave", "erin", "frank", "grace",
           "gate@", "srv-8842", "blade-77", "tango7", "kilo-3", "10.0.0", "10.1.2.3", "172.16.9", "10-0-0-4", "0a000005",
           "0.0.10.in-addr", "506b:4b", "2001:0db9", "2001:db9", "fe80", "fd00:1", "aa:bb:cc", "aa-bb-cc", "aabb.cc44", "50:6b:4b"]
KEPT = ["version 535.129.03 vbios 96.00.74.00.01 gpu0 gpu7 0000:1b:00.0 GPU-6b0c5e3a 12:00:01 127.0.0.1 ::1 1.5 GB/s root "
        "255.255.255.0", "getty@tty1.service std::fixed node_count nodes 7c0e0000-0001-4a11-9d00-000000000001"]


def path(name):
    return os.path.join(FOLDER, name)


def read(name):
    with open(path(name), "rb") as file:
        return file.read()


def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def unpacked(name):
    return unpacked_bytes(read(name))


def flipped(name, at, into):
    data = bytearray(read(name))
    data[at] ^= 1
    write(into, bytes(data))


def make():
    write("hosts", HOSTFILE)
    write("output", OUTPUT)
    done = subprocess.run([WRITE_DATABASE, path("run.db"), path("hosts"), path("output")], capture_output=True,
                          text=True, env=environment(), check=False)
    tap.same((done.returncode, done.stderr), (0, ""), "a run is made up")
    for name in ("vendor", "buyer", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path(name)], check=True,
                       stdin=subprocess.DEVNULL)
    write("signers", b"vendor@v.example " + read("vendor.pub") + b"buyer@b.example " + read("buyer.pub"))
    write("signers-of-others", b"other@o.example " + read("other.pub"))


def expect(done, status, *words, name):
    lacking = [word for word in words if word not in done.stdout + done.stderr]
    tap.ok(done.returncode == status and not lacking, name, f"exit {done.returncode}, wanted {status}; not said: {lacking}",
           done.stdout, done.stderr)


def try_languages():
    def told(*words, **locale):
        done = assay("report", "--db", "run.db", *words, **locale)
        return done.stdout if done.returncode == 0 else done.stderr

    for form in ("html", "text"):
        english, chinese = told("-f", form, "--lang", "en"), told("-f", form, "--lang", "zh")
        tap.ok(english != chinese and not re.search("[\u4e00-\u9fff]", english) and re.search("[\u4e00-\u9fff]", chinese),
               f"{form} in English and in Chinese")
        for word in ("zh-CN", "zh_CN", "zh_CN.UTF-8"):
            tap.same(told("-f", form, "--lang", word), chinese, f"{form}: --lang {word} is zh")
        for locale, wanted in (({"LC_ALL": "zh_CN.UTF-8"}, chinese), ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, chinese),
                               ({"LC_ALL": "", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, chinese),
                               ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, english), ({"LC_ALL": "zh_TW.UTF-8"}, english),
                               ({"LC_ALL": "", "LC_MESSAGES": "de_DE.UTF-8", "LANG": "zh_CN.UTF-8"}, english)):
            tap.same(told("-f", form, **locale), wanted, f"{form}: without --lang by the locale: {locale}")
        tap.same(told("-f", form, "--lang", "en", LC_ALL="zh_CN.UTF-8"), english, f"{form}: --lang outranks the locale")
    for form in ("json", "csv", "junit", "prometheus"):
        tap.same(told("-f", form, LC_ALL="zh_CN.UTF-8"), told("-f", form), f"{form}, for programs, is the same in every locale")
    tap.same(assay("show", "--db", "run.db", LC_ALL="zh_CN.UTF-8").stdout, assay("show", "--db", "run.db").stdout,
             "show, which scripts read, is the same in every locale")
    tap.ok("unknown language 'zh_TW'" in told("--lang", "zh_TW"), "another writing of Chinese is refused")


def try_packed_reports():
    for form in ("json", "html"):
        done = assay("report", "--db", "run.db", "-f", form, "-o", "packed.zst")
        plain = assay("report", "--db", "run.db", "-f", form, "-o", "-").stdout.encode()
        tap.ok(done.returncode == 0 and whole_frame(read("packed.zst")) == plain and len(read("packed.zst")) < len(plain) / 5,
               f"{form}: a name that ends in .zst is the same, compressed", done.stderr)
    done = assay("report", "--db", "run.db", "-o", "packed.zst", "--sign", "vendor")
    tap.ok(done.returncode == 64 and ".zst" in done.stderr, "what is signed is read as it is", done.stderr)


def try_readers_that_leave():
    """assay list | head -1: no word of it, and the exit status of what was asked."""
    for words in (("list",), ("show",), ("report",), ("report", "-f", "json"), ("report", "-f", "csv"), ("history",), ("compare", "1", "1"),
                  ("waive", "1", "--list"), ("acceptance", "list")):
        reading, writing = os.pipe()
        os.close(reading)
        whole = assay(*words, "--db", "run.db")
        left = subprocess.run([ASSAY, *words, "--db", "run.db"], stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE, text=True,
                              cwd=FOLDER, env=environment(), check=False)
        os.close(writing)
        tap.same((left.returncode, left.stderr), (whole.returncode, whole.stderr), f"assay {' '.join(words)} | a reader that left")


def try_signing():
    done = assay("report", "--db", "run.db", "--sign", "vendor", "-o", "r.html")
    expect(done, 0, "manifest: r.html.manifest", "signature: r.html.manifest.1.sig", name="the vendor signs")
    expect(assay("verify", "r.html"), 2, "UNKNOWN KEY", "verified: in part",
           name="a good signature by whoever is no plain success")
    expect(assay("verify", "r.html", "--signers", "signers-of-others"), 2, "UNKNOWN KEY", "verified: in part",
           name="nor is one by a key that the allowed signers do not have")
    expect(assay("verify", "r.html", "--signers", "signers"), 0, "signed by vendor@v.example", "not looked at",
           "verified: yes", name="by an allowed signer it is, and what was not looked at is said")
    os.makedirs(path("buyer-side"))
    for name in ("r.html", "r.html.manifest", "r.html.manifest.1.sig", "signers", "buyer", "buyer.pub"):
        shutil.copy(path(name), path("buyer-side"))
    done = assay("verify", "r.html", "--signers", "signers", "--countersign", "buyer", cwd=path("buyer-side"))
    expect(done, 0, "signed: r.html.manifest.2.sig", name="the buyer countersigns, with no database")
    expect(assay("verify", "r.html", "--signers", "signers", cwd=path("buyer-side")), 0, "signed by vendor@v.example",
           "signed by buyer@b.example", name="both stand on one manifest")
    again = assay("report", "--db", "run.db", "--sign", "vendor", "-o", "r.html")
    expect(again, 0, "there already", name="signing twice by one key adds nothing")
    expect(assay("report", "--db", "run.db", "--format", "text", "--sign", "buyer", "-o", "r.html"), 64, "r.html is signed",
           name="a signed report is not written over")
    expect(assay("verify", "r.html", "--signers", "signers", "--db", "run.db"), 0, "run.db have the hashes",
           "verified: yes", name="the evidence in the database is checked")


def copy_signed(name):
    folder = path(name)
    os.makedirs(folder)
    for file in ("r.html", "r.html.manifest", "r.html.manifest.1.sig", "signers"):
        shutil.copy(path(file), folder)
    return folder


def try_flipped_files():
    for number, (file, named) in enumerate((("r.html", "CHANGED: r.html:"), ("r.html.manifest", "CHANGED: r.html.manifest"),
                                            ("r.html.manifest.1.sig", "CHANGED: r.html.manifest.1.sig"))):
        size, missed = len(read(file)), []
        for at in (0, size // 3, size // 2, size - 2):
            folder = copy_signed(f"flip-{number}-{at}")
            flipped(file, at, f"flip-{number}-{at}/{file}")
            done = assay("verify", "r.html", "--signers", "signers", cwd=folder)
            if done.returncode != 1 or named not in done.stdout or "verified: no" not in done.stdout:
                missed.append((at, done.returncode, done.stdout))
        tap.same(missed, [], f"a changed byte of {file} is found and named")
    folder = copy_signed("unsigned")
    os.remove(os.path.join(folder, "r.html.manifest.1.sig"))
    expect(assay("verify", "r.html", "--signers", "signers", cwd=folder), 1, "it is not signed",
           name="a manifest whose signature was taken away does not verify")


def changed_database(name, sql):
    shutil.copy(path("run.db"), path(name))
    with sqlite3.connect(path(name)) as database:
        rows = database.execute(sql).rowcount
    database.close()
    return rows


def try_flipped_database():
    attempt = "7c0e0000-0001-4a11-9d00-000000000001"
    changes = (
        ("a capture's bytes", f"capture/{attempt}/stdout",
         "UPDATE blob SET zstd=CAST(substr(zstd,1,length(zstd)-1)||x'00' AS BLOB) WHERE content=(SELECT content FROM capture "
         f"JOIN attempt ON attempt.id=attempt WHERE uuid='{attempt}' AND stream='stdout')"),
        ("a measured value", "table/measurement", "UPDATE measurement SET value=value*1.0001 WHERE value>0"),
        ("an outcome", "table/outcome", "UPDATE outcome SET word='pass' WHERE word='fail'"),
        ("a verdict", "table/verdict", "UPDATE verdict SET word='accept' WHERE scope='run'"),
        ("a word that many rows share", "table/outcome", "UPDATE word SET text=text||' ' WHERE id=(SELECT gate FROM outcome "
         "WHERE gate IS NOT NULL LIMIT 1)"),
        ("when an attempt ran", "table/attempt", "UPDATE attempt SET ended=ended+1 WHERE n=1"),
        ("what was owed", "table/slot", "UPDATE slot SET duty='record' WHERE duty='gate'"),
        ("a document", "document/", "UPDATE content SET sha256=replace(sha256,'a','b') WHERE id=(SELECT content FROM document LIMIT 1)"),
        ("an attempt that is gone", "capture/", "DELETE FROM attempt WHERE id=2"),
    )
    for number, (what, named, sql) in enumerate(changes):
        rows = changed_database(f"changed-{number}.db", sql)
        done = assay("verify", "r.html", "--signers", "signers", "--db", f"changed-{number}.db")
        if tap.ok(rows > 0, f"{what} in the database can be changed", f"{rows} rows"):
            expect(done, 1, f"CHANGED: {named}", "verified: no", name=f"{what} changed in the database is named")
    data = read("run.db")
    at = data.find(b"535.104.05")
    flipped("run.db", at, "byte.db")
    expect(assay("verify", "r.html", "--signers", "signers", "--db", "byte.db"), 1, "CHANGED: table/", "verified: no",
           name="one byte of the database's file is found")


def try_bundle():
    expect(assay("export", "--db", "run.db", "-o", "b.tar.zst"), 0, "bundle: b.tar.zst", name="a run is exported")
    expect(assay("verify", "b.tar.zst"), 2, "have the hashes", "verified: in part", name="a bundle alone is whole, and no more")
    expect(assay("verify", "r.html", "--signers", "signers", "--bundle", "b.tar.zst"), 0, "verified: yes",
           name="with the report it proves the evidence")
    pieces = unpacked("b.tar.zst")
    tap.ok({"manifest", "report.json", "run.db", "document/0"} <= set(pieces) and
           pieces["capture/7c0e0000-0001-4a11-9d00-000000000001/stdout"] == OUTPUT.encode(), "tar unpacks it", list(pieces)[:9])
    size, missed = len(read("b.tar.zst")), []
    for at in [4, 5, size - 1, size - 70, *range(9, size, size // 12)]:
        flipped("b.tar.zst", at, "bad.tar.zst")
        done = assay("verify", "r.html", "--signers", "signers", "--bundle", "bad.tar.zst")
        taken = assay("import", "--db", "never.db", "bad.tar.zst")
        if done.returncode != 1 or "CHANGED: bad.tar.zst" not in done.stdout or taken.returncode == 0:
            missed.append((at, done.returncode, done.stdout[-300:], taken.returncode))
    tap.same(missed, [], "a changed byte of a bundle is found, and such a bundle is not imported")
    tap.ok(not os.path.exists(path("never.db")) or not assay("list", "--db", "never.db").stdout.count("delivery"),
           "nothing of it is in the database")
    write("cut.tar.zst", read("b.tar.zst")[:size // 2])
    expect(assay("verify", "cut.tar.zst"), 1, "damaged at or before", "verified: no", name="a cut bundle names where it ends")


def try_import():
    subprocess.run([WRITE_DATABASE, path("merged.db"), path("hosts"), path("hosts")], env=environment(), check=True)
    with sqlite3.connect(path("merged.db")) as database:
        database.execute("UPDATE run SET uuid='7c0e0000-0000-4a11-9d00-0000000000ff'")
        database.execute("UPDATE attempt SET uuid='x'||uuid")
        database.execute("UPDATE judgement SET uuid='x'||uuid")
    database.close()
    expect(assay("import", "--db", "merged.db", "b.tar.zst"), 0, "run: 2", name="an exported run gets a number of its own")
    expect(assay("import", "--db", "merged.db", "b.tar.zst"), 0, "there already, as number 2", name="a run that is there is told")
    for form in ("html", "text"):
        first, second = (assay("report", run, "--db", db, "--format", form).stdout for run, db in ((1, "run.db"), (2, "merged.db")))
        first, second = (re.sub(r"><", ">\n<", text).splitlines()
                         for text in (re.sub(r"([Rr]un(?: +|</dt><dd>)|assay (?:report|logs) )1\b", r"\g<1>2", first), second))
        told = [line for line in second if line not in first]
        tap.ok(len(first) > 20 and [line for line in first if line not in second] == [] and 0 < len(told) < 9 and
               "mported" in " ".join(told) and "unsigned" in " ".join(told),
               "its {form} report is the same, but that it says where it came from", *told)
    expect(assay("verify", "r.html", "--signers", "signers", "--db", "merged.db"), 0, "verified: yes",
           name="the signatures hold for the imported run")


def leaks(pieces):
    found = []
    for name, data in pieces.items():
        # A hash or a UUID may hold any short word.
        text = re.sub(rb"[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", b"",
                      (name.encode() + b"\n" + data).lower().replace(b"anon-", b""))
        found += [(name, secret, bytes(text[max(0, at - 30):at + 40])) for secret in SECRETS
                  if (at := text.find(secret.encode())) >= 0]
    return found


def try_claims(pieces):
    """No hash of an original that was changed leaves the house, and who has the database can still show what it was."""
    keyed = re.findall(r"^hmac:[0-9a-f]{64} [0-9a-f]{64}  (\S+)", pieces["manifest"].decode(), re.M)
    signed = dict((piece, one) for one, piece in re.findall(r"^([0-9a-f]{64})  (\S+)", read("r.html.manifest").decode(), re.M))
    changed = {piece: signed[piece] for piece in keyed if piece in signed}
    tap.ok(len(changed) > 5 and "capture/7c0e0000-0001-4a11-9d00-000000000001/stdout" in changed and
           "table/run_host" in changed, "of what was changed its manifest has keyed hashes", *sorted(changed))
    with sqlite3.connect(path("run.db")) as database:
        held = [row[0] for row in database.execute("SELECT sha256 FROM shape UNION SELECT key FROM step UNION SELECT inputs FROM "
                                                   "judgement UNION SELECT step_key FROM waiver")]
        key = database.execute("SELECT key FROM redaction_key").fetchone()[0]
    database.close()
    leaked = [(name, one) for one in [*changed.values(), *filter(None, held), key] for name, data in pieces.items()
              if one[:16].encode() in data]
    tap.same((leaked[:5], len(key)), ([], 64), "no hash of an original, nor the key, is in any piece of it")
    verify = ("verify", "r.html", "--signers", "signers", "--bundle", "x.tar.zst")
    expect(assay(*verify), 2, "NOT CHECKED: whether", "verified: in part", name="without the key they are not compared, and that is said")
    expect(assay(*verify, "--db", "run.db"), 2, "ok: x.tar.zst names the originals that were signed", "is redacted", "verified: in part",
           name="with it the owner shows of which run the bundle is")
    shutil.copy(path("run.db"), path("otherkey.db"))
    with sqlite3.connect(path("otherkey.db")) as database:
        database.execute("UPDATE redaction_key SET key=substr(key,2)||'0'")
    database.close()
    expect(assay(*verify, "--db", "otherkey.db"), 1, "CHANGED: x.tar.zst: capture/", "verified: no",
           name="by another key it is of another run")


def try_redaction():
    expect(assay("export", "--db", "run.db", "--redact", "-o", "x.tar.zst"), 0, "bundle: x.tar.zst", name="a run is exported redacted")
    pieces = unpacked("x.tar.zst")
    found = leaks(pieces)
    tap.same(found[:8], [], "no user, address or host name is left in it")
    output = pieces["capture/7c0e0000-0001-4a11-9d00-000000000001/stdout"].decode()
    tap.ok(all(line in output for line in KEPT), "versions, devices and identities are as they were", *output.splitlines()[-3:])
    tap.ok("lists anon-host[1-8] " in output and "anon-host1:8,anon-host2:8" in output, "lists stay lists", *output.splitlines()[:3])
    hostfile = next(data for name, data in pieces.items() if name.startswith("document/") and b"slots=8" in data).decode()
    tap.ok("anon-host[1-8] address=198.18.0.[1-8] " in hostfile, "the hostfile stays one", hostfile)
    expect(assay("export", "--db", "run.db", "--redact", "-o", "again.tar.zst"), 0, name="it is exported again")
    tap.same(unpacked("again.tar.zst")["capture/7c0e0000-0001-4a11-9d00-000000000001/stdout"].decode(), output,
             "the pseudonyms are the same each time")
    expect(assay("verify", "r.html", "--signers", "signers", "--bundle", "x.tar.zst"), 2, "NOT CHECKED: x.tar.zst is redacted",
           "verified: in part", name="of a redacted bundle no more is claimed than was checked")
    try_claims(pieces)
    expect(assay("import", "--db", "redacted.db", "x.tar.zst"), 0, "(redacted)", name="it can be imported")
    done = assay("show", "--db", "redacted.db")
    tap.ok(done.returncode == 0 and "anon-host3" in done.stdout and "node3" not in done.stdout, "and shown", done.stdout[:600])


if shutil.which("ssh-keygen") is None:
    tap.skip("proof", "there is no ssh-keygen")
else:
    make()
    try_languages()
    try_packed_reports()
    try_readers_that_leave()
    try_signing()
    try_flipped_files()
    try_flipped_database()
    try_bundle()
    try_import()
    try_redaction()
tap.end()
