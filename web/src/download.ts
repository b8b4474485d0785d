// Charts as SVG or PNG and tables as CSV, made in the page without any request.

import { pictureTheme, withTheme } from "./theme";

const SCALE = 2;

/** Properties that a chart takes from the style sheet; a file must contain them. */
const CARRIED = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity",
  "stroke-linecap", "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight",
  "text-anchor", "dominant-baseline", "paint-order", "display", "visibility",
] as const;

export function downloadSvg(svg: SVGSVGElement, name: string): void {
  save(new Blob([picture(svg)], { type: "image/svg+xml" }), `${name}.svg`);
}

export async function downloadPng(svg: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = svg.getBoundingClientRect();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * SCALE);
  canvas.height = Math.round(height * SCALE);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser cannot draw images");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob !== null) save(blob, `${name}.png`);
}

export type Cell = string | number | boolean | null | undefined;

export function downloadCsv(header: string[], rows: Cell[][], name: string): void {
  save(new Blob([csv([header, ...rows])], { type: "text/csv" }), `${name}.csv`);
}

/** Rows in the format of RFC 4180; unknown values are empty. */
export function csv(rows: readonly (readonly Cell[])[]): string {
  const quoted = (cell: Cell): string => {
    const text = cell === null || cell === undefined ? "" : String(cell);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return rows.map((row) => row.map(quoted).join(",") + "\r\n").join("");
}

/** The chart as a standalone file in the theme of pictures; nothing is painted in between. */
function picture(svg: SVGSVGElement): string {
  return withTheme(pictureTheme(), () => standalone(svg));
}

/** The chart as a standalone file: with its size, and every style written into its elements. */
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  if (!copy.hasAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const [originals, copies] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  originals.forEach((original, index) => {
    const style = getComputedStyle(original);
    const target = copies[index];
    for (const name of CARRIED) target?.setAttribute(name, style.getPropertyValue(name));
    // The style would override the attributes, with colours that only this page defines.
    target?.removeAttribute("style");
  });
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [attribute, value] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor })) {
    paper.setAttribute(attribute, value);
  }
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^\w.+-]+/g, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
