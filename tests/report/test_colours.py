# SPDX-License-Identifier: Apache-2.0
"""test_colours.py REPORT_CSS: what is written can be read, in the light and in the dark (WCAG AA, 4.5 to 1)."""
import re
import sys

# Text, and what it stands on.
PAIRS = [(text, "paper") for text in ("ink", "soft", "zero", "link", "pass", "fail", "open", "off", "exceptions")] + [
    ("on-fail", "fail"), ("pass", "pass-tint"), ("open", "open-tint"), ("off", "off-tint"), ("fail", "fail-tint"),
    ("ink", "fail-tint"), ("ink", "sum-tint"), ("ink", "faint"), ("soft", "faint")]
LEAST = 4.5


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


with open(sys.argv[1], encoding="utf-8") as file:
    css = file.read()
roots = re.findall(r":root \{([^}]*)\}", css)
schemes = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", root)) for root in roots]
print("1..4")
good = [len(schemes) == 2 and set(schemes[0]) == set(schemes[1])]
print(f"{'ok' if good[0] else 'not ok'} 1 - there is a light and a dark scheme of the same colours")
for number, (name, scheme) in enumerate(zip(("light", "dark"), schemes), 2):
    weak = [f"{text} on {ground}: {contrast(scheme[text], scheme[ground]):.2f}" for text, ground in PAIRS
            if contrast(scheme[text], scheme[ground]) < LEAST]
    good.append(not weak)
    print(f"{'not ok' if weak else 'ok'} {number} - each text of the {name} scheme has contrast enough")
    print("".join(f"# {line}\n" for line in weak), end="")
beside = re.findall(r"(?:background|[^-]color): #[0-9a-f]{3,6}", re.sub(r":root \{[^}]*\}|@page[^\n]*|svg \{[^}]*\}", "", css))
good.append(not beside)
print(f"{'not ok' if beside else 'ok'} 4 - no colour stands beside the schemes")
print("".join(f"# {line}\n" for line in beside), end="")
sys.exit(0 if all(good) else 1)
