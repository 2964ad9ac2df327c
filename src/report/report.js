// SPDX-License-Identifier: Apache-2.0
// For readers at a screen: tables sorted by a column, sections filtered by words. The report is whole without it:
// everything it adds it makes itself, it fetches nothing, and paper shows all rows whatever is filtered.
"use strict";
(() => {
  const words = document.currentScript.dataset;
  const LEAST_SORTED = 3, LEAST_FILTERED = 12;
  const collator = new Intl.Collator(document.documentElement.lang, {numeric: true});
  const make = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  // On a narrow screen a row is a card: each cell tells what it is.
  for (const table of document.querySelectorAll("table.cards"))
    for (const row of table.tBodies[0]?.rows ?? [])
      for (const cell of [...row.cells].slice(1))
        cell.dataset.head = table.tHead?.rows[0]?.cells[cell.cellIndex]?.textContent ?? "";

  const textOf = element => (element?.textContent ?? "").replaceAll("\u00ad", "").trim();

  // -- Rows. Where a row is followed by what is said of it, the body around both is one entry. Rows of units, hosts and
  // sums stay where they are.

  const hasBodies = table => table.tBodies.length > 1 || table.querySelector("tr.sub") !== null;
  const rowsOf = table => hasBodies(table) ? table.tBodies : table.tBodies[0]?.rows ?? [];
  const isFixed = row => ["unit", "host", "sum"].some(name => row.classList.contains(name));
  const runsOf = table => {
    const runs = [[]];
    for (const row of rowsOf(table))
      if (isFixed(row))
        runs.push([]);
      else
        runs.at(-1).push(row);
    return runs.filter(run => run.length > 0);
  };
  const cellAt = (entry, column) => {
    let at = 0;
    for (const cell of (entry.rows?.[0] ?? entry).cells)
      if ((at += cell.colSpan) > column)
        return cell;
    return null;
  };

  // -- Sorting

  const OUTCOMES = "\u2715?\u2013\u2713\u00b7"; // fail, inconclusive, not run, pass, recorded
  const SIZES = {K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40};
  const DURATION = /^(?:(\d+)d)?\s?(?:(\d+)h)?\s?(?:(\d+)m)?\s?(?:([\d.]+) ?s)?$/;
  const NUMBER = /^[\u2265\u2264]?\s*(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)([KMGT])?(?=$|[\s,;:%])/;

  // A number where the text begins with one; null where nothing is told.
  const keyOf = cell => {
    const text = textOf(cell);
    let match;
    if (text === "" || text === "\u2013")
      return {number: null, text: null};
    if (/^\S\s/.test(text) && OUTCOMES.includes(text[0]))
      return {number: OUTCOMES.indexOf(text[0]), text};
    if ((match = DURATION.exec(text)))
      return {number: ((+(match[1] ?? 0) * 24 + +(match[2] ?? 0)) * 60 + +(match[3] ?? 0)) * 60 + +(match[4] ?? 0), text};
    if ((match = NUMBER.exec(text)))
      return {number: Number(match[1].replaceAll(",", "")) * (SIZES[match[2]] ?? 1), text};
    return {number: null, text};
  };
  const compare = (a, b) => {
    if (a.number !== null && b.number !== null && a.number !== b.number)
      return a.number - b.number;
    if ((a.number === null) !== (b.number === null))
      return a.number === null ? 1 : -1;
    return collator.compare(a.text, b.text);
  };
  const sortRun = (run, column, sign) => {
    const keyed = run.entries.map(entry => [keyOf(cellAt(entry, column)), entry]);
    if (sign !== 0)
      keyed.sort(([a], [b]) => {
        if (a.text === null || b.text === null) // what is not told comes last either way
          return (a.text === null) - (b.text === null);
        return sign * compare(a, b);
      });
    run.anchor.after(...keyed.map(([, entry]) => entry));
  };
  const NEXT = {none: "ascending", ascending: "descending", descending: "none"};
  const SIGNS = {none: 0, ascending: 1, descending: -1};
  const makeSortable = table => {
    const heads = [...table.tHead?.rows ?? []].at(-1);
    const runs = runsOf(table).map(entries => ({entries, anchor: document.createComment("")}));
    if (!heads || !runs.some(run => run.entries.length >= LEAST_SORTED))
      return;
    for (const run of runs)
      run.entries[0].before(run.anchor);
    let column = 0;
    for (const head of heads.cells) {
      const at = column;
      column += head.colSpan;
      if (head.colSpan > 1 || textOf(head) === "" || head.querySelector("a"))
        continue;
      const button = make("button", {type: "button", class: "sort"}, ...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const order = NEXT[head.getAttribute("aria-sort")];
        for (const other of heads.querySelectorAll("[aria-sort]"))
          other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", order);
        for (const run of runs)
          sortRun(run, at, SIGNS[order]);
      });
    }
  };

  // -- Filtering. An entry is found by its own words and by those that stand over it: its host, its unit.

  const headingOf = table => {
    const before = table.previousElementSibling;
    return before?.tagName === "H3" ? before : null;
  };
  const entriesOf = section => {
    const entries = [...section.querySelectorAll(".entry")].map(element => ({element, over: [], parts: []}));
    for (const table of section.querySelectorAll("table")) {
      if (table.closest(".entry"))
        continue;
      const heading = headingOf(table);
      let fixed = null;
      for (const element of rowsOf(table))
        if (isFixed(element))
          fixed = element;
        else
          entries.push({element, over: [heading, fixed], parts: [table, heading, fixed]});
    }
    return entries;
  };
  const apply = (filter, value) => {
    const wanted = value.toLowerCase().split(/\s+/).filter(word => word !== "");
    const parts = new Map(); // what is shown as long as one of its entries is
    let shown = 0;
    for (const entry of filter.entries) {
      entry.text ??= [...entry.over, entry.element].map(textOf).join(" ").toLowerCase();
      const matches = wanted.every(word => entry.text.includes(word));
      entry.element.classList.toggle("filtered", !matches);
      shown += matches;
      for (const part of entry.parts)
        parts.set(part, (parts.get(part) ?? false) || matches);
    }
    for (const [part, any] of parts)
      part?.classList.toggle("filtered", !any);
    filter.output.value = wanted.length > 0
      ? words.shown.replace("{shown}", shown).replace("{all}", filter.entries.length) : "";
  };
  const filters = new Map();
  const makeFilterable = section => {
    const filter = {entries: entriesOf(section), input: make("input", {type: "search"}), output: make("output", {})};
    const heading = section.querySelector("h2");
    if (heading === null || filter.entries.length < LEAST_FILTERED)
      return;
    let timer;
    filter.input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => apply(filter, filter.input.value), 100);
    });
    heading.after(make("p", {class: "filter"}, make("label", {}, `${words.filter} `, filter.input), " ", filter.output));
    filters.set(section, filter);
  };

  // What a link leads to is shown, whatever was filtered.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const filter = filters.get(target?.closest("section"));
    if (!filter || !target.closest(".filtered"))
      return;
    filter.input.value = "";
    apply(filter, "");
    target.scrollIntoView();
  };

  // On a narrow screen sections are scrolled sideways: with keys too.
  const narrow = matchMedia("(max-width: 760px)");
  const letScroll = () => document.querySelectorAll("main > header, main > section").forEach(
    part => narrow.matches ? part.setAttribute("tabindex", "0") : part.removeAttribute("tabindex"));

  letScroll();
  narrow.addEventListener("change", letScroll);
  addEventListener("hashchange", reveal);
  // What is only needed once somebody asks for it does not keep the reader of a large report waiting.
  addEventListener("load", () => setTimeout(() => {
    document.querySelectorAll("main table").forEach(makeSortable);
    document.querySelectorAll("main section").forEach(makeFilterable);
  }));
})();
