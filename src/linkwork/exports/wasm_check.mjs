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
  Object.values(outputs).forEach((rows, k) => {
    const length = rows[0].length;
    rows.forEach((wanted, row) => {
      const scale = Math.max(1e-300, ...wanted.map(Math.abs));
      wanted.forEach((value, i) => {
        worst = Math.max(worst, Math.abs(results[k][row * length + i] - value) / scale);
      });
    });
  });
  if (!(worst <= tolerance)) fault = true;
  console.log(`${name}: largest relative difference ${worst.toExponential(1)}`);
}
process.exit(fault ? 1 : 0);
