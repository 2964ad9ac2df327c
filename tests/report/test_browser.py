# SPDX-License-Identifier: Apache-2.0
"""test_browser.py WRITE_SAMPLE: headless Chromium opens the HTML reports, prints them, and has nothing to say."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--no-pdf-header-footer"]
# Sample, words that must be on the printed pages, words that must not be.
SAMPLES = [("faulty", ["REJECT", "Failures", "gpu2->gpu5, gpu5->gpu2", "Sign-off", "For the customer"], []),
           ("clean", ["ACCEPT", "No gate failed.", "Appendix"], ["REJECT", "INCOMPLETE"]),
           ("hostile", ["<script>alert(1)</script>"], [])]
CASES = ["opens without a console message", "prints to PDF", "shows its words on paper"]


def chromium():
    return next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


def result(number, good, name, note=""):
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    for line in note.splitlines()[:20] if not good else []:
        print(f"# {line}")
    return good


def words_on_paper(pdf):
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True).stdout
    return re.sub(r"\s+", " ", text)


def check(browser, writer, folder, number, sample, wanted, unwanted):
    page, pdf = os.path.join(folder, "report.html"), os.path.join(folder, "report.pdf")
    with open(page, "wb") as out:
        subprocess.run([writer, sample, "html"], stdout=out, check=True)
    if os.path.exists(pdf):
        os.remove(pdf)
    run = subprocess.run([browser, *FLAGS, f"--user-data-dir={folder}/profile", f"--print-to-pdf={pdf}", f"file://{page}"],
                         capture_output=True, text=True, timeout=100)
    console = "\n".join(line for line in run.stderr.splitlines() if "CONSOLE" in line)
    good = result(number, console == "" and run.returncode == 0, f"{sample}: {CASES[0]}", console or run.stderr)
    printed = os.path.exists(pdf) and open(pdf, "rb").read(5) == b"%PDF-"
    good &= result(number + 1, printed, f"{sample}: {CASES[1]}", run.stderr)
    if printed and shutil.which("pdftotext") is None:
        print(f"ok {number + 2} - {sample}: {CASES[2]} # SKIP pdftotext is not installed")
        return good
    text = words_on_paper(pdf) if printed else ""
    missing = [word for word in wanted if word not in text] + [f"not {word}" for word in unwanted if word in text]
    return good & result(number + 2, printed and not missing, f"{sample}: {CASES[2]}", f"missing: {missing}")


def main():
    browser, writer = chromium(), sys.argv[1]
    if browser is None:
        print("1..0 # SKIP no chromium on this machine: the HTML report was not opened in a browser")
        return 0
    print(f"1..{3 * len(SAMPLES)}")
    good = True
    with tempfile.TemporaryDirectory(prefix="assay-report-", ignore_cleanup_errors=True) as folder:
        for i, (sample, wanted, unwanted) in enumerate(SAMPLES):
            good &= check(browser, writer, folder, 3 * i + 1, sample, wanted, unwanted)
    return 0 if good else 1


sys.exit(main())
