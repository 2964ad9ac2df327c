// SPDX-License-Identifier: Apache-2.0
// browse.mjs WRITE_SAMPLE ACCEPTANCE [all]: the HTML reports, and one of an acceptance, in headless Chromium, as a reader uses
// them. TAP. With "all" also what is large and looks like the rest.
//
// One browser, one page after the other. With ASSAY_SCREENSHOTS=FOLDER it leaves pictures for eyes. SKIP, and says
// what to do, where Chromium or the packages of package.json are not installed (scripts/install-packages test).
import {execFileSync} from "node:child_process";
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";

import {FLAGS, find, same} from "./common.mjs";

const writer = process.argv[2], acceptance = resolve(process.argv[3]), pictures = process.env.ASSAY_SCREENSHOTS;
const folder = mkdtempSync(join(tmpdir(), "assay-browser-"));
const all = process.argv[4] === "all";
const cases = [];
const test = (name, run) => cases.push({name, run});
let browser;

const written = new Map();
const sample = (name, language = "en") => {
  const path = join(folder, `${name}.${language}.html`);
  if (!written.has(path))
    writeFileSync(path, execFileSync(writer, [name, "html", language], {maxBuffer: 1 << 30}));
  written.set(path, true);
  return path;
};

// Opens it and fails where it has anything to say on its console, or asks for anything.
const open = async (path, options = {}) => {
  const context = await browser.newContext({viewport: {width: 1180, height: 900}, ...options});
  const page = await context.newPage();
  const said = [];
  page.on("console", message => said.push(message.text()));
  page.on("pageerror", error => said.push(String(error)));
  page.on("request", request => /^(file|data):/.test(request.url()) || said.push(request.url()));
  await page.goto(`file://${path}`);
  return {page, silent: () => same(said, []), done: async () => { await context.close(); same(said, []); }};
};
const visit = (title, path, options, run) => test(title, async () => {
  const {page, done} = await open(path(), options);
  await run(page);
  await done();
});
// Of cases that leave a page as a reader may, one behind the other: it is opened once, and what it says is asked of each.
const shared = (title, path, run) => test(title, async () => {
  const opened = await (pages.get(path) ?? pages.set(path, open(path())).get(path));
  await run(opened.page);
  opened.silent();
});
const pages = new Map();
// Each report is printed once: the bytes and where they are.
const papers = new Map();
const print = async (name, language) => {
  const {page, done} = await open(sample(name, language));
  const path = join(pictures ?? folder, `${name}.${language}.pdf`), pdf = await page.pdf({path, preferCSSPageSize: true});
  await done();
  return {path, pdf};
};
const paper = (name, language = "en") => {
  const key = `${name}.${language}`;
  return papers.get(key) ?? papers.set(key, print(name, language)).get(key);
};
const picture = (page, name, options = {}) =>
  pictures ? page.screenshot({path: join(pictures, `${name}.png`), ...options}) : null;

// -- Nothing against it by axe, in light, dark and on a telephone

const WCAG = {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]};
const rules = (...values) => ({type: "rule", values});
const axe = async (page, runOnly) => {
  const found = await page.evaluate(only => axe.run(document, {runOnly: only, resultTypes: ["violations"]}), runOnly);
  same(found.violations.map(one => [one.id, one.nodes.length, ...one.nodes.slice(0, 3).map(
    node => [node.target.join(" "), node.failureSummary.split("\n")[1]?.trim()])]), []);
};
// Of what is alike it looks at the first: the tables of three hosts, eight rows of a table, two pictures of a kind.
const thin = page => page.evaluate(() => {
  const drop = (all, kept) => [...all].slice(kept).forEach(one => one.remove());
  document.querySelectorAll("table").forEach(table => drop(table.tBodies.length > 1 ? table.tBodies : table.tBodies[0].rows, 8));
  document.querySelectorAll(".figures").forEach(figures => drop(figures.children, 2));
  drop(document.querySelectorAll(".courses"), 2);
});
const axeLooks = async (page, name) => {
  await page.addStyleTag({content: ".lazy { content-visibility: visible !important }"}); // it looks at all of it
  await page.evaluate(createRequire(import.meta.url)("axe-core").source);
  await picture(page, `${name}-light`, {fullPage: true});
  await thin(page);
  await axe(page, WCAG);
  if (name !== "faulty") // the words and colours of the others are all among its own
    return;
  await page.emulateMedia({colorScheme: "dark"});
  await axe(page, rules("color-contrast")); // all else is as in the light
  await page.setViewportSize({width: 390, height: 800});
  await axe(page, rules("scrollable-region-focusable", "aria-valid-attr-value"));
};
for (const name of ["faulty", "clean", "hostile"])
  visit(`${name}: axe finds nothing against it${name === "faulty" ? ", in light, in dark and on a narrow screen" : ""}`, () => sample(name), {},
    page => axeLooks(page, name));
visit("an acceptance: axe finds nothing against it, in light and in dark", () => acceptance, {}, async page => {
  await axeLooks(page, "acceptance");
  await page.emulateMedia({colorScheme: "dark"});
  await axe(page, rules("color-contrast"));
});
if (all) visit("1,250 hosts: axe finds nothing against it", () => sample("huge"), {}, async page => {
  await thin(page);
  await axeLooks(page, "huge");
});
visit("in Chinese: axe finds nothing against it, and it says so of its language", () => sample("faulty", "zh"), {}, async page => {
  await page.evaluate(createRequire(import.meta.url)("axe-core").source);
  same(await page.evaluate(() => document.documentElement.lang), "zh-CN");
  await picture(page, "chinese");
  await axe(page, rules("html-has-lang", "html-lang-valid", "valid-lang", "document-title", "button-name", "label"));
});
visit("in Chinese: nothing that the report says itself is left in English", () => sample("faulty", "zh"), {}, async page => {
  const english = () => page.$$eval("h2, h3, thead th, dt, main > section > p, nav a", all => all.map(
    one => one.textContent.trim()).filter(text => /[a-z]{3,} [a-z]{2,}/.test(text)));
  same((await english()).filter(text => !/[\u4e00-\u9fff]/.test(text)), []);
  same(await page.$$eval("#signatures h3", all => all.map(one => one.textContent)), ["供方（乙方）", "需方（甲方）"]);
  same(await page.locator(".verdict strong").textContent(), "不通过");
  same(await page.$$eval(".filter label", all => new Set(all.map(one => one.textContent.trim())).size), 1);
  await box(page, "evidence").fill("node3");
  await page.waitForFunction(() => document.querySelector("#evidence .filter output").value.startsWith("显示"));
  const numbers = text => text.match(/[0-9][0-9,.]*/g).join(" ");
  const chinese = await page.$$eval(".coverage td", all => all.map(one => one.textContent).join(" "));
  await page.goto(`file://${sample("faulty")}`);
  same(numbers(chinese), numbers(await page.$$eval(".coverage td", all => all.map(one => one.textContent).join(" "))));
});
visit("dark is dark, and light is light", () => sample("faulty"), {colorScheme: "dark"}, async page => {
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  same(await ground(), "rgb(23, 25, 28)");
  await page.emulateMedia({colorScheme: "light"});
  same(await ground(), "rgb(255, 255, 255)");
});

// -- Sorting

const faulty = () => sample("faulty");

const column = (page, table, index) => page.$$eval(`${table} > tbody > tr`, (rows, at) =>
  rows.filter(row => row.cells.length > at && row.getClientRects().length > 0).map(row => row.cells[at].textContent), index);
const sorted = (list, less) => list.every((item, i) => i === 0 || !less(item, list[i - 1]));

shared("a click on a column's head sorts by its numbers, up, down and back", faulty, async page => {
  const before = await column(page, ".coverage", 2), head = page.locator(".coverage thead th").nth(2);
  const number = text => Number(text.replaceAll(",", ""));
  await head.getByRole("button").click();
  same(await head.getAttribute("aria-sort"), "ascending");
  const up = await column(page, ".coverage", 2);
  same(up, [...before].sort((a, b) => number(a) - number(b)));
  same(sorted(before, (a, b) => number(a) < number(b)), false); // it was not so before
  await head.getByRole("button").click();
  same([await head.getAttribute("aria-sort"), await column(page, ".coverage", 2)], ["descending", [...before].sort((a, b) => number(b) - number(a))]);
  await head.getByRole("button").click();
  same([await head.getAttribute("aria-sort"), await column(page, ".coverage", 2)], ["none", before]);
  same(await page.locator(".coverage tfoot th").first().textContent(), "All steps");
});
shared("keys sort too, equal rows keep their order, and one head tells it", faulty, async page => {
  const names = await column(page, ".coverage", 0), targets = await column(page, ".coverage", 1);
  const heads = page.locator(".coverage thead th");
  await heads.nth(0).getByRole("button").click();
  await heads.nth(1).getByRole("button").focus();
  await page.keyboard.press("Enter");
  const stable = names.map((name, i) => [name, Number(targets[i]), i]).sort((a, b) => a[1] - b[1] || a[2] - b[2]);
  same(await column(page, ".coverage", 0), stable.map(([name]) => name));
  await page.keyboard.press("Space");
  same(await heads.evaluateAll(all => all.map(head => head.ariaSort)),
       ["none", "descending", ...Array(await heads.count() - 2).fill("none")]);
});
shared("hosts are sorted inside of their units, failed first", faulty, async page => {
  const words = () => page.$$eval(".matrix tbody tr", rows => rows.map(row =>
    row.className === "unit" ? row.textContent : row.cells[row.cells.length - 1].textContent));
  const before = await words();
  await page.locator(".matrix thead th").last().getByRole("button").click();
  const after = await words();
  const units = list => list.map((word, i) => word.startsWith("Unit") ? i : -1).filter(i => i >= 0);
  same(units(after), units(before));
  same([...after].sort(), [...before].sort());
  await page.locator(".matrix thead th button").nth(0).click();
  await page.locator(".matrix thead th button").nth(0).click();
  const hosts = (await column(page, ".matrix", 0)).filter(text => !text.startsWith("Unit"));
  same(hosts.slice(0, 4), ["node4", "node3", "node2", "node1"]);
});

// -- Filtering

const box = (page, section) => page.locator(`#${section} .filter input`);
shared("a word leaves what speaks of it, and the number of it is told", faulty, async page => {
  const rows = () => page.$$eval("#evidence tbody:not(.host)", all => all.filter(one => one.getClientRects().length > 0).length);
  const before = await rows();
  await box(page, "evidence").fill("NODE3");
  await page.waitForFunction(() => document.querySelector("#evidence .filter output").value !== "");
  const after = await rows();
  same(after > 0 && after < before, true);
  same(await page.locator("#evidence .filter output").textContent(), `${after} of ${before}`);
  same(await page.$$eval("#evidence tbody.host", all => all.filter(one => one.getClientRects().length > 0)
    .map(one => one.textContent).filter(text => !text.includes("node3"))), []);
  await picture(page, "filter");
  await box(page, "evidence").fill("");
  await page.waitForFunction(() => document.querySelector("#evidence .filter output").value === "");
  same(await rows(), before);
});
visit("paper shows every row, whatever is filtered, and none of the controls", () => sample("whole"), {}, async page => {
  await box(page, "evidence").fill("no such word anywhere");
  await page.waitForFunction(() => document.querySelector("#evidence .filter output").value.startsWith("0 of"));
  await page.emulateMedia({media: "print"});
  same(await page.$$eval("#evidence tbody", all => all.filter(one => one.getClientRects().length === 0).length), 0);
  same(await page.$$eval(".filter", all => all.filter(one => one.getClientRects().length > 0).length), 0);
});

// -- Jumping

shared("each failure leads to its evidence, also when that is filtered away", faulty, async page => {
  const dead = await page.$$eval("a[href^='#']", all => all.map(one => one.getAttribute("href")).filter(
    href => document.getElementById(href.slice(1)) === null));
  same(dead, []);
  same(await page.locator("article.entry").count() > 0, true);
  same(await page.$$eval("article.entry", all => all.filter(one => !one.querySelector("a[href^='#e']")).length), 0);
  await box(page, "evidence").fill("no such word anywhere");
  await page.waitForFunction(() => document.querySelector("#evidence .filter output").value.startsWith("0 of"));
  const link = page.locator("article.entry a[href^='#e']").first(), href = await link.getAttribute("href");
  await link.click();
  await page.waitForFunction(id => {
    const at = document.getElementById(id).getBoundingClientRect();
    return at.height > 0 && at.top >= -1 && at.top < innerHeight;
  }, href.slice(1));
  same(new URL(page.url()).hash, href);
  await picture(page, "jump");
});

// -- Without the script, and against what hosts say

visit("without JavaScript all is there, no control is, and links lead on", () => sample("faulty"),
  {javaScriptEnabled: false}, async page => {
    same([await page.locator("button").count(), await page.locator("input").count()], [0, 0]);
    await page.locator("article.entry a[href^='#e']").first().click();
    same(new URL(page.url()).hash.startsWith("#e"), true);
    same(await page.locator("#evidence tbody").count() > 0, true);
  });
test("what hosts say cannot make a script, an element or an attribute", async () => {
  const {page, done} = await open(sample("hostile"));
  same(await page.evaluate(() => [document.scripts.length, document.querySelectorAll("img, iframe, object, embed, form, base").length,
    [...document.querySelectorAll("*")].flatMap(one => [...one.attributes]).filter(one => one.name.startsWith("on")).length]), [1, 0, 0]);
  same((await page.title()).startsWith("script>"), true); // of a path the last part
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'stolen'";
    document.body.append(script);
  });
  same(await page.title() === "stolen", false);
  await done().catch(error => same(/Content Security Policy|script-src/.test(error.message), true));
});

for (const width of [1280, 390])
  visit(`no word of a host, however long, makes the page wider than the screen (${width})`, () => sample("hostile"), {viewport: {width, height: 800}}, async page => {
    const wide = await page.evaluate(() => [...document.querySelectorAll("main *")].filter(one => one.getBoundingClientRect().right > innerWidth)
      .map(one => `${one.closest("section, header")?.id} ${one.tagName} .${one.className}`).slice(0, 3));
    const found = await page.evaluate(() => document.documentElement.scrollWidth);
    same([found, found > width ? wide : []], [width, []]);
  });

// -- Paper

const PAPER = [["faulty", ["REJECT", "Faults", "GPU 2 -> GPU 5 copies at", "Sign-off", "Not printed", "--appendix hosts", "For the customer", "Page 1 of"], []],
               ["clean", ["ACCEPT", "No gate failed.", "--appendix evidence"], ["REJECT", "INCOMPLETE"]],
               ["hostile", ["<script>alert(1)</script>"], []],
               ["faulty", ["0d6cf6c4-52f7", "gpu2->gpu5"], ["REJECT", "Faults", "Page 1 of"], "zh"]];
const pdftotext = find(["pdftotext"]);
for (const [name, wanted, unwanted, language] of PAPER)
  test(`${name}${language ? " in Chinese" : ""}: shows its words on paper`, async () => {
    const {path, pdf} = await paper(name, language);
    same(pdf.subarray(0, 5).toString(), "%PDF-");
    if (pdftotext === null)
      return;
    const text = execFileSync(pdftotext, ["-layout", path, "-"]).toString().replace(/\s+/g, " ");
    same(wanted.filter(word => !text.includes(word)), []);
    same(unwanted.filter(word => text.includes(word)), []);
  });

// -- The first screen is the answer

// What a stranger must find there: whom, which part, what is wrong, what to do, and who acts.
const CULPRITS = ["node3 - node4", "node5", "node3", "node7", "node8", "node6"];
for (const language of ["en", "zh"])
  visit(`208 hosts${language === "zh" ? " in Chinese" : ""}: the first screen names each culprit, its part and what to do`, () => sample("fleet", language),
    {viewport: {width: 1280, height: 800}}, async page => {
      const rows = await page.$$eval(".answer tbody tr", all => all.map(one => ({bottom: one.getBoundingClientRect().bottom,
        name: one.querySelector("th a").innerText, acts: one.querySelector("th small")?.innerText ?? "",
        cells: [...one.cells].map(cell => cell.innerText.replace(/\s+/g, " ").trim())})));
      const whole = rows.filter(row => row.bottom <= 800), seen = whole.map(row => row.cells);
      same(CULPRITS.filter(name => !whole.some(row => row.name.endsWith(name))), []);
      same(whole.filter(row => row.name.endsWith("node6")).map(row => row.acts), [language === "en" ? "technician, then vendor" : "现场人员，再厂商"]);
      same(seen.filter(cells => cells.length !== 4 || cells.some(cell => cell === "")), []);
      same(seen.some(cells => cells[1].startsWith("GPU 4") && cells[1].includes("1652923000052")), true);
      same(await page.locator(".headline").innerText(), language === "en" ? "202 of 208 hosts are OK. Fix 6 faults and settle 1 open point."
        : "208 台主机中有 202 台合格。请处理以下 6 个故障，并厘清 1 个待定事项。");
      same((await page.locator(".fleet svg").boundingBox()).y < 400, true);
      await picture(page, `first-screen-${language}`);
    });
visit("on a telephone nothing of the answer is off the screen, and no word lies on another", () => sample("fleet"),
  {viewport: {width: 390, height: 844}}, async page => {
    same(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    same(await page.$$eval(".answer th, .answer td, .verdict", all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length), 0);
    same(await page.$$eval(".answer tbody th a", all => all.filter(one => one.getClientRects().length > 1).length), 0);
    same(await page.$$eval(".matrix td", all => all.slice(0, 200).filter(one => one.scrollWidth > one.clientWidth + 1).length), 0);
    await picture(page, "telephone");
  });
visit("on a telephone what was reached is a card a test, no word of it one letter wide", () => sample("clean"),
  {viewport: {width: 390, height: 844}}, async page => {
    same(await page.$$eval("header .reached tbody th", all => all.length > 0 && all.every(one => one.getClientRects()[0].width > 300)), true);
    same(await page.$$eval("header .reached td", all => all.filter(one => one.dataset.head === "" || one.scrollWidth > one.clientWidth + 1).length), 0);
  });
visit("a section has one number, on the screen and on paper", () => sample("faulty"), {}, async page => {
  same(await page.$$eval("main > section[id] h2", all => all.filter(one => one.querySelectorAll(".n").length !== 1).length), 0);
  same(await page.$$eval("header .kind, h2 .n.on-paper", all => all.length), 1);
});
visit("commands are code, without the marks that tell them in a terminal, and the two ends of a copy stay on one line", () => sample("faulty"), {}, async page => {
  same(await page.$$eval("main dd, main td, main p, main li", all => all.filter(one => one.querySelector("pre") === null && one.textContent.includes("`")).length), 0);
  same(await page.$$eval(".nb", all => [all.length > 0, all.filter(one => one.getClientRects().length > 1).length]), [true, 0]);
});
visit("the place to sign is last on the screen, and on page one of paper", () => sample("fleet"), {}, async page => {
  same(await page.$$eval("main > section:not(.on-paper)", all => all.at(-1).id), "signatures");
  if (pdftotext === null)
    return;
  const first = execFileSync(pdftotext, ["-l", "1", "-layout", (await paper("fleet")).path, "-"]).toString();
  same(["For the customer", "node7", "Run 12", "Page 1 of"].filter(word => !first.includes(word)), []);
});
for (const name of ["fleet", "waived", "crowded"])
  for (const format of ["A4", "Letter"])
    for (const language of ["en", "zh"])
      visit(`${name} on ${format}${language === "zh" ? " in Chinese" : ""}: it is signed on page one`, () => sample(name, language), {}, async page => {
        const path = join(folder, "signed.pdf");
        await page.pdf({path, format});
        if (pdftotext === null)
          return;
        const first = execFileSync(pdftotext, ["-l", "1", "-layout", path, "-"]).toString();
        same((language === "en" ? ["For the customer", "Page 1 of"] : ["需方（甲方）"]).filter(word => !first.includes(word)), []);
      });
const sheets = ({pdf}) => (pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g) ?? []).length;
for (const name of ["faulty", "fleet", ...all ? ["huge"] : []])
  test(`${name}: 15 pages of paper are enough`, async () => {
    const count = sheets(await paper(name));
    same(count >= 3 && count <= 15, true);
  });
test("with all appendices it is printed whole", async () => {
  same(sheets(await paper("whole")) > sheets(await paper("faulty")), true);
});
shared("what is folded is counted, and leads to what it holds", faulty, async page => {
  const folded = await page.$$eval("details.folded", all => all.map(one => [Number(/(\d[\d,]*) gate/.exec(one.querySelector("summary").textContent)?.[1] ?? 0),
    one.querySelectorAll(".items tbody tr").length]));
  same(folded.length > 0, true);
  same(folded.filter(([said, rows]) => said !== rows), []);
});

// -- Large

visit(`${all ? 256 : 208} hosts: sorted and filtered while one waits`, () => sample(all ? "large" : "fleet"), {}, async page => {
  await page.locator(".coverage thead th button").nth(2).click();
  await box(page, "evidence").fill("node171");
  await page.waitForFunction(() => document.querySelector("#evidence .filter output").value !== "");
  same(/^[1-9][0-9]* of [0-9]+$/.test(await page.locator("#evidence .filter output").textContent()), true);
});

// -- Run

const skip = why => {
  console.log(`1..0 # SKIP ${why}: THE HTML REPORT WAS NOT OPENED IN A BROWSER`);
  process.exit(0);
};
const main = async () => {
  const executablePath = find(["chromium", "chromium-browser", "google-chrome"]);
  if (executablePath === null)
    skip("no chromium on this machine");
  const {chromium} = await import("playwright-core").catch(
    () => skip("playwright-core and axe-core are not installed (scripts/install-packages test installs them)"));
  if (pictures)
    mkdirSync(pictures, {recursive: true});
  browser = await chromium.launch({executablePath, args: FLAGS, headless: true});
  console.log(`1..${cases.length}`);
  let failed = 0;
  for (const [i, {name, run}] of cases.entries()) {
    const start = Date.now();
    try {
      await run();
      console.log(`ok ${i + 1} - ${name}`);
    } catch (error) {
      failed++;
      console.log(`not ok ${i + 1} - ${name}`);
      for (const line of error.message.split("\n").slice(0, 20))
        console.log(`# ${line.slice(0, 1500)}`);
    }
    if (pictures)
      console.log(`# ${Date.now() - start} ms`);
  }
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
  process.exitCode = failed > 0 ? 1 : 0;
};
await main();
