// The robot itself: one WebAssembly function from a state to all that is shown of it.

class Model {
  /** Compiles the module of a scene. */
  static async of(scene) {
    const {instance} = await WebAssembly.instantiate(bytesOf(scene.module), {m: Math});
    return new Model(scene, instance.exports);
  }

  constructor(scene, exports) {
    this.run = exports.run;
    const width = scene.inputs.reduce((sum, [, size]) => sum + size, 0);
    const length = scene.outputs.reduce((sum, [, size]) => sum + size, 0);
    const {memory} = exports;
    const missing = 8 * (width + length) - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    this.start = 8 * width;
    this.inputs = views(memory.buffer, 0, scene.inputs);
    this.outputs = views(memory.buffer, this.start, scene.outputs);
  }

  /** Results by name, valid until the next call; what is not finite is no answer. */
  at(state) {
    for (const [name, view] of Object.entries(this.inputs)) view.set(state[name]);
    this.run(0, this.start, 1);
    return this.outputs;
  }
}

function views(buffer, start, sizes) {
  const found = {};
  for (const [name, size] of sizes) {
    found[name] = new Float64Array(buffer, start, size);
    start += 8 * size;
  }
  return found;
}

/** Where the points of a shape are: x y z of each, from frames (3 x 4 each) of the bodies. */
function placed(points, frames, into) {
  points.forEach(([body, x, y, z], k) => {
    for (let i = 0; i < 3; i++) {
      const at = 12 * (body - 1) + 4 * i;
      into[3 * k + i] = body === 0
        ? [x, y, z][i]
        : frames[at] * x + frames[at + 1] * y + frames[at + 2] * z + frames[at + 3];
    }
  });
  return into;
}

/** Points along struts: at a distance from one of the points before toward another. */
function placedAlong(along, into, first) {
  along.forEach(([start, end, distance], k) => {
    const a = into.subarray(3 * start, 3 * start + 3), b = into.subarray(3 * end, 3 * end + 3);
    const share = distance / Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    for (let i = 0; i < 3; i++) into[3 * (first + k) + i] = a[i] + share * (b[i] - a[i]);
  });
}
