// How wide a text is in a chart, estimated without drawing it.

const LETTER = 6.9;
const NARROW = 4;

/** Pixels at the font size of charts, erring on the high side. */
export function textWidth(text: string): number {
  return [...text].reduce((sum, letter) => sum + (/[ilI.,:;'|·\s]/.test(letter) ? NARROW : LETTER), 0);
}
