// Numbers: from base64, and for people as linkwork/formatting.py writes them.

function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function floatsOf(text) {
  return new Float64Array(bytesOf(text).buffer);
}

const DEGREE = Math.PI / 180;
const SHOWN = {"rad": [1 / DEGREE, "deg"], "rad/s": [1 / DEGREE, "deg/s"]};

/** The unit in which people read a quantity, and the factor to it; `angles` is that of the robot file. */
function shownUnit(unit, angles) {
  return (angles === "deg" && SHOWN[unit]) || [1, unit];
}

/** Four significant digits, thousands apart; a dash for what is not a number. */
function numberText(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  const rounded = Number(value.toPrecision(digits)), size = Math.abs(rounded);
  if (size === 0) return "0";
  if (size < 1e-4 || size >= 1e7) return trimmed(rounded.toExponential(digits - 1)).replace(/^-/, "−");
  const decimals = Math.max(digits - 1 - Math.floor(Math.log10(size)), 0);
  let text = rounded.toFixed(Math.min(decimals, 20));
  if (text.includes(".")) text = text.replace(/\.?0+$/, "");
  if (size >= 1e4) text = text.replace(/\B(?=(\d{3})+(?!\d))/g, "\u00a0");
  return text.replace("-", "−");
}

function trimmed(text) {
  const [mantissa, power] = text.split("e");
  return `${mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa}e${Number(power)}`;
}
