// The live view of a scene: controls, mechanism, readings. It stands in place of the printed figure.

const SPEED = 3; // seconds that a short motion takes when it plays

class View {
  constructor(figure, scene, model) {
    this.figure = figure;
    this.scene = scene;
    this.model = model;
    this.plots = [];
    this.motions = scene.motions.map((motion) => ({...motion, samples: Object.fromEntries(
      ["time", "position", "velocity", "acceleration", "wrench", "payload"]
        .filter((name) => motion[name] !== null).map((name) => [name, floatsOf(motion[name])]))}));
    this.state = {payload: [0], gravity_factor: [1], wrench: new Float64Array(6)};
    this.given = null; // the reader's payload, else that of the motion
    this.rest = false;
    this.changed = false; // whether curves of the figures no longer hold
    this.points = new Float64Array(3 * (scene.shape.points.length + scene.shape.along.length));
    this.waiting = false;
    this.build();
    this.choose(0);
    figure.classList.add("alive");
    figure.live = this; // for programs: state, values()
  }

  // Building.

  build() {
    const root = element("div", "live"), scene = this.scene;
    const stage = element("div", "stage");
    this.canvas = element("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${scene.robot}, drawn. Arrow keys turn it, plus and minus zoom, Home resets.`);
    stage.append(this.canvas, this.zoomButtons());
    this.drawing = new Drawing(this.canvas, scene.shape);
    steer(this.drawing, () => this.redraw());
    this.readings = new Readings(scene, () => this.values());
    root.append(stage, this.controls(), this.readings.root);
    this.figure.prepend(root);
    const hint = element("span", "hint", `${scene.robot}, computed in this page: move time, ${scene.pose ? "pose" : scene.coordinates_name},`
      + " payload or gravity, and efforts, reactions and limits follow. Drag the picture to turn it. ");
    const caption = this.figure.querySelector("figcaption"), printed = element("span");
    const [number, ...words] = [...caption.childNodes];
    printed.append(...words.filter((node) => !node.classList?.contains("download")));
    number.after(" ", hint, printed);
    this.drawing.readColors();
    const recolor = () => {
      this.drawing.readColors();
      this.redraw();
    };
    new MutationObserver(recolor).observe(document.documentElement, {attributes: true, attributeFilter: ["data-theme"]});
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }

  zoomButtons() {
    const buttons = element("div", "zoom");
    for (const [label, title, act] of [
      ["+", "Zoom in", () => this.drawing.zoom(1.25)], ["−", "Zoom out", () => this.drawing.zoom(0.8)],
      ["⌂", "The view as printed", () => this.drawing.reset()],
    ]) {
      const button = element("button", "", label);
      button.type = "button";
      button.title = title;
      button.setAttribute("aria-label", title);
      button.addEventListener("click", () => {
        act();
        this.redraw();
      });
      buttons.append(button);
    }
    return buttons;
  }

  controls() {
    const box = element("div", "controls"), {scene} = this;
    if (scene.motions.length > 1) {
      const select = element("select");
      select.setAttribute("aria-label", "Motion");
      scene.motions.forEach((motion, k) => select.append(new Option(motion.name, k)));
      select.addEventListener("change", () => this.choose(Number(select.value)));
      this.select = select;
      box.append(select);
    }
    const row = element("div", "play");
    this.button = element("button", "", "▶ play");
    this.button.type = "button";
    this.button.addEventListener("click", () => this.play(!this.playing));
    this.time = slider("time", 0, 1, (index) => this.moveTo(Math.round(index)));
    this.time.input.step = 1;
    row.append(this.button, this.time.row);
    box.append(row);
    const joints = element("fieldset"), legend = element("legend", "", scene.pose ? "pose" : scene.coordinates_name);
    joints.append(legend);
    this.sliders = scene.coordinates.map((coordinate, k) => {
      const [factor, unit] = shownUnit(coordinate.unit, scene.angle_unit);
      const one = slider(coordinate.name, coordinate.low, coordinate.high, (value) => this.setCoordinate(k, value));
      one.text = (value) => `${numberText(factor * value)} ${unit}`;
      joints.append(one.row);
      return one;
    });
    box.append(joints);
    const loads = element("fieldset");
    loads.append(element("legend", "", "what if"));
    this.payload = slider("payload", 0, scene.payload, (mass) => this.load(mass, null));
    this.payload.text = (mass) => `${numberText(mass, 3)} kg`;
    loads.append(this.payload.row);
    if (scene.gravity > 0) {
      this.gravity = slider("gravity", 0, 25, (value) => this.load(null, value / scene.gravity));
      this.gravity.text = (value) => `${numberText(value, 3)} m/s²`;
      loads.append(this.gravity.row);
    }
    const still = element("label", "still");
    this.still = element("input");
    this.still.type = "checkbox";
    this.still.addEventListener("change", () => {
      this.rest = this.still.checked;
      this.refresh();
    });
    still.append(this.still, " at rest: no velocity, no acceleration");
    const reset = element("button", "", "Reset to motion");
    reset.type = "button";
    reset.addEventListener("click", () => this.reset());
    loads.append(still, reset);
    box.append(loads);
    return box;
  }

  // What the reader does.

  /** Another motion of the scene. */
  choose(k) {
    this.motion = this.motions[k];
    if (this.select) this.select.value = String(k);
    this.drawing.box = this.motion.box;
    const {time} = this.motion.samples;
    this.time.input.max = time.length - 1;
    this.time.text = (index) => `${numberText(time[index])} s`;
    this.path = this.tracePath();
    this.moveTo(0);
    this.curvesChanged();
  }

  /** The state of the motion at a sample. */
  moveTo(index) {
    const {samples} = this.motion, m = this.scene.inputs[1][1], size = this.scene.inputs[0][1];
    this.index = Math.max(0, Math.min(samples.time.length - 1, index));
    this.state.position = samples.position.slice(size * this.index, size * (this.index + 1));
    this.state.velocity = samples.velocity.slice(m * this.index, m * (this.index + 1));
    this.state.acceleration = samples.acceleration.slice(m * this.index, m * (this.index + 1));
    if (samples.wrench) this.state.wrench = samples.wrench.slice(6 * this.index, 6 * (this.index + 1));
    this.state.payload = [this.payloadAt(this.index)];
    this.angles = {}; // of quaternions by the place where they stand
    for (const {place, turn} of this.scene.coordinates) {
      if (turn === 0) this.angles[place] = anglesOf(this.state.position.slice(place, place + 4));
    }
    this.refresh();
  }

  /** What the tool carries at a sample. */
  payloadAt(index) {
    const {payload} = this.motion.samples;
    return this.given ?? (payload ? payload[index] : 0);
  }

  /** The sample nearest to a time of a motion, from a figure. */
  seek(motion, time) {
    const k = this.motions.findIndex((each) => each.id === motion);
    if (this.motions[k] !== this.motion) this.choose(k);
    const times = this.motion.samples.time;
    let index = 0;
    while (index < times.length - 1 && Math.abs(times[index + 1] - time) <= Math.abs(times[index] - time)) index++;
    this.play(false);
    this.moveTo(index);
  }

  setCoordinate(k, value) {
    const {position} = this.state, {place, turn} = this.scene.coordinates[k];
    if (turn === null) {
      position[place] = value;
    } else {
      this.angles[place][turn] = value;
      position.set(quaternionOf(this.angles[place]), place);
    }
    this.refresh();
  }

  load(mass, factor) {
    if (mass !== null) {
      this.given = mass;
      this.state.payload = [mass];
    }
    if (factor !== null) this.state.gravity_factor = [factor];
    this.curvesChanged();
    this.refresh();
  }

  reset() {
    this.given = null;
    this.state.gravity_factor = [1];
    this.rest = this.still.checked = false;
    this.curvesChanged();
    this.moveTo(this.index);
  }

  play(on) {
    this.playing = on;
    this.button.textContent = on ? "⏸ pause" : "▶ play";
    if (!on) return;
    const {time} = this.motion.samples, span = time[time.length - 1] - time[0];
    const pace = Math.min(1, span / SPEED);
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    let start = null, from = this.index === time.length - 1 ? time[0] : time[this.index];
    const step = (now) => {
      if (!this.playing) return;
      if (start === null) start = now;
      let elapsed = (now - start) / 1000;
      if (calm) elapsed = Math.floor(elapsed); // still pictures, one a second
      const wanted = from + pace * elapsed;
      let index = 0;
      while (index < time.length - 1 && time[index + 1] <= wanted) index++;
      if (index !== this.index) this.moveTo(index);
      if (index === time.length - 1) this.play(false);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  // What follows.

  input() {
    if (!this.rest) return this.state;
    const zero = new Float64Array(this.state.velocity.length);
    return {...this.state, velocity: zero, acceleration: zero};
  }

  /** Everything shown of the present state by output, for programs; valid until the next state. */
  values() {
    return this.model.at(this.input());
  }

  /** Shows the present state before the next picture of the screen. */
  refresh() {
    this.stale = true;
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.show();
    });
  }

  show() {
    if (this.stale) this.showState();
    const found = this.values();
    if (!found.effort.every(Number.isFinite)) {
      this.readings.clear(`${this.scene.robot} cannot be there: a leg does not reach, or the position is singular.`);
      this.paint(found, new Set());
    } else {
      this.paint(found, this.readings.show(found));
    }
  }

  /** The mechanism where it is, or where it was last possible. */
  paint(found, broken) {
    const {shape} = this.scene;
    if (found.frames.every(Number.isFinite)) {
      placed(shape.points, found.frames, this.points);
      placedAlong(shape.along, this.points, shape.points.length);
    }
    const payload = this.state.payload[0] / this.scene.payload;
    this.drawing.draw(this.points, this.path, {broken, payload});
  }

  /** Controls and figures where the state is. */
  showState() {
    this.stale = false;
    put(this.time, this.index);
    const {position} = this.state;
    this.sliders.forEach((one, k) => {
      const {place, turn} = this.scene.coordinates[k];
      put(one, turn === null ? position[place] : this.angles[place][turn]);
    });
    put(this.payload, this.state.payload[0]);
    if (this.gravity) put(this.gravity, this.scene.gravity * this.state.gravity_factor[0]);
    const time = this.motion.samples.time[this.index];
    for (const {plot, motion} of this.plots) plot.mark(motion === this.motion.id ? time : null);
  }

  /** Another payload or gravity: curves of the efforts are drawn again beside the printed ones. */
  curvesChanged() {
    const changed = this.given !== null || this.state.gravity_factor[0] !== 1;
    const following = this.plots.filter(({plot}) => plot.axes.some((axes) => axes.channels.length));
    if (!changed && !this.changed) return;
    this.changed = changed;
    for (const {plot, motion} of following) {
      if (!changed || motion !== this.motion.id) plot.follow(null);
      else plot.follow(this.motion.samples.time, this.alongMotion("effort"), this.scene.actuators);
    }
  }

  /** An output at every sample of the motion with the present payload and gravity. */
  alongMotion(output) {
    const {samples} = this.motion, [[, size], [, m]] = this.scene.inputs, {length} = samples.time;
    const width = this.model.outputs[output].length, all = new Float64Array(length * width);
    for (let k = 0; k < length; k++) {
      const state = {
        ...this.state,
        payload: [this.payloadAt(k)],
        position: samples.position.subarray(size * k, size * (k + 1)),
        velocity: samples.velocity.subarray(m * k, m * (k + 1)),
        acceleration: samples.acceleration.subarray(m * k, m * (k + 1)),
      };
      if (samples.wrench) state.wrench = samples.wrench.subarray(6 * k, 6 * (k + 1));
      all.set(this.model.at(state)[output], width * k);
    }
    return all;
  }

  /** Where the tip goes along the motion. */
  tracePath() {
    const {shape} = this.scene, frames = this.alongMotion("frames"), width = this.model.outputs.frames.length;
    const length = frames.length / width, path = new Float64Array(3 * length), one = new Float64Array(3);
    for (let k = 0; k < length; k++) {
      placed([shape.points[shape.tip]], frames.subarray(width * k, width * (k + 1)), one);
      path.set(one, 3 * k);
    }
    return path;
  }
}
