/*
@HEADER@

A state's inputs and results are Float64Arrays, matrices row by row. Arrays with N times as many
numbers are N states; an array of one state goes with all of them.

    import {load} from "./@NAME@.js";
    const robot = await load();
    const result = robot.@FIRST@(@ARGUMENTS@);
*/

const METHODS = @METHODS@;

const PAGE = 65536; // bytes of memory by which WebAssembly grows

/**
 * Load the module; by default @NAME@.wasm beside this file.
 * @param {URL | string | BufferSource | Response | Promise<Response>} [source] address, bytes or answer of fetch
 * @returns {Promise<Object<string, Function>>} its methods by name, see @NAME@.d.ts
 */
export async function load(source = new URL("@NAME@.wasm", import.meta.url)) {
  const {instance} = await WebAssembly.instantiate(await bytesOf(source), {m: Math});
  const robot = {};
  for (const [name, {inputs, outputs}] of Object.entries(METHODS)) {
    robot[name] = (...arrays) => call(instance.exports, name, inputs, outputs, arrays);
  }
  return Object.freeze(robot);
}

async function bytesOf(source) {
  const given = await source;
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return given;
  if (typeof Response !== "undefined" && given instanceof Response) return given.arrayBuffer();
  const address = new URL(given, import.meta.url);
  if (address.protocol === "file:" && typeof process !== "undefined") { // Node.js fetches no files
    return (await import("node:fs/promises")).readFile(address);
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

function call(exports, name, inputs, outputs, arrays) {
  const sizes = Object.values(inputs), rows = rowsOf(name, inputs, arrays);
  const width = sum(sizes), lengths = Object.values(outputs).map((shape) => shape.reduce((a, b) => a * b, 1));
  const start = 8 * rows * width, end = start + 8 * rows * sum(lengths);
  const {memory} = exports;
  if (end > memory.buffer.byteLength) memory.grow(Math.ceil((end - memory.buffer.byteLength) / PAGE));
  const given = new Float64Array(memory.buffer, 0, rows * width);
  for (let row = 0, at = 0; row < rows; row++) {
    arrays.forEach((array, k) => {
      const from = array.length === sizes[k] ? 0 : row * sizes[k];
      for (let i = 0; i < sizes[k]; i++) given[at++] = array[from + i];
    });
  }
  if (exports[name](0, start, rows)) throw new RangeError(`${name}: an input or a result is not finite`);
  const found = new Float64Array(memory.buffer, start, rows * sum(lengths));
  const results = lengths.map((length) => new Float64Array(rows * length));
  for (let row = 0, at = 0; row < rows; row++) {
    lengths.forEach((length, k) => {
      results[k].set(found.subarray(at, at + length), row * length);
      at += length;
    });
  }
  const names = Object.keys(outputs);
  return names.length === 1 ? results[0] : Object.fromEntries(names.map((key, k) => [key, results[k]]));
}

/** How many states the arrays hold, or an error that says what is wrong. */
function rowsOf(name, inputs, arrays) {
  const names = Object.keys(inputs);
  if (arrays.length !== names.length) {
    throw new TypeError(`${name} takes ${names.length} arrays (${names.join(", ")}), not ${arrays.length}`);
  }
  let rows = 1;
  names.forEach((key, k) => {
    const length = arrays[k]?.length, count = length / inputs[key];
    if (!Number.isInteger(count) || count < 1) {
      throw new TypeError(`${name}: ${key} has ${length} numbers; it takes ${inputs[key]} for every state`);
    }
    if (count > 1 && rows > 1 && count !== rows) {
      throw new TypeError(`${name}: ${key} has ${count} states, arrays before it have ${rows}`);
    }
    rows = Math.max(rows, count);
  });
  return rows;
}

function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}
