// Numbers formatted for people. An unknown number is a dash.

const DASH = "–";
const MINUS = "−";

/** Three significant digits, with powers of ten for very small and large numbers: 8.07×10⁻⁷, 0.0123, 41,234. */
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e7) {
    const [lead = "", power = "0"] = value.toExponential(2).split("e");
    return `${lead.replace("-", MINUS)}×10${raised(Number(power))}`;
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
  return formatOf(0).format(Math.round(value)).replace("-", MINUS);
}

const formats = new Map<number, Intl.NumberFormat>();

/** Made once: `toLocaleString` makes a format for every number, which took half of the time of drawing a node. */
function formatOf(decimals: number): Intl.NumberFormat {
  let found = formats.get(decimals);
  if (found === undefined) {
    found = new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    formats.set(decimals, found);
  }
  return found;
}

/** An amount with fixed decimals: 0.125, −1,204.50. */
export function fixed(value: number | null | undefined, decimals = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const text = formatOf(decimals).format(Math.abs(value));
  return value < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}

/** A signed amount with fixed decimals: +0.125, −1.000. */
export function signed(value: number | null | undefined, decimals = 3): string {
  const text = fixed(value, decimals);
  return value !== null && value !== undefined && value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** A text with a capital letter, as a heading. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
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

/** A span of time: 12 ms, 3.4 s, 2 min 5 s, 27 min, 1 h 2 min. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return DASH;
  if (seconds < 0.01) return `${Number((1000 * seconds).toPrecision(2))} ms`;
  if (seconds < 0.9995) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 600) return parts(whole, "min", "s");
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : parts(minutes, "h", "min");
}

function parts(whole: number, unit: string, smaller: string): string {
  const rest = whole % 60;
  return `${count(Math.floor(whole / 60))} ${unit}${rest === 0 ? "" : ` ${rest} ${smaller}`}`;
}

/** A rough span of time, both ends to two digits: 20 to 45 s, 50 s to 2 min. */
export function durationRange(low: number, high: number): string {
  if (high < 0.1) return `less than ${duration(0.1)}`;
  const [first, second] = [duration(Number(low.toPrecision(2))), duration(Number(high.toPrecision(2)))];
  if (first === second) return first;
  const [number, ...unit] = first.split(" ");
  return `${unit.join(" ") === second.split(" ").slice(1).join(" ") ? number : first} to ${second}`;
}

/** A local date and time: 16 Nov, 03:37; with the year if that is not `now`'s. */
export function moment(iso: string | null, now = new Date()): string {
  const date = new Date(iso ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return DASH;
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: "numeric" as const };
  return date.toLocaleString("en-GB", { ...year, day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

/** A value that the user chose: numbers as in `short` but exact, true and false as words. */
export function plainValue(value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  if (Number.isInteger(value)) return count(value);
  return Math.abs(value) < 1e-3 || Math.abs(value) >= 1e7 ? short(value) : String(value).replace("-", MINUS);
}

/** A tick of a logarithmic axis: 10 to a superscript power, or the plain number near 1. */
export function powerOfTen(value: number): string {
  const power = Math.round(Math.log10(value));
  if (power >= 0 && power <= 4) return count(10 ** power);
  if (power >= -2 && power < 0) return String(10 ** power);
  return `10${raised(power)}`;
}

/** An integer as a superscript. */
function raised(power: number): string {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return (power < 0 ? "⁻" : "") + [...String(Math.abs(power))].map((digit) => digits[Number(digit)]).join("");
}
