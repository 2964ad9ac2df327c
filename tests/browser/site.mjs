// SPDX-License-Identifier: Apache-2.0
// site.mjs ASSAY WRITE_RUNS: a site in headless Chromium, as files and from a web server, with JavaScript and without. TAP.
//
// With ASSAY_SCREENSHOTS=FOLDER it leaves pictures for eyes. SKIP, and says what to do, where Chromium or the packages of
// package.json are not installed (scripts/install-packages test).
import {execFileSync, spawn} from "node:child_process";
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createServer} from "node:http";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {extname, join, normalize} from "node:path";

import {FLAGS, find, same} from "./common.mjs";

const KINDS = [..."clean faulty clean undecided part stopped clean faulty clean clean clean clean clean faulty".split(" ")];
const [, , assay, writeRuns] = process.argv, pictures = process.env.ASSAY_SCREENSHOTS;
const folder = mkdtempSync(join(tmpdir(), "assay-browser-site-")), site = join(folder, "site"), hostile = join(folder, "hostile");
const EVIL = `su1 "><script>alert(8)</script> \u202eevil & '<img src=x onerror=alert(9)>`;
const cases = [];
let browser;
const bases = {}; // by the name of who serves the site

// Opens a page of the site and fails where it has anything to say on its console, or asks for anything elsewhere.
const visit = (title, path, options, run) => cases.push({name: title, run: async () => {
  const {by, at, ...rest} = options;
  const root = by ? bases[by] : `file://${at ?? site}/`;
  const context = await browser.newContext({viewport: {width: 1180, height: 900}, ...rest});
  const page = await context.newPage(), said = [];
  page.on("console", message => said.push(message.text()));
  page.on("pageerror", error => said.push(String(error)));
  page.on("request", request => request.url().startsWith(root) || request.url().startsWith("data:") || said.push(request.url()));
  await page.goto(root + path());
  await run(page);
  await context.close();
  same(said, []);
}});
const picture = (page, name) => pictures ? page.screenshot({path: join(pictures, `site-${name}.png`), fullPage: true}) : null;
const axe = async (page, runOnly) => {
  await page.evaluate(createRequire(import.meta.url)("axe-core").source);
  const found = await page.evaluate(only => axe.run(document, {runOnly: only, resultTypes: ["violations"], preload: false}), runOnly);
  same(found.violations.map(one => [one.id, one.nodes.length, ...one.nodes.slice(0, 3).map(
    node => [node.target.join(" "), node.failureSummary.split("\n")[1]?.trim()])]), []);
};
const WCAG = {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]};
const rules = (...values) => ({type: "rule", values});
const rowsShown = page => page.$$eval("#runs tbody tr", all => all.filter(one => one.offsetParent !== null).length);
const ground = page => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

const PAGES = {
  "the index": () => "index.html", "the runs that are compared": () => "compare/index.html", "a comparison": () => "compare/1-2.html",
  "the history": () => "history/index.html", "all parts": () => "history/parts.html", "a host": () => "history/hosts/node3.html",
  "a part": () => `history/parts/${readdirSync(join(site, "history/parts"))[0]}`};
for (const [name, path] of Object.entries(PAGES))
  visit(`${name}: axe finds nothing against it, in light, in dark and on a telephone, which need not be scrolled sideways`, path, {}, async page => {
    await picture(page, `${name}-light`);
    await axe(page, WCAG);
    await page.emulateMedia({colorScheme: "dark"});
    same(await ground(page), "rgb(23, 25, 28)");
    await picture(page, `${name}-dark`);
    await axe(page, rules("color-contrast"));
    await page.setViewportSize({width: 390, height: 800});
    same(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await picture(page, `${name}-telephone`);
    await axe(page, rules("scrollable-region-focusable", "aria-valid-attr-value"));
  });

// What `assay serve` shows beside these: a run's report, its outputs linked, and one that was stopped before it was judged.
const SERVED = {"a report": () => `runs/${KINDS.length}/index.html`, "the report of a run that was stopped": () => `runs/${KINDS.indexOf("stopped") + 1}/index.html`,
  "the history, served": () => "history/index.html", "a host, served": PAGES["a host"], "a comparison, served": PAGES["a comparison"]};
for (const [name, path] of Object.entries(SERVED))
  visit(`${name}: axe finds nothing against it, in light, in dark and on a telephone, which need not be scrolled sideways`, path, {by: "assay serve"}, async page => {
    if (path().startsWith("runs/")) // axe looks at what is laid out
      await page.addStyleTag({content: ".lazy { content-visibility: visible !important }"});
    await axe(page, WCAG);
    await page.emulateMedia({colorScheme: "dark"});
    await axe(page, rules("color-contrast"));
    await page.setViewportSize({width: 390, height: 800});
    same(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await picture(page, `${name}-telephone`);
    await axe(page, rules("scrollable-region-focusable", "aria-valid-attr-value"));
  });

visit("without JavaScript the index is whole", () => "index.html", {javaScriptEnabled: false}, async page => {
  same(await page.locator("#runs tbody tr").count(), KINDS.length);
  same(await page.locator(".filter").count(), 0);
  await page.locator("#runs tbody a").first().click();
  same(await page.locator("h1").count(), 1);
  same(page.url().endsWith(`runs/${KINDS.length}/index.html`), true);
});
visit("with it the runs are searched", () => "index.html", {}, async page => {
  await page.getByRole("searchbox").first().fill("reject");
  await page.waitForFunction(() => document.querySelector("#runs .filter output").value !== "");
  same(await rowsShown(page), KINDS.filter(kind => kind === "faulty").length);
  await page.getByRole("searchbox").first().fill("");
  await page.waitForFunction(() => document.querySelector("#runs .filter output").value === "");
  same(await rowsShown(page), KINDS.length);
});
for (const by of [null, "a web server", "assay serve"])
  visit(`${by ? `from ${by}` : "as files"} one walks from the index through all kinds of pages, and back`, () => "index.html", {by}, async page => {
    const follow = async (link, heading) => {
      await link.click();
      same((await page.locator("h1").textContent()).includes(heading), true);
    };
    await follow(page.locator("#runs tbody th a").first(), "");
    await follow(page.getByRole("link", {name: "All runs"}), "Runs and acceptances");
    await follow(page.getByRole("link", {name: "Runs compared"}), "Runs compared");
    await follow(page.locator("#pairs tbody th a").first(), "compared with");
    await follow(page.getByRole("link", {name: "Runs and acceptances"}), "Runs and acceptances");
    await follow(page.getByRole("link", {name: "History of hosts and parts"}), "History of hosts and parts");
    await follow(page.locator("#hosts tbody a").first(), "node");
    await page.waitForFunction(() => getComputedStyle(document.querySelector("main")).maxWidth === "1120px"); // site.css was taken
    await follow(page.locator("#parts tbody a").first(), "");
    await follow(page.locator("#rates tbody a").first(), "");
    same(/runs\/\d+\/index\.html$/.test(page.url()), true);
  });

const BOARD = () => `runs/${KINDS.length + 1}/live.html`;
visit("the board of a run that goes on: hostile words are words, and axe finds nothing against it, in light, in dark and on a telephone", BOARD,
  {by: "assay serve"}, async page => {
    page.on("dialog", dialog => { throw new Error(dialog.message()); });
    await page.waitForFunction(() => document.querySelector("#link").textContent.startsWith("Live"));
    same(await page.locator("#board script, #board iframe, #board img").count(), 0);
    same(await page.locator("#board table tbody tr").count() > 0, true);
    await picture(page, "the board-light");
    await axe(page, WCAG);
    await page.emulateMedia({colorScheme: "dark"});
    await picture(page, "the board-dark");
    await axe(page, rules("color-contrast"));
    await page.setViewportSize({width: 390, height: 800});
    same(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await picture(page, "the board-telephone");
  });
visit("without JavaScript the board is as of when it was loaded, and a link loads it again", BOARD, {by: "assay serve", javaScriptEnabled: false}, async page => {
  same(await page.locator("#board table tbody tr").count() > 0, true);
  await page.getByRole("link", {name: "load it again"}).click();
  same(await page.locator("h1").textContent(), `Run ${KINDS.length + 1}, live`);
});
visit("the index leads to it, with hostile words in it, and axe finds nothing against that", () => "index.html", {by: "assay serve"}, async page => {
  await axe(page, WCAG);
  await page.getByRole("link", {name: "Board of the running test"}).click();
  await page.waitForFunction(() => document.querySelector("#link").textContent.startsWith("Live"));
});
visit("it says by itself that its controller is gone", BOARD, {by: "assay serve"}, async page => {
  await page.waitForFunction(() => document.querySelector("#link").textContent.startsWith("Live"));
  goesOn.stdin.end();
  await page.waitForFunction(() => document.querySelector("#board").textContent.includes("No controller is running it"));
});
// Every string that a host, a suite or a person gave is an attack on these pages.
const pagesOf = root => readdirSync(root, {recursive: true}).filter(name => name.endsWith(".html")).sort();
const KINDS_OF_PAGE = [/^index/, /^runs\/2\//, /^compare\/1-2/, /^history\/index/, /^history\/hosts\//, /^history\/groups\//, /^history\/parts\//, /^acceptances\//];
visit("hostile words are text on every page: nothing of them runs, loads, or makes it wider than a telephone", () => "index.html",
  {at: hostile, viewport: {width: 390, height: 800}}, async page => {
    const all = pagesOf(hostile), alerts = [], told = [];
    page.on("dialog", dialog => { alerts.push(dialog.message()); dialog.dismiss(); });
    for (const name of all) {
      await page.goto(`file://${hostile}/${name}`);
      same([name, await page.locator("h1").count(), await page.locator("main img, main iframe, main script, main object").count()], [name, 1, 0]);
      same([name, await page.evaluate(() => document.documentElement.scrollWidth)], [name, 390]);
      if ((await page.locator("main").textContent()).includes("<script>"))
        told.push(name);
    }
    same(KINDS_OF_PAGE.filter(kind => !told.some(name => kind.test(name))).map(String), []);
    same(alerts, []);
  });
for (const kind of [...KINDS_OF_PAGE, /^history\/groups\.html/, /^history\/parts\.html/, /^compare\/index/])
  visit(`hostile words: axe finds nothing against ${kind}`, () => pagesOf(hostile).find(name => kind.test(name)), {at: hostile}, async page => {
    await picture(page, `hostile-${String(kind).replace(/[^a-z0-9]+/g, "-")}`);
    await axe(page, WCAG);
  });
visit("hostile words are found by the search, and are no pattern to it", () => "index.html", {at: hostile}, async page => {
  const search = page.getByRole("searchbox").first();
  await search.fill("<script>");
  await page.waitForFunction(() => document.querySelector("#runs .filter output").value !== "");
  same(await rowsShown(page), 2);
  await search.fill("<script>.*(");
  await page.waitForFunction(() => [...document.querySelectorAll("#runs tbody tr")].every(one => one.offsetParent === null));
  same(await rowsShown(page), 0);
});
visit("an acceptance leads back to all runs, and is whole without JavaScript", () => pagesOf(hostile).find(name => name.startsWith("acceptances/")),
  {at: hostile, javaScriptEnabled: false}, async page => {
    same((await page.locator("h1, header").first().textContent()).includes("<script>alert(8)</script>"), true);
    await page.getByRole("link", {name: "All runs"}).click();
    same(await page.locator("#acceptances tbody tr").count(), 1);
  });

const TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css", ".txt": "text/plain"};
const serve = () => new Promise(done => {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://127.0.0.1").pathname));
    try {
      response.setHeader("Content-Type", TYPES[extname(path)] ?? "application/octet-stream");
      response.end(readFileSync(join(site, path)));
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1", () => done(server));
});
const skip = why => {
  console.log(`1..0 # SKIP ${why}: THE SITE WAS NOT OPENED IN A BROWSER`);
  rmSync(folder, {recursive: true, force: true});
  process.exit(0);
};

const executablePath = find(["chromium", "chromium-browser", "google-chrome"]);
if (executablePath === null)
  skip("no chromium on this machine");
const {chromium} = await import("playwright-core").catch(
  () => skip("playwright-core and axe-core are not installed (scripts/install-packages test installs them)"));
if (pictures)
  mkdirSync(pictures, {recursive: true});
execFileSync(writeRuns, [join(folder, "runs.db"), ...KINDS]);
execFileSync(assay, ["site", site, "--db", join(folder, "runs.db"), "--lang", "en"]);
const goesOn = spawn(writeRuns, [join(folder, "runs.db"), "running"], {stdio: ["pipe", "pipe", "inherit"]});
await new Promise(done => goesOn.stdout.once("data", done));
execFileSync(writeRuns, [join(folder, "hostile.db"), "hostile", "hostile", ..."clean ".repeat(10).trim().split(" ")]);
writeFileSync(join(folder, "hosts"), "node[1-8] platform=hgx-h100\n");
writeFileSync(join(folder, "owed.json"), JSON.stringify({name: "owed", title: EVIL, purpose: "delivery", platform: "hgx-h100", steps: [{check: "reachable"}]}));
execFileSync(assay, ["acceptance", "create", EVIL, "-H", join(folder, "hosts"), "-s", join(folder, "owed.json"), "--db", join(folder, "hostile.db")]);
execFileSync(assay, ["site", hostile, "--db", join(folder, "hostile.db"), "--lang", "en"]);
const server = await serve();
bases["a web server"] = `http://127.0.0.1:${server.address().port}/`;
const assayServe = spawn(assay, ["serve", "--port", "0", "--db", join(folder, "runs.db"), "--lang", "en"], {stdio: ["ignore", "pipe", "inherit"]});
bases["assay serve"] = await new Promise((done, fail) => {
  let told = "";
  assayServe.stdout.on("data", piece => {
    told += piece;
    const found = told.match(/^site: (http:\S+)\n/);
    if (found)
      done(found[1]);
  });
  assayServe.on("exit", status => fail(new Error(`assay serve ended with ${status}`)));
});
browser = await chromium.launch({executablePath, args: FLAGS, headless: true});
console.log(`1..${cases.length}`);
let failed = 0;
for (const [i, {name, run}] of cases.entries()) {
  const found = await run().then(() => null, error => error);
  failed += found !== null;
  console.log(`${found === null ? "ok" : "not ok"} ${i + 1} - ${name}`);
  for (const line of (found?.message ?? "").split("\n").slice(0, 20))
    if (line !== "")
      console.log(`# ${line.slice(0, 1500)}`);
}
await browser.close();
assayServe.removeAllListeners("exit");
assayServe.kill();
goesOn.stdin.end();
server.close();
rmSync(folder, {recursive: true, force: true});
process.exitCode = failed > 0 ? 1 : 0;
