# SPDX-License-Identifier: Apache-2.0
"""test_sample_reports.py ROOT: the samples in reports/ are those that scripts/sample-reports makes, small and of nobody's machine."""
import json
import os
import re
import subprocess
import sys

ROOT = sys.argv[1]
FOLDER = os.path.join(ROOT, "reports")
MOST_BYTES, MOST_BYTES_OF_SITE = 700000, 3000000
count = failures = 0


def same(found, wanted, name):
    global count, failures
    count += 1
    print(f"{'ok' if found == wanted else 'not ok'} {count} - {name}")
    if found != wanted:
        failures += 1
        print(f"# found  {str(found)[:600]}\n# wanted {str(wanted)[:600]}")


def text_of(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


listed = subprocess.run([os.path.join(ROOT, "scripts/sample-reports"), "--list"], stdout=subprocess.PIPE,
                        check=True).stdout.decode().split()
there = [name for name in os.listdir(FOLDER) if name.startswith("sample") and name != "sample-suite.json"]
same(sorted(there), sorted(listed), "each sample that the script makes is there, and no other")
files = [name for name in listed if not os.path.isdir(os.path.join(FOLDER, name))]
files += [os.path.relpath(os.path.join(place, name), FOLDER) for place, _, names in os.walk(os.path.join(FOLDER, "sample-site")) for name in names]
same([name for name in files if os.path.getsize(os.path.join(FOLDER, name)) > MOST_BYTES], [], "each is small")
same(sum(os.path.getsize(os.path.join(FOLDER, name)) for name in files if name.startswith("sample-site/")) < MOST_BYTES_OF_SITE, True, "so is the site")
same([name for name in files if re.search(r"/(home|root|work|tmp|Users)/", text_of(name))], [], "none names a folder of a machine")
dead = [(name, link) for name in files if name.startswith("sample-site/") and name.endswith(".html")
        for link in re.findall(r'<a href="([^"#:]+)["#]', text_of(name)) if not os.path.exists(os.path.join(FOLDER, os.path.dirname(name), link))]
same(dead[:5], [], "every link of the site leads to a page of it")
with open(os.path.join(ROOT, "docs/guide/reports.md"), encoding="utf-8") as file:
    guide = file.read()
same([name for name in listed if f"(../../reports/{name})" not in guide and f"(../../reports/{name}/index.html)" not in guide], [], "the guide leads to each")
html = text_of("sample.html")
same([name for name in ("failures", "matrix", "distributions", "p2p", "collectives", "burn", "earlier", "evidence")
      if f'<section id="{name}"' not in html], [], "the HTML has each kind of page")
same([name for name in ("sample.html", "sample.txt") if "By a suite of its own, which leaves out " not in " ".join(text_of(name).split())], [],
     "an acceptance by a smaller suite than the built-in delivery says so in its first lines")
same(json.loads(text_of("sample.json"))["verdict"], "failed", "the JSON can be read, and one host is no acceptance")
print(f"1..{count}")
sys.exit(1 if failures else 0)
