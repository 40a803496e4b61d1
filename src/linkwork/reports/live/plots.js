// Figures with curves: a line where the reader is in time, values under the pointer, curves that follow.

const SVG = "http://www.w3.org/2000/svg";
const NOTHING = 65535; // a sample that is not a number

class Plot {
  constructor(figure, traces) {
    this.figure = figure;
    this.axes = traces.axes;
    this.size = traces.size;
    this.seek = null; // (time) => void, where a click leads
    const drawing = figure.querySelector("svg");
    this.frame = document.createElement("div");
    this.frame.className = "plot";
    drawing.replaceWith(this.frame);
    this.frame.append(drawing);
    // A layer of its own: the figure below is not painted again when a mark moves.
    this.layer = document.createElementNS(SVG, "svg");
    this.layer.setAttribute("viewBox", `0 0 ${this.size[0]} ${this.size[1]}`);
    this.layer.setAttribute("class", "layer");
    this.layer.setAttribute("aria-hidden", "true");
    this.curves = this.layer.appendChild(document.createElementNS(SVG, "g"));
    this.marks = this.axes.map(() => this.ruler("mark"));
    this.pointers = this.axes.map(() => this.ruler("pointer"));
    this.frame.append(this.layer);
    this.tip = document.createElement("div");
    this.tip.className = "values";
    this.tip.hidden = true;
    this.frame.append(this.tip);
    this.at = NaN; // the time to mark
    this.seen = true;
    new IntersectionObserver(([entry]) => {
      this.seen = entry.isIntersecting;
      if (this.seen) this.put(this.marks, this.at);
    }, {rootMargin: "100px"}).observe(this.frame);
    this.listen();
  }

  ruler(kind) {
    const line = document.createElementNS(SVG, "line");
    line.setAttribute("class", kind);
    line.setAttribute("visibility", "hidden");
    return this.layer.appendChild(line);
  }

  put(rulers, x) {
    this.axes.forEach(({box, x: [low, high], time}, k) => {
      const share = (x - low) / (high - low), line = rulers[k];
      if (!(share >= 0 && share <= 1) || (rulers === this.marks && !time)) {
        line.setAttribute("visibility", "hidden");
        return;
      }
      const at = (box[0] + share * box[2]).toFixed(2);
      for (const [name, value] of [["x1", at], ["x2", at], ["y1", box[1]], ["y2", box[1] + box[3]]]) {
        line.setAttribute(name, value);
      }
      line.setAttribute("visibility", "visible");
    });
  }

  /** Where the reader is; null: on another motion. Figures out of sight wait until they are seen. */
  mark(time) {
    this.at = time === null ? NaN : time;
    if (this.seen) this.put(this.marks, this.at);
  }

  /** Curves of this quantity as they would be now; null takes them away. */
  follow(times, values, channels) {
    this.curves.replaceChildren();
    if (times === null) return;
    const drawn = this.axes.filter((axes) => axes.channels.length);
    for (const axes of drawn) {
      const window = this.curves.appendChild(document.createElementNS(SVG, "svg")); // clips
      const [left, top, width, height] = axes.box;
      for (const [name, value] of Object.entries({x: left, y: top, width, height, viewBox: axes.box.join(" ")})) {
        window.setAttribute(name, value);
      }
      let most = axes.y[1], least = axes.y[0];
      for (const channel of axes.channels) {
        for (let k = 0; k < times.length; k++) {
          const value = values[k * channels + channel];
          if (value > most) most = value;
          if (value < least) least = value;
        }
        const points = [];
        for (let k = 0; k < times.length; k++) {
          points.push(this.place(axes, times[k], values[k * channels + channel]));
        }
        const line = document.createElementNS(SVG, "polyline");
        line.setAttribute("points", points.join(" "));
        line.setAttribute("class", "now");
        const own = axes.lines[axes.channels.indexOf(channel)];
        line.style.stroke = `var(${own.color})`;
        window.append(line);
      }
      // What leaves the axes is told beside them.
      if (most > axes.y[1]) this.beyond(`↑ to ${numberText(most)}`, left + width, top + 9);
      if (least < axes.y[0]) this.beyond(`↓ to ${numberText(least)}`, left + width, top + height - 3);
    }
  }

  beyond(words, x, y) {
    const text = this.curves.appendChild(document.createElementNS(SVG, "text"));
    for (const [name, value] of Object.entries({x: x - 3, y, class: "beyond", "text-anchor": "end"})) {
      text.setAttribute(name, value);
    }
    text.textContent = words;
  }

  place({box, x: [low, high], y: [least, most]}, x, y) {
    const across = box[0] + box[2] * (x - low) / (high - low);
    const up = box[1] + box[3] * (1 - (y - least) / (most - least));
    return `${across.toFixed(2)},${Math.max(-1e4, Math.min(1e4, up)).toFixed(2)}`;
  }

  /** The axes under a pointer and the x there. */
  under(event) {
    const seen = this.layer.getBoundingClientRect();
    const x = (event.clientX - seen.left) / seen.width * this.size[0];
    const y = (event.clientY - seen.top) / seen.height * this.size[1];
    for (const axes of this.axes) {
      const [left, top, width, height] = axes.box;
      if (x >= left - 4 && x <= left + width + 4 && y >= top - 4 && y <= top + height + 4) {
        const share = Math.max(0, Math.min(1, (x - left) / width));
        return {axes, at: [x, y], x: axes.x[0] + share * (axes.x[1] - axes.x[0]), left: event.clientX - seen.left,
          top: event.clientY - seen.top, width: seen.width};
      }
    }
    return null;
  }

  listen() {
    let dragging = false;
    const seek = (found) => this.seek && found && found.axes.time && this.seek(found.x);
    this.frame.addEventListener("pointerdown", (event) => {
      const found = this.under(event);
      if (!found || event.button) return;
      dragging = true;
      seek(found);
    });
    this.frame.addEventListener("pointermove", (event) => {
      const found = this.under(event);
      if (dragging) seek(found);
      this.show(found);
    });
    window.addEventListener("pointerup", () => (dragging = false));
    this.frame.addEventListener("pointercancel", () => (dragging = false));
    this.frame.addEventListener("pointerleave", () => this.show(null));
  }

  show(found) {
    const point = found && nearest(found.axes, found.at), told = point || (found && found.axes.lines.length);
    this.tip.hidden = !told;
    this.put(this.pointers, told && !point ? found.x : NaN);
    if (!told) return;
    const rows = (point ? [] : found.axes.lines).map((line) => {
      const row = document.createElement("span"), swatch = document.createElement("i");
      swatch.style.background = `var(${line.color})`;
      row.append(swatch, `${line.label} `, strong(numberText(valueAt(line, found.x))));
      return row;
    });
    const named = (axis, value) => {
      const row = document.createElement("span");
      row.append(strong(`${axis.label} ${numberText(value)}`), axis.unit ? ` [${axis.unit}]` : "");
      return row;
    };
    if (point) rows.push(named(found.axes.value, point.y));
    if (point && point.label) rows.unshift(strong(point.label));
    const head = named(found.axes, point ? point.x : found.x);
    this.tip.replaceChildren(...(point && point.label ? [rows.shift()] : []), head, ...rows);
    const right = found.left > found.width / 2;
    this.tip.style.left = right ? "auto" : `${found.left + 14}px`;
    this.tip.style.right = right ? `${found.width - found.left + 14}px` : "auto";
    this.tip.style.top = `${Math.max(0, found.top - 20)}px`;
  }
}

const REACH = 9; // points of the drawing: a mark within them is the one that is meant

/** The mark of these axes that is nearest to a place of the drawing, with its values; null: none is near. */
function nearest({box, x: [low, high], y: [least, most], value, points}, [left, top]) {
  let found = null, best = REACH;
  for (const marks of points || []) {
    marks.across = marks.across || new Uint16Array(bytesOf(marks.x).buffer);
    marks.up = marks.up || new Uint16Array(bytesOf(marks.y).buffer);
    for (let k = 0; k < marks.across.length; k++) {
      if (marks.across[k] === NOTHING || marks.up[k] === NOTHING) continue;
      const across = marks.across[k] / (NOTHING - 1), up = marks.up[k] / (NOTHING - 1);
      const away = Math.hypot(box[0] + across * box[2] - left, box[1] + (1 - up) * box[3] - top);
      if (away < best) {
        best = away;
        const y = value.logarithmic ? least * (most / least) ** up : least + up * (most - least);
        found = {label: marks.label, x: low + across * (high - low), y};
      }
    }
  }
  return found;
}

function strong(text) {
  const element = document.createElement("b");
  element.textContent = text;
  return element;
}

/** The value of a curve at x, between its samples on a straight line. */
function valueAt(line, x) {
  if (!line.samples) {
    line.samples = new Uint16Array(bytesOf(line.y).buffer);
    line.places = line.x ? new Uint16Array(bytesOf(line.x).buffer) : null;
  }
  const {samples, places, range: [least, most]} = line, last = samples.length - 1;
  const share = (x - line.span[0]) / ((line.span[1] - line.span[0]) || 1);
  if (!(share >= -1e-9 && share <= 1 + 1e-9)) return NaN;
  let k = Math.min(Math.floor(share * last), last - 1), within = share * last - k;
  if (places) {
    const wanted = share * NOTHING;
    let end = last;
    for (k = 0; end - k > 1;) {
      const middle = (k + end) >> 1;
      if (places[middle] <= wanted) k = middle;
      else end = middle;
    }
    within = (wanted - places[k]) / ((places[k + 1] - places[k]) || 1);
  }
  if (last === 0 || samples[k] === NOTHING || samples[k + 1] === NOTHING) return NaN;
  const level = samples[k] + within * (samples[k + 1] - samples[k]);
  const value = least + level / (NOTHING - 1) * (most - least);
  return line.logarithmic ? 10 ** value : value;
}
