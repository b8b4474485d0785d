// The head of a panel: title, note and read-outs in one line if there is room, else in several.

import { BOLD, GAP, LETTER, type Layer, type Panel, type Span, type Text } from "./panel_model";

const TEXT_LINE = 18;
/** Width of the line sample next to a name in pixels, and of a read-out in letters. */
const SAMPLE = 20;
const READOUT_LETTERS = 10;

export interface Head {
  /** Where the plot begins below it. */
  bottom: number;
  /** By series: where its value is written. */
  readouts: Text[];
}

export function drawHead(group: Layer, panel: Panel, above: number, { left, right }: Span): Head {
  const inner = right - left;
  const noteWidth = panel.note ? GAP + LETTER * panel.note.length : 0;
  const titleEnd = BOLD * panel.title.length + noteWidth;
  // A name wider than the panel is truncated too.
  const most = Math.max(3, Math.floor((inner - SAMPLE - 6) / LETTER) - READOUT_LETTERS);
  const names = panel.series.map((series) => Math.min(most, series.name.length));
  const slot = LETTER * (Math.max(...names, 3) + READOUT_LETTERS) + SAMPLE + 6;
  const isInLine = titleEnd + GAP + names.length * slot <= inner;
  let base = above + 13;
  const title = write(group, "title", panel.title, left, base, inner / BOLD);
  if (panel.note && titleEnd <= inner) {
    title.append("tspan").attr("class", "note").attr("dx", GAP).text(panel.note);
  } else if (panel.note) {
    base += TEXT_LINE;
    write(group, "note", panel.note, left, base, inner / LETTER);
  }
  const perLine = isInLine ? names.length : Math.max(1, Math.floor(inner / slot));
  const start = isInLine ? right - names.length * slot : left;
  const readouts = panel.series.map((series, index) => {
    if (!isInLine && index % perLine === 0) base += TEXT_LINE;
    const x = start + (index % perLine) * slot;
    group.append("line").attr("class", `series ${series.style}`)
      .attr("x1", x).attr("x2", x + SAMPLE).attr("y1", base - 4).attr("y2", base - 4);
    write(group, "name", series.name, x + SAMPLE + 6, base, most);
    return group.append("text").attr("class", "readout").attr("text-anchor", "end")
      .attr("x", x + slot - 12).attr("y", base);
  });
  return { bottom: base + 11, readouts };
}

/** A text truncated to this many letters; the full text is its title. */
function write(group: Layer, name: string, text: string, x: number, y: number, letters: number): Text {
  const isLong = text.length > letters;
  const element = group.append("text").attr("class", name).attr("x", x).attr("y", y)
    .text(isLong ? `${text.slice(0, Math.max(1, Math.floor(letters) - 1))}…` : text);
  if (isLong) element.append("title").text(text);
  return element;
}
