// Tables of the present numbers: measured quantities with their limits, then reactions.

const ROUNDING = 1e-12; // of the largest number beside it, or of a unit: nothing
const ROUNDING_OF_ANGLES = 5e-8; // [rad] the cosine of a small angle is rounded, which its square root enlarges

class Readings {
  /** `values()` gives all digits for whoever points at a number. */
  constructor(scene, values) {
    this.scene = scene;
    this.values = values;
    this.root = element("div", "readings");
    this.cells = [];
    this.build();
  }

  /** A table for every set of channels: measured quantities with their limits, then reactions. */
  build() {
    const box = this.root;
    this.note = element("p", "note");
    this.note.setAttribute("role", "status");
    box.append(this.note);
    const groups = new Map();
    for (const quantity of this.scene.quantities) {
      const key = `${quantity.reaction} ${quantity.channels.join("\u0000")}`;
      groups.set(key, [...(groups.get(key) || []), quantity]);
    }
    for (const quantities of groups.values()) {
      const wide = element("div", "wide"), table = element("table"), body = element("tbody");
      if (quantities[0].reaction && !box.querySelector("caption")) {
        table.append(element("caption", "", "Reactions in the joints"));
      }
      const head = element("tr");
      head.append(element("th", "", this.scene.actuated_element));
      for (const quantity of quantities) {
        const unit = sharedUnit(quantity, this.scene.angle_unit);
        head.append(element("th", "n", unit ? `${quantity.name} [${unit}]` : quantity.name));
        if (quantity.output === "effort" && bounded(quantity)) head.append(element("th", "", "limit used"));
      }
      quantities[0].channels.forEach((channel, k) => {
        const row = element("tr");
        row.append(element("td", "", channel));
        for (const quantity of quantities) row.append(...this.reading(quantity, k));
        body.append(row);
      });
      const top = element("thead");
      top.append(head);
      table.append(top, body);
      wide.append(table);
      box.append(wide);
    }
  }

  reading(quantity, k) {
    const cell = element("td", "n"), text = cell.appendChild(document.createTextNode(""));
    const low = quantity.low[k] ?? -Infinity, high = quantity.high[k] ?? Infinity;
    const [factor, unit] = shownUnit(quantity.units[k], this.scene.angle_unit);
    // Where a column holds several units every number has its own.
    const after = sharedUnit(quantity, this.scene.angle_unit) === null ? `\u00a0${unit.replaceAll(" ", "\u00a0")}` : "";
    const entry = {quantity, k, cell, text, low, high, factor, after, bar: null, broken: null};
    // All digits under the pointer.
    cell.addEventListener("pointerenter", () => (cell.title = String(this.values()[quantity.output][k])));
    this.cells.push(entry);
    if (quantity.output !== "effort" || !bounded(quantity)) return [cell];
    const side = element("td", "share"), bar = element("i");
    side.append(bar);
    entry.bar = bar;
    return [cell, side];
  }

  /** No numbers, and why. */
  clear(reason) {
    this.note.textContent = reason;
    for (const entry of this.cells) {
      entry.text.data = "–";
      entry.cell.classList.remove("violation");
      entry.broken = null;
      if (entry.bar) entry.bar.style.width = "0";
    }
  }

  /** Shows numbers; the actuators that are beyond a limit. */
  show(found) {
    if (this.note.textContent) this.note.textContent = "";
    const broken = new Set();
    for (const entry of this.cells) {
      const all = found[entry.quantity.output], value = all[entry.k];
      const text = value === -1 && entry.quantity.reaction ? "–"
        : numberText(Math.abs(value) <= nothing(entry.quantity.units[entry.k]) * Math.max(1, largest(all)) ? 0 : entry.factor * value) + entry.after;
      if (entry.text.data !== text) entry.text.data = text;
      const beyond = value < entry.low || value > entry.high;
      if (beyond && entry.quantity.channels.length === this.scene.actuators) broken.add(entry.k);
      if (beyond !== entry.broken) {
        entry.cell.classList.toggle("violation", beyond);
        entry.broken = beyond;
      }
      if (entry.bar) {
        const share = Math.abs(value) / (value < 0 ? -entry.low : entry.high);
        entry.bar.style.width = `${Math.min(100, 100 * share).toFixed(1)}%`;
        entry.bar.classList.toggle("beyond", beyond);
      }
    }
    return broken;
  }
}

function nothing(unit) {
  return unit === "rad" ? ROUNDING_OF_ANGLES : ROUNDING;
}

/** The unit of all channels of a quantity, "" for a bare number; null: they differ. */
function sharedUnit(quantity, angles) {
  const units = new Set(quantity.units.map((unit) => shownUnit(unit, angles)[1].replaceAll(" ", "\u00a0")));
  return units.size > 1 ? null : [...units][0] || "";
}

function largest(values) {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}

function bounded(quantity) {
  return quantity.high.some((bound) => bound !== null) || quantity.low.some((bound) => bound !== null);
}
