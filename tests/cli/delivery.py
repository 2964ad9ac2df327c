# SPDX-License-Identifier: Apache-2.0
"""The built-in suite `delivery`, whole or in part: the whole of it starts a thousand programs on each host, which is most of
what tests on simulated hosts cost."""

import functools
import json
import os

SUITES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "suites")


@functools.cache
def document():
    with open(os.path.join(SUITES, "delivery.json"), encoding="utf-8") as file:
        return json.load(file)


@functools.cache
def steps():
    """{name: step}, in the suite's order."""
    return {step.get("name", step["check"]): step for step in document()["steps"]}


@functools.cache
def asks():
    """What only asks a host, or its way to the others, and loads nothing: before the tests, and after them."""
    names = list(steps())
    return frozenset(names[:names.index("p2p-bandwidth")] + names[names.index("health-after"):]) | {"mpi-launch"}


def part(name, *wanted):
    """The suite with these steps only and what of `asks` they need: tests that load a host do not wait for others."""
    kept = set(wanted)
    while needed := {need for step in kept for need in steps()[step].get("needs", ()) if need in asks()} - kept:
        kept |= needed
    return {**document(), "name": name, "steps": [
        {**step, **({"needs": [need for need in step["needs"] if need in kept]} if "needs" in step else {})}
        for step_name, step in steps().items() if step_name in kept]}
