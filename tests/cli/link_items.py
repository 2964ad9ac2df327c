# SPDX-License-Identifier: Apache-2.0
"""What steps that judge links came to, item by item."""


def items_of(report, *checks):
    """{(metric, subject): the item} of the gates of these checks."""
    return {(item["metric"], item["subject"]): item for step, item in report.outcomes() if step["check"] in checks}


def outcome(items, metric, subject=""):
    return items[(metric, subject)]["outcome"]


def cause(items, metric, subject=""):
    return items[(metric, subject)]["cause"] or ""


def others(items, *named):
    """Outcomes of all items but these."""
    return {item["outcome"] for key, item in items.items() if key not in named}
