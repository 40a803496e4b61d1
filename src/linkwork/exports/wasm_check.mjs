// Compares @NAME@.wasm with Linkwork's results: node check.mjs

import {readFile} from "node:fs/promises";
import {load} from "./@NAME@.js";

const {routines} = JSON.parse(await readFile(new URL("check.json", import.meta.url), "utf8"));
const robot = await load();
let fault = false;
for (const [name, {inputs, outputs, tolerance}] of Object.entries(routines)) {
  const result = robot[name](...Object.values(inputs).map((rows) => Float64Array.from(rows.flat())));
  let worst = 0; // of a state's largest result
  const results = result instanceof Float64Array ? [result] : Object.values(result);
  const every = Object.values(outputs);
  const scales = every[0].map((_, row) => Math.max(...every.flatMap((rows) => rows[row].map(Math.abs))) || 1);
  every.forEach((rows, k) => {
    const length = rows[0].length;
    rows.forEach((wanted, row) => {
      wanted.forEach((value, i) => {
        worst = Math.max(worst, Math.abs(results[k][row * length + i] - value) / scales[row]);
      });
    });
  });
  if (!(worst <= tolerance)) fault = true;
  console.log(`${name}: largest relative difference ${worst.toExponential(1)}`);
}
process.exit(fault ? 1 : 0);
