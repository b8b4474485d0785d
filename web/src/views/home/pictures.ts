// Small pictures of the three doors, drawn from what is behind them: a range that bets and checks, the hands that are
// pushed, and a bluff in three cards.

const NAMESPACE = "http://www.w3.org/2000/svg";
const SIDE = 13;

/** What hands of the example river do, a letter a cell: c checks, b bets, m mixes, a dot is not here. */
const RIVER = [
  "mcbmbmm..cb..", "cmbcbc.......", "bbbbb........", "m..cb........", "....b........", ".....mccm....", ".......cmcm..",
  "........mcb..", ".........mc..", "..........c..", ".............", ".............", ".............",
];
/** How many suited, and how many offsuit hands below the diagonal are pushed at 11 bb, by rank. */
const PUSHED = [13, 13, 13, 11, 10, 10, 10, 11, 11, 12, 11, 12, 13];

export function river(): SVGElement {
  const styles: Record<string, string> = { c: "action-check", b: "action-bet-0", m: "action-bet-1" };
  return grid((row, column) => styles[RIVER[row]?.charAt(column) ?? ""] ?? "");
}

export function pushFold(): SVGElement {
  return grid((row, column) => {
    const isOffsuit = column < row;
    const isPushed = isOffsuit ? column < 2 || row < 7 - Math.max(0, column - 4) : column < (PUSHED[row] ?? 0);
    return isPushed ? "action-all-in" : "action-fold";
  });
}

export function kuhn(): SVGElement {
  const svg = picture(130, 130);
  ["J", "Q", "K"].forEach((card, index) => {
    const group = add(svg, "g", { transform: `translate(${14 + 36 * index},18)` });
    add(group, "rect", { class: "door-card", width: 30, height: 42, rx: 4 });
    add(group, "text", { class: "door-rank", x: 15, y: 28 }).textContent = card;
    // How often a card bets first at one of the equilibria.
    const share = [1 / 3, 0, 1][index] ?? 0;
    add(group, "rect", { class: "fill action-check", y: 52, width: 30, height: 44 });
    add(group, "rect", { class: "fill action-bet-1", y: 52 + 44 * (1 - share), width: 30, height: 44 * share });
  });
  return svg;
}

function grid(styleOf: (row: number, column: number) => string): SVGElement {
  const svg = picture(130, 130);
  for (let row = 0; row < SIDE; row += 1) {
    for (let column = 0; column < SIDE; column += 1) {
      add(svg, "rect", { class: `fill ${styleOf(row, column)}`, x: 10 * column, y: 10 * row, width: 9.3, height: 9.3 });
    }
  }
  return svg;
}

function picture(width: number, height: number): SVGElement {
  const svg = document.createElementNS(NAMESPACE, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return svg;
}

function add(parent: SVGElement, name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent.append(element);
  return element;
}
