# SPDX-License-Identifier: Apache-2.0
"""What happens if: each fault of a host, and the outcome that the run must give it.

A row is one host of one run. Its steps are reachable, privilege, and measure: /opt/measure, which says a rate and a version
on a host where all is well. `step` names the first step that is not a pass, `outcome` what becomes of it, `cause` is a
pattern of why, and `next` one of what the operator is told to do. A row without these must be accepted, whatever it has.
What else a row has is what makes the fault: see Fault.
"""

import os

import fleet
from fleet import PLACE, SOUND

FLOOD_MB = int(os.environ.get("ASSAY_FLOOD_MB", "300"))  # scripts/soak, which has the time, says 10,000: more than REMOTE_FLOOD_BYTES
FILL = "head -c 70m /dev/zero >$d/fill"
DEAD_FILES = "/dev/fuse"
SPOOLS = "for d in /var/tmp /tmp /dev/shm; do"


class Fault:
    """One row. What is not said is as on a sound host."""

    def __init__(self, host, what, step="", outcome="pass", cause="", todo="", **more):
        self.host, self.what, self.step, self.outcome, self.cause, self.todo = host, what, step, outcome, cause, todo
        self.user, self.words = "root", {}          # of its line in the hostfile
        self.tool = SOUND                           # /opt/measure; None: there is none
        self.sshd, self.mounts = "", ""             # of sshd_config; run before sshd starts, in the host's own mounts
        self.started, self.refuses_key, self.reboots = True, False, False
        self.machine = None                         # that it is, where it has two names
        self.known_key = "host_key"                 # what known_hosts has of it; "": nothing
        self.between = self.way = self.needs = None  # a proxy; "cable" or "vanish"; a program or device of this machine
        self.connections = 1                        # so many were needed, at least
        for name, value in more.items():
            assert hasattr(self, name), name
            setattr(self, name, value)

    @property
    def verdict(self):
        return {"pass": "accept", "fail": "reject", "inconclusive": "incomplete", "not run": "incomplete"}[self.outcome]


def login(host, what, outcome, cause, todo, **more):
    return Fault(host, what, "reachable", outcome, cause, todo, **more)


def test(host, what, outcome, cause, todo, **more):
    return Fault(host, what, "measure", outcome, cause, todo, **more)


def fine(host, what, **more):
    return Fault(host, what, **more)


NETWORK = [
    login("refused", "its port refuses connections", "fail", "Connection refused", "that sshd answers there", started=False),
    login("vanishes", "packets to it vanish, as behind a firewall", "fail", "no answer within .* TCP connection", "firewall",
          way="vanish", started=False),
    login("silent", "it takes the connection and says nothing", "fail", "no answer within .* SSH banner", "ssh -v",
          between=fleet.silent, started=False),
    login("http", "another service answers on its port", "fail", "does not speak SSH", "that sshd answers there",
          between=fleet.another_service, started=False),
    login("closes", "it takes the connection and closes it", "fail", "closed before an SSH session", "that sshd answers there",
          between=fleet.closes_at_once, started=False),
    fine("slow", "its key exchange is slow", between=fleet.slow),
    login("drips", "its key exchange never ends", "fail", "no answer within .* key exchange", "ssh -v", between=fleet.drips),
    login("nameless", "its name is not in DNS", "fail", "address no-such-host.invalid is not known", "address",
          words={"address": "no-such-host.invalid"}, started=False, known_key=""),
    login("stranger", "its host key is unknown", "inconclusive", "not in known_hosts", "ssh-keyscan", known_key=""),
    login("changed", "its host key has changed", "inconclusive", "not the one in known_hosts", "ssh-keygen -R",
          known_key="other_key"),
    login("locked", "it takes no key of ours", "inconclusive", "does not accept the key", "authorized_keys", refuses_key=True),
    login("keyless", "our key file is missing", "inconclusive", "gone_key: No such file", "identity=",
          words={"identity": f"{PLACE}/gone_key"}),
    login("agentless", "our agent is gone", "inconclusive", "no agent answers at SSH_AUTH_SOCK=.*agent.gone", "authorized_keys",
          words={"identity": "", "transport": "openssh"}),
    fine("dropped", "the connection breaks in the middle of its output, three times", between=fleet.breaks_in_the_answer,
         tool="head -c 300000 /dev/urandom | od -v; " + SOUND, connections=4),
    fine("half-open", "its packets vanish in the middle of the test, and come again 24 s later", way="cable",
         tool="touch $FAULT/began; sleep 5; " + SOUND, connections=2),
    login("twin", "two names for one host", "fail", "shared with alias", "two lines of the hostfile lead to the same machine",
          machine="twin"),
    login("alias", "the other name of it", "fail", "shared with twin", "two lines of the hostfile lead to the same machine",
          machine="twin"),
    test("reboots", "it reboots during the test", "fail", "the host rebooted during the test", "", reboots=True,
         between=fleet.until_the_reboot, tool="cp $FAULT/boot_id.next $FAULT/boot_id; sleep 5"),
]

LOGIN = [
    fine("banner", "a banner before the login, with escapes and our own marks in it", sshd="Banner $HOST/banner\n"),
    fine("talker", "a profile that prints, even an answer like the guard's", user="talker", words={"become": "sudo"}, needs="sudo"),
    fine("csh", "csh as login shell, with a talking .cshrc", user="cshell", words={"become": "sudo"}, needs="tcsh"),
    fine("fish", "fish as login shell", user="fishy", words={"become": "sudo"}, needs="fish"),
    login("nologin", "an account without a shell", "inconclusive", "shell did not return an answer .*: This account is currently not available",
          "log in there by hand", user="nobodys"),
    login("stuck", "a shell that hangs in its profile", "inconclusive", "did not answer within", "home folder prints or waits", user="stuck"),
    login("homeless", "its home folder lies on a server that is gone", "inconclusive", "did not answer within", "home folder prints or waits",
          user="homeless", needs=DEAD_FILES),
    login("dead-keys", "the keys that it takes lie in a home folder whose server is gone", "fail", "no answer within .* authentication",
          "waiting for a home folder", user="homeless", sshd="AuthorizedKeysFile %h/.ssh/authorized_keys\n", needs=DEAD_FILES),
    fine("one-channel", "an sshd that allows one session in a connection", sshd="MaxSessions 1\n"),
    Fault("password", "sudo wants a password", "privilege", "inconclusive", "sudo: a password is required", "NOPASSWD",
          user="visitor", words={"become": "sudo"}, needs="sudo"),
    Fault("no-root", "nobody is root, and sudo was not asked for", "privilege", "inconclusive", "host.root is no",
          "become=sudo", user="visitor"),
]

OUTPUT = [
    test("flood", f"an output of {FLOOD_MB} MB", "inconclusive", "limit:", "", tool=f"head -c {FLOOD_MB}000000 /dev/zero; " + SOUND,
         mounts="mount -t tmpfs -o mode=1777,size=400m tmpfs /var/tmp"),
    fine("no-newline", "no newline at the end of its output", tool="printf 'rate: 42.0 GB/s, version 1.2'"),
    fine("binary", "binary garbage around the value",
         tool="head -c 3000 /dev/urandom; echo; " + SOUND + "; head -c 3000 /dev/urandom"),
    test("only-binary", "nothing but binary garbage", "inconclusive", "pattern", "by hand", tool="head -c 100000 /dev/urandom"),
    test("bad-utf8", "invalid UTF-8 in the line of the value", "inconclusive", "pattern", "by hand",
         tool=r"printf 'rate: 42.0 GB/s, version 1.2\377\n'"),
    test("escapes", "terminal escapes in what it says", "inconclusive", "exit status 3.*owned", "by hand",
         tool=r"printf '\033[2J\033]0;owned\007 rate: none\n' >&2; exit 3"),
    test("closed", "stdout closed early", "inconclusive", "pattern", "by hand", tool="exec >&-; " + SOUND + " 2>/dev/null; exit 0"),
    test("half", "an output that ends in the middle of the value", "inconclusive", "pattern", "by hand", tool="printf 'rate: 4'"),
    test("killed", "a tool that dies of a signal behind a whole output", "inconclusive", "signal 11", "by hand",
         tool=SOUND + "; kill -SEGV $$"),
    test("status", "an exit status behind a whole output", "inconclusive", "exit status 7", "by hand", tool=SOUND + "; exit 7"),
    test("deaf", "a tool that hangs and ignores SIGTERM", "inconclusive", "stopped at its deadline after", "by hand",
         tool="trap '' TERM; " + SOUND + "; while :; do sleep 1; done"),
    test("unkillable", "a tool that waits for a server that is gone, and cannot be killed", "inconclusive",
         "stopped at its deadline after", "by hand", tool=f"touch $FAULT/began; cat {fleet.DEAD_DATA}/data; " + SOUND, needs=DEAD_FILES),
    fine("child", "a tool that leaves a child which holds its output", tool=SOUND + "; setsid sleep 300 &"),
]

HOST = [
    test("full", "no space in /var/tmp", "inconclusive", "no space left in /var/tmp/assay-0", "free space",
         mounts="d=/var/tmp; " + FILL),
    test("fills", "/var/tmp fills up under the test", "inconclusive", "kept only .* bytes of stdout.*no space left",
         "free space", mounts="mount -t tmpfs -o mode=1777,size=1m tmpfs /var/tmp",
         tool="head -c 1000000 /dev/urandom | od -v; " + SOUND),
    fine("read-only-tmp", "/tmp and /var/tmp are read-only", mounts="mount -o remount,ro /tmp; mount -o remount,ro /var/tmp"),
    test("read-only", "every place for locks and outputs is read-only", "not run",
         "no lock can be taken: /var/tmp/assay-locks-0 cannot be created.*/dev/shm", "its own folder for locks", mounts=SPOOLS + " mount -o remount,ro $d; done"),
    fine("noexec", "/tmp, /var/tmp and /dev/shm are noexec", mounts=SPOOLS + " mount -o remount,noexec $d; done"),
    fine("foreign", "the folder for outputs in /var/tmp is somebody else's", mounts="mkdir /var/tmp/assay-0; chown 47200 /var/tmp/assay-0"),
    test("toolless", "the tool is missing", "inconclusive", "tool missing", "install it", tool=None),
    fine("foreign-locks", "the folder for locks in /var/tmp is somebody else's",
         mounts="mkdir /var/tmp/assay-locks-0; chown 47200 /var/tmp/assay-locks-0"),
    test("locked-tool", "the tool may not be executed", "inconclusive", "cannot be executed", "execute it",
         mounts="chmod 644 /opt/measure"),
    test("old", "the tool has another version", "fail", "1.1, while most hosts have 1.2", "", tool="echo 'rate: 42.0 GB/s, version 1.1'"),
    test("too-slow", "slower than its limit", "fail", "command.rate is 4 GB/s", "", tool="echo 'rate: 4.0 GB/s, version 1.2'"),
]

SOUND_HOSTS = [fine(f"sound{number}", "nothing is wrong with it") for number in range(1, 5)]

FAULTS = NETWORK + LOGIN + OUTPUT + HOST
