// The mechanism on a canvas: parallel projection as in the printed figure, nearer parts over farther ones.

const HOME_VIEW = {azimuth: -58, elevation: 20, zoom: 1};

class Drawing {
  constructor(canvas, shape) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.shape = shape;
    this.box = null; // where to look, see the motion
    this.view = {...HOME_VIEW};
    this.colors = {};
  }

  /** Colors of the page, which change with its theme. */
  readColors() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    this.colors = {
      ink: read("--ink"), muted: read("--muted"), grid: read("--grid"), paper: read("--paper"),
      violation: read("--violation"), load: read("--c4"),
      actuator: Array.from({length: 6}, (_, k) => read(`--c${k}`)).concat(read("--ink")),
    };
  }

  actuatorColor(k) {
    return this.colors.actuator[k % this.colors.actuator.length];
  }

  turn(azimuth, elevation) {
    this.view.azimuth = (this.view.azimuth + azimuth) % 360;
    this.view.elevation = Math.max(-90, Math.min(90, this.view.elevation + elevation));
  }

  zoom(factor) {
    this.view.zoom = Math.max(0.3, Math.min(12, this.view.zoom * factor));
  }

  reset() {
    this.view = {...HOME_VIEW};
  }

  /** Fits the canvas to its place on the page, in the pixels of the screen. */
  fit() {
    const ratio = window.devicePixelRatio || 1;
    const {clientWidth: width, clientHeight: height} = this.canvas;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.width = width;
    this.height = height;
    const a = this.view.azimuth * DEGREE, e = this.view.elevation * DEGREE;
    this.toward = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
    this.right = [-Math.sin(a), Math.cos(a), 0];
    const [t, r] = [this.toward, this.right];
    this.up = [t[1] * r[2] - t[2] * r[1], t[2] * r[0] - t[0] * r[2], t[0] * r[1] - t[1] * r[0]];
    this.scale = this.view.zoom * Math.min(width, height) / this.box.size;
  }

  /** A point on the canvas, and how near it is. */
  project(p) {
    const q = [p[0] - this.box.center[0], p[1] - this.box.center[1], p[2] - this.box.center[2]];
    return [
      this.width / 2 + this.scale * dot(q, this.right),
      this.height / 2 - this.scale * dot(q, this.up),
      dot(q, this.toward),
    ];
  }

  /** Draws the mechanism at places of its points; `state` has payload and broken actuators. */
  draw(points, path, state) {
    this.fit();
    const context = this.context, shape = this.shape, colors = this.colors;
    context.clearRect(0, 0, this.width, this.height);
    context.lineJoin = "round";
    const at = (k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
    const items = [];
    for (const mesh of shape.meshes) this.facets(mesh, at, items);
    for (const solid of shape.solids) {
      if (solid.hidden) continue;
      const seen = solid.points.map(at).map((p) => this.project(p)), {form, actuator} = solid;
      const color = actuator === null ? (solid.fixed ? colors.muted : colors.ink)
        : state.broken.has(actuator) ? colors.violation : this.actuatorColor(actuator);
      if (form === "plate") {
        items.push([depth(seen) - (solid.fixed ? 1e-3 : 0), () => this.area(seen, !solid.fixed)]);
      } else if (form === "ball") {
        items.push([seen[0][2] + 2e-3, () => this.ball(seen[0], 3, colors.muted)]);
      } else if (form === "rod") {
        items.push([depth(seen), () => this.line(seen, color, solid.thick ? 6 : 3, true)]);
      } else {
        items.push([depth(seen) + 1e-3, () => this.line(seen, color, form === "box" ? 6 : 11, true, "butt")]);
      }
    }
    const tip = this.project(at(shape.tip));
    if (state.payload > 0) items.push([tip[2] + 1e-3, () => this.ball(tip, 3 + 8 * state.payload, colors.load)]);
    this.shadow(points, at);
    items.sort((a, b) => a[0] - b[0]);
    for (const [, paint] of items) paint();
    for (const [k, label] of shape.marks) this.name(this.project(at(k)), label);
    this.path(path);
    this.directions();
  }

  shadow(points, at) {
    const context = this.context, ground = this.box.ground;
    context.globalAlpha = 0.1;
    for (const rod of this.shape.solids.filter((each) => each.form === "rod")) {
      const line = rod.points.map(at).map((p) => this.project([p[0], p[1], ground]));
      this.stroke(line, this.colors.ink, rod.thick ? 6 : 3, "round");
    }
    context.globalAlpha = 1;
  }

  stroke(line, color, width, cap) {
    const context = this.context;
    context.beginPath();
    line.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.lineWidth = width;
    context.lineCap = cap;
    context.strokeStyle = color;
    context.stroke();
  }

  line(line, color, width, rim, cap = "round") {
    if (rim) this.stroke(line, this.colors.paper, width + 2.5, cap);
    this.stroke(line, color, width, cap);
  }

  area(corners, moves) {
    const context = this.context, color = moves ? this.colors.ink : this.colors.muted;
    context.beginPath();
    corners.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.globalAlpha = 0.16;
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = 0.9;
    context.lineWidth = 1.3;
    context.strokeStyle = color;
    context.stroke();
    context.globalAlpha = 1;
  }

  /** Triangles in the light of a lamp at the eye. */
  facets({faces, color}, at, items) {
    for (let k = 0; k < faces.length; k += 3) {
      const [a, b, c] = [at(faces[k]), at(faces[k + 1]), at(faces[k + 2])];
      const u = b.map((x, i) => x - a[i]), v = c.map((x, i) => x - a[i]);
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const light = 0.45 + 0.55 * Math.abs(dot(n, this.toward)) / (Math.hypot(...n) || 1);
      const seen = [a, b, c].map((p) => this.project(p));
      items.push([depth(seen), () => this.facet(seen, `rgb(${color.map((x) => Math.round(light * x))})`)]);
    }
  }

  facet(corners, color) {
    const context = this.context;
    context.beginPath();
    corners.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.fillStyle = context.strokeStyle = color;
    context.lineWidth = 0.6; // closes the seams between neighbors
    context.fill();
    context.stroke();
  }

  ball([x, y], radius, color) {
    const context = this.context;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.globalAlpha = 0.85;
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 1;
    context.strokeStyle = this.colors.paper;
    context.stroke();
  }

  path(path) {
    if (path.length < 6) return;
    const context = this.context, line = [];
    for (let k = 0; k < path.length; k += 3) line.push(this.project(path.subarray(k, k + 3)));
    context.setLineDash([5, 3]);
    this.stroke(line, this.colors.muted, 1.2, "butt");
    context.setLineDash([]);
  }

  name([x, y], label) {
    const context = this.context;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    context.lineWidth = 3;
    context.strokeStyle = this.colors.paper;
    context.strokeText(label, x, y + 15);
    context.fillStyle = this.colors.ink;
    context.fillText(label, x, y + 15);
  }

  /** x, y and z of the base in the lower left corner. */
  directions() {
    const corner = [34, this.height - 34];
    [["x", 0], ["y", 1], ["z", 2]].forEach(([label, k]) => {
      const end = [corner[0] + 20 * this.right[k], corner[1] - 20 * this.up[k]];
      this.stroke([corner, end], this.colors.muted, 1.5, "round");
      this.context.fillStyle = this.colors.muted;
      this.context.font = "12px system-ui, sans-serif";
      this.context.textAlign = "center";
      this.context.fillText(label, corner[0] + 29 * this.right[k], corner[1] - 29 * this.up[k] + 4);
    });
  }
}

function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function depth(points) {
  return points.reduce((sum, p) => sum + p[2], 0) / points.length;
}

/** Orbit by dragging, zoom by two fingers or by the wheel on a focused canvas, keys for both. */
function steer(drawing, redraw) {
  const canvas = drawing.canvas, pointers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, event);
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({preventScroll: true});
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    if (pointers.size === 2) {
      const other = [...pointers.values()].find((each) => each.pointerId !== event.pointerId);
      const distance = (each) => Math.hypot(each.clientX - other.clientX, each.clientY - other.clientY);
      drawing.zoom(distance(event) / (distance(before) || 1));
    } else {
      drawing.turn(-0.5 * (event.clientX - before.clientX), 0.5 * (event.clientY - before.clientY));
    }
    pointers.set(event.pointerId, event);
    redraw();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  canvas.addEventListener("wheel", (event) => {
    if (document.activeElement !== canvas && !event.ctrlKey) return; // the page scrolls
    event.preventDefault();
    drawing.zoom(Math.exp(-0.0015 * event.deltaY));
    redraw();
  }, {passive: false});
  canvas.addEventListener("keydown", (event) => {
    const moves = {ArrowLeft: [5, 0], ArrowRight: [-5, 0], ArrowUp: [0, 5], ArrowDown: [0, -5]};
    if (moves[event.key]) drawing.turn(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") drawing.zoom(1.15);
    else if (event.key === "-") drawing.zoom(1 / 1.15);
    else if (event.key === "Home") drawing.reset();
    else return;
    event.preventDefault();
    redraw();
  });
}
