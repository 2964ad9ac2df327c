# SPDX-License-Identifier: Apache-2.0
"""What whoever reads a redacted bundle finds out: of a planted list nothing, in any file, table or byte of it."""

import base64
import json
import os
import re
import sqlite3
import subprocess
import sys

from attack import READER, attack, expect
from cluster import FOLDER, Lab, Report, assay, environment
from unpacking import unpacked_bytes

ATTEMPT = "7c0e0000-0001-4a11-9d00-000000000001"
HOSTFILE = """# the cluster of borealis
defaults user=opsmith become=sudo platform=hgx-h100 slots=8 jump=gatekeeper@bastion.dc1.borealis.example:2222
node[1-8] address=10.0.0.[1-8] mpi_address=node[1-8]-ib unit=su1
spare[01-02] address=172.16.9.[1-2] identity=/home/alicia/.ssh/id
"""
# One form a line: what a tool prints, and the words of it that nobody may find. Each name stands in one form only.
FORMS = r"""
ls -l              ## total 8 ##
ls -l              ## -rw-r--r-- 1 xucarol xgstaff 4096 Mar  1 12:00 note ## xucarol xgstaff
ls -la, ACL        ## drwxrwx---+ 3 xudora xghpc 4096 Mar  1 12:00 . ## xudora xghpc
ls -lis            ##  131 4 -rw-r----- 1 xuella root 12 Mar  1 2025 a b ## xuella
ls -ln             ## -rw-r--r-- 1 1001 1001 12 Mar  1 12:00 kept-name ##
ls, devices        ## crw-rw---- 1 xufritz video 195, 0 Mar  1 12:00 /dev/nvidia0 ## xufritz
stat               ## Access: (0644/-rw-r--r--)  Uid: ( 1001/  xugerd)   Gid: ( 1001/ xgwork) ## xugerd xgwork
id                 ## uid=1001(xuhans) gid=1001(xghans) groups=1001(xghans),27(sudo),2000(xgaiteam) ## xuhans xghans xgaiteam
who                ## xuivan   pts/0        2026-03-01 12:00 (xhlaptop.office.borealis.example) ## xuivan xhlaptop office
last               ## xujane   pts/3        xhdesk-7         Sun Mar  1 12:00   still logged in ## xujane xhdesk
w                  ## USER     TTY      FROM             LOGIN@   IDLE   JCPU   PCPU WHAT ##
w                  ## xukarl   pts/1    xhhome-9         12:00    1.00s  0.10s  0.00s bash ## xukarl xhhome

ps aux             ## USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND ##
ps aux             ## root           1  0.0  0.1 167744 11520 ?        Ss   Mar01   0:07 /sbin/init ##
ps aux             ## xulars      4711 99.0  1.1 167744 11520 pts/0    R    12:00  10:00 python train.py ## xulars
ps aux, cut        ## xulongn+    4712  0.0  0.1 167744 11520 ?        S    12:00   0:00 sleep 1 ## xulongn

ps -ef             ## UID          PID    PPID  C STIME TTY          TIME CMD ##
ps -ef             ## xumona      4711       1 99 12:00 ?        00:10:00 python train.py ## xumona

job                ## Slurm job 77 of xunora (xjpretrain), whose tests wait ## xunora xjpretrain
job, by its code   ## slurm_job_named	77	xuobed	xjevaluate it ## xuobed xjevaluate
job, by its code   ## slurm_job_of	77	xuotto ## xuotto
lock, by its code  ## assay_run_by_lock	0f3e0000-0001-4a11-9d00-000000000002	xupia@xhlogin9	2026-01-01T00:00:00Z	root (uid 0) ## xupia xhlogin9
squeue             ##              JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON) ##
squeue             ##                 78       gpu xjfinetu   xuoleg  R    1:02:03      2 xhrow[01-02] ## xjfinetu xuoleg xhrow

scontrol           ## JobId=79 JobName=x UserId=xupaul(1001) GroupId=xgpaul(1001) Account=xapaul ## xupaul xgpaul xapaul
scontrol           ## NodeName=xhslurm-1 Arch=x86_64 NodeAddr=xhslurm-1 NodeHostName=xhslurm-1 Version=23.11 ## xhslurm
scontrol           ##    NodeList=xhlist[001-003] BatchHost=xhbatch-1 AllocNode:Sid=xhlogin-4:123 ## xhlist xhbatch xhlogin
scontrol           ## PartitionName=xpcustomer AllowGroups=ALL ## xpcustomer
sacct -P           ## User|JobID|State|NodeList ##
sacct -P           ## xusacct|80|COMPLETED|xhacct-7 ## xusacct xhacct

cron               ## */5 * * * * xuquinn /usr/bin/true --all ## xuquinn
cron               ## @reboot xurita /usr/bin/true ## xurita
CRON               ## Mar 01 12:00:00 xhcron CRON[99]: pam_unix(cron:session): session opened for user xusven(uid=1001) by (uid=0) ## xhcron xusven
sshd               ## Invalid user xutina from 10.9.8.7 port 22 ## xutina 10.9.8.7
sshd               ## Accepted publickey for xuurs from 10.0.0.9 port 22 ssh2 ## xuurs
sshd               ## User xuvera from 10.9.8.6 not allowed because not listed in AllowUsers ## xuvera 10.9.8.6
systemd            ## Mar 01 12:00:01 xhjournal systemd: Started Session 7 of user xuwanda. ## xhjournal xuwanda
kernel             ## 2026-03-01T12:00:01.5+00:00 xhkern-3 kernel: NVRM: Xid (PCI:0000:1b:00): 79 ## xhkern
passwd             ## xuxaver:x:1001:1001:Xaverius Zzyzxberg,room 7:/home/xuxaver:/bin/bash ## xuxaver xaverius zzyzxberg
passwd             ## daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin ##
group              ## xgproject:x:2001:xuyves,xuzoe ## xgproject xuyves xuzoe
homes              ## /home/xuada/x /Users/xubea/y /export/home/xucleo/z ~xudirk/w ## xuada xubea xucleo xudirk
environment        ## USER=xuerik LOGNAME=xufinn SUDO_USER=xugabi SLURM_JOB_USER=xuhugo HOME=/home/xuiris ## xuerik xufinn xugabi xuhugo xuiris
URL                ## fetching https://xujonas:xpassword9@xhregistry.borealis.example:5000/v2/ ## xujonas xpassword9 xhregistry
URL                ## proxy http://xhproxy-2:3128/ ## xhproxy
mail               ## From: xukai.lehmann@borealis.example To: root ## xukai lehmann
git remote         ## origin  git@xhgit.borealis.example:team/repo.git (fetch) ## xhgit
ssh                ## xulena@xhstorage-7 xumax@xhlogin2.borealis.example ## xulena xhstorage xumax xhlogin2
uname              ## Linux xhuname-5 5.15.0-91-generic #101-Ubuntu SMP x86_64 GNU/Linux ## xhuname
hostname           ## Static hostname: xhstatic ## xhstatic
environment        ## HOSTNAME=xhenviron SLURM_SUBMIT_HOST=xhsubmit SLURM_NODELIST=xhnl[7-9] ## xhenviron xhsubmit xhnl
resolv.conf        ## nameserver 10.77.66.55 ## 10.77.66.55
resolv.conf        ## search xd1.helios.example helios.example ## xd1 helios
FQDN               ## see storage7.triton-labs.com and www.triton-labs.com for it ## storage7 triton
chronyc            ## ^* xhtime.helios.example          2   6   377    12   +1us[ +2us] +/-  100us ## xhtime
/etc/hosts         ## 10.0.0.77   xhalias xhalias.helios.example ## xhalias 10.0.0.77
NFS                ## xhnfs:/export/data on /data type nfs4 (rw,addr=10.0.3.4) ## xhnfs 10.0.3.4
NFS                ## mount xhfiler-1:/vol/x /mnt ## xhfiler
lldp               ##     SysName:      xhleaf1 ## xhleaf1
lldp               ## lldp.eth2.chassis.name=xhspine1 ## xhspine1
lldp               ##     ChassisID:    mac 1c:34:da:c0:ff:ee ## 1c:34:da:c0 1c34dac0ffee
cables             ## xhtor1,swp33,xhagg1,swp1,800 ## xhtor xhagg
cables             ## node1,mlx5_0,xhedge-a.borealis.example,Ethernet1/1,4e2 ## xhedge
cables, judged     ## xhtor1 swp33 - xhagg1 swp1: at most 3% of its rate; XHTOR7 ## xhtor xhagg
port counters      ## xhcount1,swp33,91273460128,8123470032,0 ## xhcount
port counters      ## xhmute1,swp2,-,- ## xhmute
cables, refused    ## node2 is called xhself1, as a switch is; node3 and node4 are both called xhtwin ## xhself xhtwin
port counters      ## # counters 0 ##
port counters      ## xhround1 , swp33 , 91273460128 , 8123470032 ## xhround
port counters      ## "xhspread1", "swp33", "91273460128", "8123470032", "0" ## xhspread
port counters      ##  xhslip1,swp2,12x,- ## xhslip
nodes              ## on nodes xhlist1, xhlist-b2 , "xhlistc3" and on ## xhlist
ibdiagnet          ## DevID:D2F2 Rev:000000A0 {xhibleaf1} LID:000C PN:01 } { SW Ports:41 Rev:000000A0 {xhibspine-b} LID:000D PN:02 } ## xhibleaf xhibspine
ibdiagnet          ## "xhibport1", Mellanox, 0x9c63c00300d1e2f0, LID 12 ## xhibport
iblinkinfo         ##   12   33[  ] ==( 4X 106.25 Gbps Active/  LinkUp)==>      13    1[  ] "xhibend1" ( ) ## xhibend
InfiniBand         ## 12 1[ ] "MF0;xhswitch-17:MQM8700/U1" lid 1 ## xhswitch
InfiniBand         ## "xhdescr HCA-1" and "xhdescb mlx5_0" ## xhdescr xhdescb
InfiniBand         ## Node Description: xhnoded HCA-2 ## xhnoded
ibnetdiscover      ## Ca 1 "H-506b4b0300cafe01"  # "xhibnet HCA-1" ## 506b4b0300cafe01 xhibnet
ibnetdiscover      ## [1](506b4b0300cafe02)   "S-0c42a10300aabbcc"[17] ## 506b4b0300cafe02 0c42a10300aabbcc
ibstat             ## Node GUID: 0x506b4b0300cafe03 ## 506b4b0300cafe03
ibstat             ## again 0x506b4b0300cafe03 506b4b0300cafe03 50:6b:4b:03:00:ca:fe:03 506b:4b03:00ca:fe03 ## 50:6b:4b:03:00:ca 506b:4b03:00ca
sysfs              ## 506b:4b03:00ca:fe04 ## 506b:4b03
GID                ## fe80:0000:0000:0000:506b:4b03:00ca:fe05 ## 00ca:fe05
ibv_devices        ##     mlx5_0          	506b4b0300cafe06 ## 506b4b0300cafe06
MAC                ## link/ether 50:6b:4b:ca:fe:07 brd ff:ff:ff:ff:ff:ff ## 50:6b:4b:ca:fe:07
MAC                ## the same 506b4bcafe07 enx506b4bcafe07 50-6B-4B-CA-FE-07 506b.4bca.fe07 ## 506b4bcafe07 50-6b-4b 506b.4bca
MAC, bare          ## Permanent address: 506b4bcafe08, HWaddr 506b4bcafe09 ## 506b4bcafe08 506b4bcafe09
MAC, interface     ## 3: enx506b4bcafe0a: <UP> ## 506b4bcafe0a
Kubernetes         ## Kubernetes pod xkspace/xkpod-0 0f3e0000-0001-4a11-9d00-000000000001 ## xkspace xkpod
pod, by its code   ## kubernetes_pod	xkroom/xkcase-0 0f3e0000-0001-4a11-9d00-000000000003 ## xkroom xkcase
Kubernetes         ## NAMESPACE     NAME           READY   STATUS    RESTARTS   AGE   IP           NODE ##
Kubernetes         ## xkteam        xktrain-7      1/1     Running   0          1d    10.244.1.7   xhkube ## xkteam xktrain xhkube 10.244.1.7

JSON               ## {"hostname": "xhjson", "user": "xunils", "namespace": "xkjson", "log": "a\nxhglued-1 x"} ## xhjson xunils xkjson
BMC                ## Host Name             : xhbmc-r12 ## xhbmc
customer           ## Projekt Nordlicht: NORDLICHT-cluster7 and nordlicht_data ## nordlicht
domain             ## borealis Borealis.Example DC1.BOREALIS.EXAMPLE ## borealis
hex                ## 0A000005 ip-10-0-0-4 4.0.0.10.in-addr.arpa %2Fnode6 ## 0a000005 10-0-0-4 0.0.10.in-addr
learnt             ## seen again: xucarol, xhkern-3; XUPAUL xhnfs xunora's xhbmc-r12 ##
"""
KEPT = ["version 535.129.03 vbios 96.00.74.00.01 gpu0 gpu7 0000:1b:00.0 GPU-6b0c5e3a 12:00:01 127.0.0.1 ::1 1.5 GB/s root 255.255.255.0",
        "getty@tty1.service std::fixed node_count nodes libfoo.so.1 compare.ptx mlx5_0 /usr/local/cuda-12.2/bin/nvcc a.out 2.18.5+cuda12.2",
        "NVIDIA H100 80GB HBM3 https://docs.nvidia.com/deploy/ https://github.com/NVIDIA/nccl-tests memcpy@GLIBC_2.14 user space",
        "0xffff888100000000 0x00000000deadbeef 10de:2330:10de:16c1 serial 1650123000456 job 7 of 9; on host memory; User Manager mail",
        "lines of ps: %CPU %MEM; PATH=/usr/bin:/bin:/usr/local/sbin total 8 drwx ok 4096 8192 Mar 2026 -rw 0000:10:00.0 3D controller: 10:00.0 3D controller:"]
PLANTED_IN_HOSTFILE = ["node1", "node8", "spare0", "node[", "bastion", "borealis", "opsmith", "gatekeeper", "alicia", "10.0.0.", "172.16.9"]
PLANTED_IN_TABLES = ["xucause", "xureason", "xupath", "xudocument", "xuwaive", "yolanda", "quuxberg"]
WORDS = "# a customer\n\nnordlicht\n"


def path(name):
    return os.path.join(FOLDER, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)


def forms():
    """[(form, line, words that nobody may find)]"""
    rows = [row.partition(" ##")[::2] for row in FORMS.splitlines()[1:]]
    return [(form.strip(), rest.partition(" ##")[0][1:], rest.partition(" ##")[2].split()) for form, rest in rows]


def planted():
    return PLANTED_IN_HOSTFILE + PLANTED_IN_TABLES + [word for _, _, words in forms() for word in words]


def made_up():
    """A database with all that is planted, once."""
    if os.path.exists(path("run.db")):
        return
    write("hosts", HOSTFILE)
    write("output", "\n".join([line for _, line, _ in forms()] + KEPT) + "\n")
    write("words", WORDS)
    subprocess.run([sys.argv[3], path("run.db"), path("hosts"), path("output")], env=environment(), check=True)
    with sqlite3.connect(path("run.db")) as database:
        database.execute("INSERT INTO waiver(uuid,run,step_key,attempt,who,why,made,until) SELECT '7c0e0000-0001-4a11-9d00-0000000000aa',1,"
                         "key,uuid,'Yolanda Quuxberg','Quuxberg saw xucarol on node3, 0x506b4b0300cafe03, of /home/xuwaive/x',1772366400,"
                         "1893456000 FROM step JOIN attempt ON attempt.run=step.run AND step=step.n LIMIT 1")
        database.execute("UPDATE outcome SET cause='the host is in use: Slurm job 77 of xucause' WHERE cause<>'' AND word<>'pass'")
        database.execute("""UPDATE attempt SET text='["also",["about","user","xureason"],["about","node3","of xureason"]]'""")
        database.execute("UPDATE run SET hostfile='/home/xupath/borealis/hosts'")
        database.execute("UPDATE document SET name='/home/xudocument/nordlicht-hosts' WHERE kind='hostfile'")
        database.execute("UPDATE judgement SET baselines=baselines||' of nordlicht (SHA-256 '||(SELECT substr(sha256,1,16) FROM content JOIN "
                         "document ON content.id=content WHERE document.kind='hostfile')||')'")
    database.close()


def redacted(words=True):
    """{piece of a redacted bundle: its bytes}, and the bundle's own."""
    made_up()
    name = "words.tar.zst" if words else "plain.tar.zst"
    if not os.path.exists(path(name)):
        expect(assay("export", "--db", "run.db", "--redact", *(("--redact-words", "words") if words else ()), "-o", name), 0)
    with open(path(name), "rb") as file:
        data = file.read()
    return unpacked_bytes(data)


def lowered(name, data):
    """Without our own pseudonyms, and hashes and UUIDs, which may hold any short word."""
    text = re.sub(rb"(?<![0-9a-f])([0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f])", b"", name.encode() + b"\n" + data)
    return text.lower().replace(b"anon-", b"")


def found(pieces, words):
    """Where which of these words stands."""
    texts = {name: lowered(name, data) for name, data in pieces.items()}
    return [(name, word, bytes(text[max(0, at - 40):at + 40])) for name, text in texts.items() for word in words
            if (at := text.find(word.encode())) >= 0]


@attack(READER, "names, addresses and GUIDs in every form that tools print", "none of a planted list is in any byte of any piece")
def corpus():
    left = found(redacted(), planted())
    assert not left, "\n".join(map(str, left[:40]))


@attack(READER, "the database of the bundle: every column of every table, and the file's bytes", "none of the list is there either")
def tables():
    pieces = redacted()
    with open(path("inner.db"), "wb") as file:
        file.write(pieces["run.db"])
    with sqlite3.connect(path("inner.db")) as database:
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type='table'")]
        cells = {f"{name}.{number}": "\n".join(str(cell) for row in database.execute(f"SELECT * FROM {name}") for cell in row).encode()
                 for number, name in enumerate(names)}
        kept = sum(database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("pseudonym", "redaction_key"))
    database.close()
    left = found(cells, planted())
    assert len(cells) > 20 and kept == 0 and not left, (kept, left[:20])


@attack(READER, "names in base64, hex and backwards octets", "what a rule knows is missing in these forms")
def encoded():
    pieces, words = redacted(), ("xucarol", "opsmith", "node1.dc1.borealis.example")
    forms_of = [form for word in words for form in (base64.b64encode(word.encode()).rstrip(b"=")[:-1], word.encode().hex().encode())]
    forms_of += [b"0a00000%d" % n for n in range(1, 9)] + [b"%d.0.0.10.in-addr" % n for n in range(1, 9)]
    left = [(name, form) for name, data in pieces.items() for form in forms_of if form.lower() in data.lower()]
    assert not left, left


@attack(READER, "the SHA-256 of short originals, to try guesses on", "no hash of what was changed is in the bundle, nor the key of its HMACs")
def guesses():
    pieces = redacted()
    with sqlite3.connect(path("run.db")) as database:
        hashes = [row[0] for row in database.execute("SELECT content.sha256 FROM content JOIN document ON content.id=content WHERE kind='hostfile' "
                                                     "UNION SELECT content.sha256 FROM content JOIN capture ON content.id=content WHERE capture.length>1000 "
                                                     "UNION SELECT sha256 FROM shape UNION SELECT key FROM step UNION SELECT inputs FROM judgement")]
        key = database.execute("SELECT key FROM redaction_key").fetchone()[0]
    database.close()
    left = [(name, one) for name, data in pieces.items() for one in [*filter(None, hashes), key] if one[:16].encode() in data]
    assert len(hashes) > 10 and not left, left[:5]
    manifest = pieces["manifest"].decode()
    assert re.search(rf"^hmac:[0-9a-f]{{64}} [0-9a-f]{{64}}  capture/{ATTEMPT}/stdout", manifest, re.M), manifest[:2000]


@attack(READER, "versions, places of devices, models and paths of tools", "they are as they were, and pseudonyms keep their forms")
def readable():
    output = redacted()[f"capture/{ATTEMPT}/stdout"].decode()
    lost = [line for line in KEPT if line not in output]
    assert not lost, (lost, output.splitlines()[-8:])
    for form in (r"Node GUID: 0x020000fffe[0-9a-f]{6}\n", r"\n0200:00ff:fe[0-9a-f]{2}:[0-9a-f]{4}\n", r": enx020000[0-9a-f]{6}:", r"~anon-user\d+/w",
                 r"root +1 +0\.0", r"-rw-r--r-- 1 1001 1001 12 Mar", r"https://anon-user\d+:anon-name\d+@anon-host\d+\.anon-domain\d+:5000/",
                 r'"MF0;anon-host\d+:MQM8700/U1"', r"anon-name\d+-cluster7"):
        assert re.search(form, output), (form, output)


@attack(READER, "a made-up redacted run is to be read", "it loads, is shown, and has the outcomes and numbers of the original")
def usable():
    redacted()
    expect(assay("import", "--db", "imported.db", "words.tar.zst"), 0, "(redacted)")
    numbers = []
    for name in ("run.db", "imported.db"):
        expect(assay("show", "--db", name), 0)
        with sqlite3.connect(path(name)) as database:
            numbers.append(([row for row in database.execute("SELECT scope,word,pass,fail,inconclusive,not_run FROM verdict")],
                            [row for row in database.execute("SELECT step,slot,word,value FROM outcome")],
                            [row for row in database.execute("SELECT value FROM measurement ORDER BY reading,n")]))
        database.close()
    assert numbers[0] == numbers[1] and len(numbers[0][1]) > 100, numbers


def items_of(database):
    """As the last judgement has them."""
    report = Report(database)
    return report.verdict, [(step["name"], item["metric"], item["outcome"], item["gate"]) for step, item in report.outcomes()]


@attack(READER, "a run of a cluster, redacted, is judged again from its outputs", "it has the verdict of the original, item by item")
def judged():
    with Lab("lab", 3, faults=("node2:link-down:mlx5_3",)) as lab:
        write("suite.json", json.dumps({"name": "some", "purpose": "delivery", "steps": [
            {"check": one} for one in ("reachable", "gpu-inventory", "driver", "os", "ib-port", "cabling", "topology", "p2p-bandwidth", "nccl-all-reduce")]}))
        assay("run", "-H", lab.hostfile, "-s", "suite.json", "--db", "lab.db")
    expect(assay("export", "--db", "lab.db", "--redact", "-o", "lab.tar.zst"), 0)
    expect(assay("import", "--db", "lab2.db", "lab.tar.zst"), 0)
    first, again = assay("judge", "--db", "lab.db", "1"), assay("judge", "--db", "lab2.db", "1")
    assert first.returncode == again.returncode in (0, 1), (first.stdout, again.stdout, again.stderr)
    verdict, items = items_of("lab.db")
    assert verdict == "reject" and len(items) > 100, (verdict, len(items))
    differ = [(one, two) for one, two in zip(items, items_of("lab2.db")[1]) if one != two]
    assert items_of("lab2.db") == (verdict, items), (items_of("lab2.db")[0], differ[:10])


@attack(READER, "a customer's name, which no rule knows", "it goes by --redact-words, inside of words and in any case; without, it is as documented")
def words_of_operator():
    inside = found(redacted(), ["nordlicht"])
    outside = found(redacted(words=False), ["nordlicht"])
    assert not inside and outside, (inside[:5], len(outside))
    write("short", "ab\n")
    expect(assay("export", "--db", "run.db", "--redact", "--redact-words", "short", "-o", "n.tar.zst"), 64, "short:1: a word has 3 to")
    expect(assay("export", "--db", "run.db", "--redact-words", "words", "-o", "n.tar.zst"), 64, "goes with --redact")
