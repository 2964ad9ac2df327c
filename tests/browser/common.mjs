// SPDX-License-Identifier: Apache-2.0
// What the tests in a browser share.
import {accessSync, constants} from "node:fs";
import {join} from "node:path";

export const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                      "--disable-component-update", "--disable-sync"];

// The first of these programs that is in PATH.
export const find = names => {
  for (const path of process.env.PATH.split(":").flatMap(place => names.map(name => join(place, name))))
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch { /* the next one */ }
  return null;
};
export const same = (found, wanted) => {
  const a = JSON.stringify(found), b = JSON.stringify(wanted);
  if (a !== b)
    throw new Error(`found  ${a}\nwanted ${b}`);
};
