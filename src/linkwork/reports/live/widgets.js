// Small parts of which controls are made.

function element(tag, kind = "", text = "") {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text) made.textContent = text;
  return made;
}

/** A labeled slider; `text` says how its value is shown. */
function slider(name, low, high, changed) {
  const row = element("label", "slider"), input = element("input"), output = element("output");
  input.type = "range";
  input.min = low;
  input.max = high;
  input.step = "any";
  row.append(element("span", "", name), input, output);
  const one = {row, input, output, text: numberText};
  input.addEventListener("input", () => changed(Number(input.value)));
  return one;
}

/** Shows a value; a slider that is being dragged is there already. */
function put(one, value) {
  const text = one.text(value);
  if (one.output.textContent !== text) {
    one.output.textContent = text;
    one.input.setAttribute("aria-valuetext", text);
  }
  if (Number(one.input.value) !== value) one.input.value = value;
}
