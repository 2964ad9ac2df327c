# SPDX-License-Identifier: Apache-2.0
"""A run that is ended, or loses its controller, while it looks at the hosts before or after a test.

The test is begun at most once, what had been seen counts, and neither the wait for GPUs to cool down nor the sampler
stays behind on a host.
"""

import os
import re
import signal

from cluster import FOLDER, Lab, PATIENCE_S, Report, Tap, assay, closing_lines, marked, start, wait_until, write

SPEED = 200
COOL_WITHIN_S = 2400  # 12 s here: time enough to be met in the middle of it
SUITE = {
    "name": "burn", "purpose": "trial", "cool_down": {"below_c": 60, "within_s": COOL_WITHIN_S},
    "steps": [
        {"check": "reachable"},
        {"check": "privilege", "needs": ["reachable"]},
        {"check": "gpu-burn", "needs": ["privilege"], "arguments": {"seconds": 600}, "retries": 0},
    ],
}
HOT = {1, 2, 3}  # node1 to node3 have a GPU that does not cool down
DEAF = {4, 5, 6}  # on node4 to node6 nvidia-smi hangs and ignores SIGTERM, in each window and as the sampler

tap = Tap()


class Begun:
    """A run of the burn suite on one host."""

    def __init__(self, number):
        self.host = f"node{number}"
        self.database = os.path.join(FOLDER, f"{self.host}.db")
        self.child = start("run", "-H", lab.hostfile, "-s", suite, "--db", self.database, "--progress", "none",
                           "--hosts", self.host, "-o", self.database + ".html")

    def runs(self, pattern):
        """Whether something like that runs on the host."""
        return any(re.search(pattern, line)
                   for line in marked(f"ASSAY_LAB_DIR={lab.folder}", f"ASSAY_LAB_HOST={self.host}"))

    def waits(self):
        """It has begun to wait for the GPUs to cool down: between two looks."""
        return wait_until(lambda: self.runs(r"\bsleep "), 60)

    def looks(self):
        return wait_until(lambda: self.runs(r" lab-tool \S*/nvidia-smi") and not self.runs(r" lab-tool \S*/gpu_burn"), 60)

    def burns(self):
        return wait_until(lambda: self.runs(r" lab-tool \S*/gpu_burn"), 60)

    def end(self):
        self.out, self.err = self.child.communicate(timeout=PATIENCE_S)
        return self.child.returncode

    def kill(self):
        self.child.kill()
        self.end()

    def resume(self):
        return assay("run", "--resume", 1, "--db", self.database, "--progress", "none", "-o", self.database + ".html")

    def starts(self):
        return lab.starts_of("gpu_burn").count(self.host)

    def burn(self):
        """The step, and its items by metric that could not be decided or failed."""
        report = Report(self.database)
        step = next(step for step in report.steps if step["check"] == "gpu-burn")
        items = [item for of, item in report.outcomes() if of is step and item["outcome"] != "pass"]
        return step, {item["metric"]: item for item in items}

    def left(self):
        """What runs there, after a moment for what is being ended."""
        wait_until(lambda: not self.runs("."), 5)
        return [line for line in marked(f"ASSAY_LAB_DIR={lab.folder}", f"ASSAY_LAB_HOST={self.host}")] + \
            Report(self.database).left_behind()


def cancelled_while_it_waits(tell):
    begun = Begun(1)
    tell.ok(begun.waits(), "cancelled while a GPU cools down: it waits")
    begun.child.send_signal(signal.SIGINT)
    tell.same((begun.end(), (closing_lines(begun.out) or {}).get("verdict")), (130, "incomplete"),
              "cancelled while a GPU cools down: exit status 130, verdict incomplete", begun.out, begun.err)
    tell.same((begun.starts(), begun.burn()[0]["outcome"]), (0, "not run"),
              "cancelled while a GPU cools down: the test is not begun, and did not run")
    tell.same(begun.left(), [], "cancelled while a GPU cools down: the wait does not go on without it")


def killed_while_it_waits(tell):
    begun = Begun(2)
    tell.ok(begun.waits(), "killed while a GPU cools down: it waits")
    begun.kill()
    done = begun.resume()
    step, items = begun.burn()
    tell.same((done.returncode, step["outcome"], begun.starts()), (2, "inconclusive", 0),
              "killed while a GPU cools down: resumed it waits, and does not begin the test", done.stdout, done.stderr)
    tell.ok("did not cool down" in items["sound"]["cause"], "killed while a GPU cools down: and says why", items["sound"])
    tell.same(len(step["attempts"]), 1, "killed while a GPU cools down: it is one attempt")
    tell.same(begun.left(), [], "killed while a GPU cools down: nothing is left on the host")


def not_cancelled(tell):
    begun = Begun(3)
    tell.same((begun.end(), begun.starts()), (2, 0), "a GPU that does not cool down: the test is not begun", begun.out)
    tell.ok("gpu3 is at 80 C" in begun.burn()[1]["sound"]["cause"], "a GPU that does not cool down: it is named")
    tell.same(begun.left(), [], "a GPU that does not cool down: nothing is left on the host")


def looked_at_in_vain(tell, name, begun):
    """After the end of a test on a host whose nvidia-smi hangs: the burn's own items are good, what was not seen is not."""
    step, items = begun.burn()
    undecided = {metric for metric, item in items.items() if item["outcome"] == "inconclusive"}

    tell.same((begun.starts(), len(step["attempts"])), (1, 1), f"{name}: the test was begun once")
    tell.ok({"window.read", "window.ecc.uncorrected", "window.processes", "window.nvlink",
             "window.throttle.hw_slowdown"} <= undecided and "gpu_burn.verdict" not in items,
            f"{name}: what was not seen is undecided, and the burn's own result counts", undecided, sorted(items))
    tell.same(begun.left(), [], f"{name}: nothing is left, the hanging sampler neither")


def killed_in_the_window_before(tell):
    begun = Begun(4)
    tell.ok(begun.looks(), "killed in the window before: it looks")
    begun.kill()
    done = begun.resume()
    tell.same(done.returncode, 2, "killed in the window before: resumed it comes to its end", done.stdout, done.stderr)
    looked_at_in_vain(tell, "killed in the window before", begun)


def killed_in_the_window_after(tell):
    begun = Begun(5)
    tell.ok(begun.burns(), "killed in the window after: the burn has begun")
    tell.ok(wait_until(lambda: not begun.runs(r" lab-tool \S*/gpu_burn"), 60) and begun.looks(),
            "killed in the window after: it looks")
    begun.kill()
    done = begun.resume()
    tell.same(done.returncode, 2, "killed in the window after: resumed it comes to its end", done.stdout, done.stderr)
    looked_at_in_vain(tell, "killed in the window after", begun)


def cancelled_in_the_window_after(tell):
    begun = Begun(6)
    tell.ok(begun.burns(), "cancelled in the window after: the burn has begun")
    tell.ok(wait_until(lambda: not begun.runs(r" lab-tool \S*/gpu_burn"), 60) and begun.looks(),
            "cancelled in the window after: it looks")
    begun.child.send_signal(signal.SIGINT)
    tell.same(begun.end(), 130, "cancelled in the window after: exit status 130", begun.out, begun.err)
    step, items = begun.burn()
    causes = {item["cause"] for item in items.values()}
    tell.same((step["outcome"], causes), ("not run", {"cancelled"}),
              "cancelled in the window after: the test was cancelled, and the host is not blamed for it", items)
    done = begun.resume()
    tell.same((len(begun.burn()[0]["attempts"]), begun.starts()), (2, 2), "cancelled in the window after: resumed, the test is made again",
              done.stdout, done.stderr)


suite = write("burn.json", SUITE)
with Lab("windows", 6, [f"node{n}:hot:3=80" for n in HOT] + [f"node{n}:tool-hang:nvidia-smi" for n in DEAF],
         speed=SPEED) as lab:
    lab.count_starts("gpu_burn")
    tap.together([cancelled_while_it_waits, killed_while_it_waits, not_cancelled, killed_in_the_window_before,
                  killed_in_the_window_after, cancelled_in_the_window_after])
    tap.same(lab.processes(), [], "nothing runs on the hosts in the end")
tap.end()
