// Numbers formatted for people. An unknown number is a dash.

const DASH = "–";
const MINUS = "−";

/** Three significant digits, with powers of ten for very small and large numbers: 8.07e−7, 0.0123, 41,200. */
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e7) {
    return value.toExponential(2).replace(/-/g, MINUS).replace("e+", "e");
  }
  // 999.6 has four digits once it is rounded.
  if (size >= 999.5) return count(value);
  return String(Number(value.toPrecision(3))).replace("-", MINUS);
}

/** Three significant digits, in millions if at least one million: 41,200, 1.36 M. */
export function millions(value: number): string {
  return value < 1e6 ? short(value) : `${short(value / 1e6)} M`;
}

/** An integer with grouped thousands. */
export function count(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  return Math.round(value).toLocaleString("en-US").replace("-", MINUS);
}

/** A signed amount with fixed decimals: +0.125, −1.000. */
export function signed(value: number | null | undefined, decimals = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const text = Math.abs(value).toFixed(decimals);
  if (Number(text) === 0) return text;
  return (value < 0 ? MINUS : "+") + text;
}

/** A number with its unit; an unknown number stays a dash. */
export function withUnit(text: string, unit: string): string {
  return text === DASH ? text : `${text} ${unit}`;
}

/** The singular of a unit: chip for chips, bb for bb. */
export function oneOf(unit: string): string {
  return unit.replace(/s$/, "");
}

/** A share of 1 in percent: 33.3 %; exact 0 and 1 without decimals. */
export function percent(share: number | null | undefined, decimals = 1): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return DASH;
  if (share === 0 || share === 1) return `${100 * share} %`;
  return `${(100 * share).toFixed(decimals)} %`;
}

/** A span of time: 12 ms, 3.4 s, 2:05, 1:02:03. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return DASH;
  if (seconds < 0.01) return `${Number((1000 * seconds).toPrecision(2))} ms`;
  if (seconds < 0.9995) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (part: number): string => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** A short local date and time. */
export function moment(iso: string | null): string {
  if (iso === null) return DASH;
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return DASH;
  return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** A tick of a logarithmic axis: 10 to a superscript power, or the plain number near 1. */
export function powerOfTen(value: number): string {
  const power = Math.round(Math.log10(value));
  if (power >= 0 && power <= 4) return count(10 ** power);
  if (power >= -2 && power < 0) return String(10 ** power);
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const raised = [...String(Math.abs(power))].map((digit) => digits[Number(digit)]).join("");
  return `10${power < 0 ? "⁻" : ""}${raised}`;
}
