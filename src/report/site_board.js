// SPDX-License-Identifier: Apache-2.0
// Brings the board of a run up to date while it goes on. The server sends the board as a whole each time, so that nothing is
// lost where the connection was; without this script the page is as it was when it was loaded.
"use strict";
(() => {
  const words = document.currentScript.dataset;
  const board = document.getElementById("board"), link = document.getElementById("link");
  const say = text => {
    if (link.textContent !== text)
      link.textContent = text; // it is read aloud where it changes
  };
  const source = new EventSource("events");
  const show = event => {
    board.innerHTML = event.data;
  };
  source.addEventListener("open", () => say(words.live));
  source.addEventListener("board", show);
  source.addEventListener("trouble", event => say(event.data));
  source.addEventListener("over", event => {
    source.close();
    show(event);
    say("");
  });
  source.addEventListener("error", () => say(source.readyState === EventSource.CLOSED ? words.refused : words.lost));
})();
