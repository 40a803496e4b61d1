// Compares @NAME@.wasm with Linkwork's results: node check.mjs

import {readFile} from "node:fs/promises";
import {load} from "./@NAME@.js";

const TOLERANCE = 1e-12; // of a state's largest result
const {routines} = JSON.parse(await readFile(new URL("check.json", import.meta.url), "utf8"));
const robot = await load();
let worst = 0;
for (const [name, {inputs, outputs}] of Object.entries(routines)) {
  const result = robot[name](...Object.values(inputs).map((rows) => Float64Array.from(rows.flat())));
  const results = result instanceof Float64Array ? [result] : Object.values(result);
  Object.values(outputs).forEach((rows, k) => {
    const length = rows[0].length;
    rows.forEach((wanted, row) => {
      const scale = Math.max(1e-300, ...wanted.map(Math.abs));
      wanted.forEach((value, i) => {
        worst = Math.max(worst, Math.abs(results[k][row * length + i] - value) / scale);
      });
    });
  });
}
console.log(`largest relative difference ${worst.toExponential(1)}`);
process.exit(worst <= TOLERANCE ? 0 : 1);
