# SPDX-License-Identifier: Apache-2.0
"""What a run shows of itself, on a real pseudo-terminal of either size, and in a log.

A step fails on two hosts, with words that try to take over the screen; one host of another step is slow and waited for,
until the test lets it go; and, where that is the matter, there are more steps than a small screen has lines.
"""

import json
import os
import re

from cluster import FOLDER, Lab, PATIENCE_S, Tap, assay, closing_lines, start
from terminal import WRAPPED, Terminal

HOSTS, MANY, FEW = 6, 24, 3  # steps that come later
EVIL = r"\033[2J\033[1;1Hall passed\n\033]0;fooled\007"
# On node2 and node4 other words than it should say; node5 takes its time.
WORDS = f"case $ASSAY_LAB_HOST in node2|node4) printf 'value {EVIL}\\n';; *) echo value fine;; esac"
SLOW = "while [ $ASSAY_LAB_HOST = node5 ] && [ ! -e {}.go ]; do sleep 0.2; done; echo value fine"
# What steers a terminal is shown as a mark.
REASON = r"  failed node\[2,4\]: command.v is .\[2J.\[1;1Hall passed, expected fine"

FOLDED = r"\+ 1 step done, 7 under way"  # on the small screen


def step(name, command, *needs):
    return {"name": name, "check": "command", "needs": list(needs), "exclusive": "none", "timeout_s": 600,
            "arguments": {"command": command, "pattern": "^value (?<v>.*)$"},
            "limits": [{"metric": "command.v", "equal": "fine", "source": "clause 1", "status": "contract"}]}


def words(lab, name, *more, later=FEW):
    """Of a run of that name; where the file NAME.go is, node5 is no longer slow."""
    path = os.path.join(FOLDER, name)
    steps = [{"check": "reachable"}, step("words", WORDS, "reachable"), step("slow", SLOW.format(path), "reachable"),
             # Only asked: that costs a host a fraction of what a command with a folder of its own does.
             *({"name": f"later-{number:02}", "check": "reachable", "needs": ["slow"]} for number in range(1, later + 1))]
    with open(f"{path}.json", "w", encoding="utf-8") as file:
        json.dump({"name": name, "purpose": "trial", "steps": steps}, file)
    return ("run", "-H", lab.hostfile, "-s", f"{path}.json", "--db", f"{path}.db", "-o", f"{path}.html", *more)


def let_go(name):
    with open(os.path.join(FOLDER, f"{name}.go"), "w", encoding="utf-8"):
        pass


def row(lines, name):
    return next((line for line in lines if line.startswith(f"{name} ")), "")


def settled(lines):
    """Nothing is left but who is waited for."""
    later = [line for line in lines if line.startswith("later-")]
    return any("waits for node5" in line for line in lines) and later and all("5/6" in line for line in later)


def same_lines(tell, found, wanted, name):
    """Each line by its pattern, in this order, and none besides."""
    found = [line for line in found if line]
    good = len(found) == len(wanted) and all(re.fullmatch(pattern, line) for pattern, line in zip(wanted, found))
    tell.ok(good, name, "found", *found, "wanted", *wanted)


def top(name, bar):
    """The first lines of a screen, but for what was done without a failure; the bars have so many cells."""
    part = bar * 5 // 6
    return [
        rf"run 1: {name}, 6 hosts  2 failed +(\d+ m )?\d+ s gone, .*left",
        rf"words +█{{{bar}}} 6/6  2 failed  done in .* s",
        REASON,
        rf"slow +█{{{part}}}▒+░* 5/6 +up to .* left",
        r"  waits for node5 \((\d+ m )?\d+ s; others took .* s; deadline 10 m\)",
    ]


def whole(name, bar, later):
    """All lines of a screen that is large enough for every step."""
    first, *others = top(name, bar)
    return [first, rf"reachable +█{{{bar}}} 6/6 +done in .* s", *others, *waiting(bar, later)]


def waiting(bar, later):
    part = bar * 5 // 6
    return [rf"later-{number:02} +█{{{part}}}░{{{bar - part}}} 5/6 +waiting" for number in range(1, later + 1)]


def recap(later):
    return f"recap:\n  node[1,3,5-6]  passed  ok {later + 3}\n  node[2,4]      failed  ok {later + 2}  failed 1 (words)\n"


def a_small_screen(tell, lab):
    terminal = Terminal(*words(lab, "small", later=MANY), width=80, height=24)
    tell.ok(terminal.until(settled), "80x24: it says who is waited for", *terminal.screen.lines())
    same_lines(tell, terminal.screen.lines(),
               top("small", 10) + waiting(10, 17) + [FOLDED],
               "80x24: a row for each step, what is known of the failures, and one line for what does not fit")
    tell.same((terminal.screen.strange, max(map(len, terminal.screen.lines())) < 80), ([], True), "80x24: no line is wider than the screen")
    tell.same([terminal.screen.colours_of(text) for text in ("2 failed", "  waits for ", "5/6")], [{"31"}, {"33"}, {""}],
              "80x24: what is wrong has a colour")
    let_go("small")
    status = terminal.end()
    text = "\n".join(terminal.screen.lines())
    tell.same((status, set(terminal.screen.strange) - {WRAPPED}), (1, set()), "80x24: whatever a host says, only the board moves the cursor")
    tell.ok(re.search(r"^run: 1\nverdict: failed\nreport: /.*small.html$", text, re.M) and "waits for" not in text and "█" not in text,
            "80x24: the board goes, and the run's own last lines stay", text)
    tell.ok(recap(MANY) in text, "hosts with the same result are one line of the recap", text)
    told = terminal.screen.gone + terminal.screen.lines()
    tell.ok(not any(re.search("[█▒░]| left$", line) for line in told), "80x24: nothing of the board is left above the results either", *told)
    at = next((at for at, line in enumerate(told) if line.startswith("fix: ")), 0)
    tell.same(told[at:at + 2], ["fix: node[2,4]: see what the step of the suite says about it, and the evidence", "    of this attempt"],
              "80x24: a result that is longer than a line is broken between words")


def a_large_screen(tell, lab):
    terminal = Terminal(*words(lab, "large", later=MANY), width=200, height=50)
    tell.ok(terminal.until(settled), "200x50: it says who is waited for", *terminal.screen.lines())
    same_lines(tell, terminal.screen.lines(), whole("large", 40, MANY), "200x50: every step has its row, and nothing is folded")
    tell.same((terminal.screen.strange, len(terminal.screen.lines()[0]), max(map(len, terminal.screen.lines()))), ([], 199, 199),
              "200x50: the width is used")
    terminal.resize(80, 24)
    terminal.screen.cells[5] = [("X", "")] * 80  # as a terminal may leave it that wraps lines anew
    tell.ok(terminal.until(lambda lines: FOLDED.replace("\\", "") in lines), "a window that is made smaller: the board fits itself to it",
            *terminal.screen.lines())
    same_lines(tell, terminal.screen.lines()[:5], top("large", 10), "a window that is made smaller: it is drawn from the top")
    # A line may have been on its way as the window changed.
    tell.ok(not any("X" in line for line in terminal.screen.lines()) and set(terminal.screen.strange) <= {WRAPPED},
            "a window that is made smaller: nothing of the larger one is left", terminal.screen.strange, *terminal.screen.lines())
    let_go("large")
    tell.same((terminal.end(), set(terminal.screen.strange) - {WRAPPED}), (1, set()), "200x50: it ends as ever")


def without_colour(tell, lab):
    terminal = Terminal(*words(lab, "mono"), NO_COLOR="1", LC_ALL="C")
    seen = terminal.until(settled)
    shown = terminal.bytes
    tell.ok(seen and re.fullmatch(r"slow +########-\.? 5/6 .*", row(terminal.screen.lines(), "slow")), "LC_ALL=C: the bars are made of #",
            *terminal.screen.lines())
    tell.ok(b"\x1b[K" in shown and not re.search(rb"\x1b\[[\d;]*m", shown), "NO_COLOR: there is no colour")
    tell.same([byte for byte in shown if byte >= 0x80], [], "LC_ALL=C: all of it is ASCII")
    let_go("mono")
    tell.same(terminal.end(), 1, "NO_COLOR and LC_ALL=C: it ends as ever")


def a_log(tell, lab):
    child = start(*words(lab, "log"))
    told = []
    for line in child.stderr:
        told.append(line.rstrip("\n"))
        if "words done" in line:
            let_go("log")
    out = child.communicate(timeout=PATIENCE_S)[0]
    tell.ok("\x1b" not in out + "".join(told) and closing_lines(out), "not a terminal: nothing steers one", *told)
    tell.ok(len(told) < 2 * (FEW + 3) + 10, "a log: a line for what changes, not one for each host", *told)
    for pattern in (r"run 1: log, 6 hosts \(times are UTC\)", r"words failed on node(\[2,4\]|2|4): .*all passed, expected fine",
                    r"words done: 4 ok, 2 failed, in .*", r"slow done: 6 ok, in .*", r"later-03 done: 6 ok, in .*"):
        tell.ok(any(re.fullmatch(r"\d\d:\d\d:\d\d  " + pattern, line) for line in told), f"a log has: {pattern}", *told)


def control_c(tell, lab):
    terminal = Terminal(*words(lab, "ended"))
    tell.ok(terminal.until(settled), "Ctrl-C: one host is waited for", *terminal.screen.lines())
    terminal.type("\x03")
    status = terminal.end()
    said = re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", terminal.bytes.decode()).replace("\r", "")
    tell.same((status, set(terminal.screen.strange) - {WRAPPED}), (130, set()), "Ctrl-C: exit status 130", said)
    tell.ok(f"cancelled by you; 5 of 6 hosts done, 32 of 36 tests; continue with `assay run --resume 1 --db {FOLDER}/ended.db`\n" in said,
            "Ctrl-C: how far it came, and how to go on", said[-2000:])
    tell.ok(0 <= said.find("cancelled after 32 of 36 tests\n") < said.find("recap:\n") and "verdict: reject" not in said and
            "hosts are OK" not in said, "Ctrl-C: that it was cancelled comes first", said[-2000:])
    tell.ok("cancelling: ending what runs on the hosts" in said and not re.search(r"^(fail|inconclusive|fix): node5", said, re.M),
            "Ctrl-C: what was ended is no finding", said[-2000:])


def a_resumed_run(tell, lab):
    """Killed while node5 is waited for: what had ended is on the board of the next controller."""
    child = start(*words(lab, "again", "--progress", "json"))
    for line in child.stderr:
        if line.startswith("{") and json.loads(line)["ended"] == 6 + 6 + 5 + 5 * FEW:
            break
    child.kill()
    child.communicate()
    terminal = Terminal("run", "--resume", 1, "--db", f"{FOLDER}/again.db", "-o", f"{FOLDER}/again.html")
    tell.ok(terminal.until(lambda lines: row(lines, "slow")), "resumed: the board is there", *terminal.screen.lines())
    lines = terminal.screen.lines()
    tell.ok(re.fullmatch(r"words +█+ 6/6  2 failed  done before", row(lines, "words")) and
            re.match(r"slow +█+▒+░* 5/6 ", row(lines, "slow")) and any(re.fullmatch(REASON, line) for line in lines),
            "resumed: what had ended is counted, with its failures", *lines)
    let_go("again")
    tell.same(terminal.end(), 1, "resumed: it comes to its end")


def an_attached_board(tell, lab):
    """Another process follows, on a terminal: from before the failures on, and once more when they are long over."""
    done = assay(*words(lab, "attached", "--detach"))
    tell.same(done.returncode, 0, "attach: the run goes on in the background", done.stderr)
    first = Terminal("attach", 1, "--db", f"{FOLDER}/attached.db")
    tell.ok(first.until(settled), "attach: it says who is waited for", *first.screen.lines())
    second = Terminal("attach", 1, "--db", f"{FOLDER}/attached.db")
    tell.ok(second.until(settled), "attach: who comes later sees the same", *second.screen.lines())
    for terminal in first, second:
        same_lines(tell, terminal.screen.lines(), whole("attached", 10, FEW), "attach: the board is as that of the run itself")
    second.type("\x03")
    tell.same(second.end(), -2, "attach: Ctrl-C ends the looking")
    let_go("attached")
    status = first.end()
    text = "\n".join(first.screen.lines())
    tell.ok(status == 1 and re.search(r"^run: 1\nverdict: failed$", text, re.M) and "waits for" not in text,
            "attach: it ends with the run, by its exit status", status, text)
    tell.ok(recap(FEW) in text, "attach: the recap is that of the run", text)


def alone(story):
    """On hosts of its own: where another run tests a host, a step of this one waits or does not run."""
    def told(tell):
        with Lab(story.__name__, HOSTS, speed=1) as lab:
            story(tell, lab)
            tell.same(lab.processes(), [], f"{story.__name__.replace('_', ' ')}: nothing runs on the hosts in the end")

    told.__name__ = story.__name__
    return told


tap = Tap()
tap.together([alone(story) for story in (a_small_screen, a_large_screen, without_colour)])
tap.together([alone(story) for story in (a_log, control_c, a_resumed_run, an_attached_board)])
tap.end()
