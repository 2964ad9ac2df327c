# SPDX-License-Identifier: Apache-2.0
"""An attack: who tries what, and what must come of it. Each file of this folder that has rows is one kind of them."""

import traceback

# Who: as in the threat model of SECURITY.md.
PARTY = "another party"      # wrote a bundle, report, manifest or database that we are given
MEMBER = "a member host"     # one of several in a test
TOOL = "a tool under test"
USER = "a user of a host"    # who may log in there, and is neither root nor the login user
NETWORK = "the network"      # between controller and hosts, and behind URLs
READER = "a reader"          # of what was passed on

ATTACKS = []


class Skip(Exception):
    """What the attack needs is not on this machine."""


def attack(who, what, must):
    """Registers the function below as an attack. It returns when what must come of it did; it fails by an exception."""
    def register(function):
        ATTACKS.append((who, what, must, function))
        return function
    return register


def expect(done, status, *words):
    """The program ended so, and said all these words."""
    lacking = [word for word in words if word not in done.stdout + done.stderr]
    assert done.returncode == status and not lacking, (f"exit {done.returncode}, wanted {status}; not said: {lacking}\n"
                                                       f"{done.stdout[-3000:]}{done.stderr[-3000:]}")


def run_all(tap, first=1, step=1):
    """One case a row, from the first on each step-th."""
    for who, what, must, function in ATTACKS[first - 1::step]:
        name = f"{who}: {what}: {must}"
        try:
            function()
        except Skip as why:
            tap.skip(name, str(why))
        except Exception:  # noqa: whatever it is, the attack was not held off
            tap.ok(False, name, traceback.format_exc())
        else:
            tap.ok(True, name)
