// What is wrong with how the page looks now: a list of sentences, empty if nothing is.
// Evaluated in the page by test_matrix.py; everything is computed from boxes and computed styles.

({ content, leastContrast, isLayoutKnown }) => {
  const problems = [];
  const say = (text) => { if (problems.length < 12) problems.push(text); };
  const NEAR = 1.5; // pixels that boxes may share: borders, and letters that reach out of their line

  const name = (element) => {
    const classes = typeof element.className === "string" ? element.className : element.className?.baseVal ?? "";
    const text = (element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 30);
    return `${element.localName}.${classes.trim().split(/\s+/).slice(0, 2).join(".")} “${text}”`;
  };

  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  const shared = (one, other) => ({
    left: Math.max(one.left, other.left), right: Math.min(one.right, other.right),
    top: Math.max(one.top, other.top), bottom: Math.min(one.bottom, other.bottom),
  });

  /** The box that an element and its ancestors clip their content to, and their common opacity. */
  const frames = new Map();
  const frameOf = (element) => {
    if (element === null) return { box: { left: 0, top: 0, right: innerWidth, bottom: innerHeight }, opacity: 1 };
    if (!frames.has(element)) {
      const style = getComputedStyle(element);
      const above = frameOf(element.parentElement);
      const isFree = style.position === "fixed";
      const clips = /auto|scroll|hidden|clip/.test(style.overflowX + style.overflowY)
        && !(element instanceof SVGElement && element.localName !== "svg");
      const around = isFree ? frameOf(null).box : above.box;
      const box = clips ? shared(around, element.getBoundingClientRect()) : around;
      frames.set(element, { box, opacity: above.opacity * Number(style.opacity) });
    }
    return frames.get(element);
  };

  /** The part of a box that nothing cuts off. */
  const cropped = (rect, element, from = element.parentElement) => {
    const box = shared(rect, frameOf(from).box);
    return box.right - box.left > 1 && box.bottom - box.top > 1 ? box : null;
  };

  // 1. Nothing to scroll to sideways, and the content is in sight.
  if (document.documentElement.scrollWidth > innerWidth) say(`the page is ${document.documentElement.scrollWidth} px wide`);
  const stage = document.querySelector(".stage");
  if (stage.scrollWidth > stage.clientWidth + 1) say(`the stage is ${stage.scrollWidth} px wide in ${stage.clientWidth}`);
  const main = [...document.querySelectorAll(content)].find(isShown);
  const seen = main && cropped(main.getBoundingClientRect(), main);
  if (!seen) say(`nothing of ${content} is in sight`);
  else if (seen.bottom - seen.top < Math.min(48, 0.9 * main.getBoundingClientRect().height)) {
    say(`only ${Math.round(seen.bottom - seen.top)} px of ${content} are in sight`);
  }

  // 2. All texts and controls with their boxes.
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !isShown(element) || element.closest("noscript, script, style, title, .spoken, option")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (rect.width < 1 || rect.height < 1) continue;
      const box = cropped(rect, element, element);
      if (box !== null) texts.push({ element, box, rect });
    }
  }
  const boxes = [...document.querySelectorAll("button, input, select, .cell, .panel, .readout, .legend, .key")]
    .filter((element) => isShown(element) && !element.closest(".spoken"))
    .flatMap((element) => {
      const box = cropped(element.getBoundingClientRect(), element);
      return box === null ? [] : [{ element, box }];
    });

  // 3. Nothing covers anything else, unless one contains the other.
  const all = isLayoutKnown ? [] : [...texts, ...boxes].sort((one, other) => one.box.top - other.box.top);
  const related = (one, other) => one === other || one.contains(other) || other.contains(one);
  for (let i = 0; i < all.length; i += 1) {
    for (let j = i + 1; j < all.length && all[j].box.top < all[i].box.bottom - NEAR; j += 1) {
      const [one, other] = [all[i], all[j]];
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      // Lines of text are closer together than their boxes are high.
      const share = one.rect && other.rect ? 4 : NEAR;
      if (wide <= NEAR || high <= share || related(one.element, other.element)) continue;
      say(`${name(one.element)} and ${name(other.element)} share ${Math.round(wide)} × ${Math.round(high)} px`);
    }
  }

  // 4. No text is cut off, except where dots say so and the whole text can be read elsewhere.
  for (const { element, rect } of isLayoutKnown ? [] : texts) {
    const svg = element.ownerSVGElement;
    if (svg) {
      const frame = svg.getBoundingClientRect();
      const out = Math.max(frame.left - rect.left, rect.right - frame.right, frame.top - rect.top, rect.bottom - frame.bottom);
      if (out > 2) say(`${name(element)} is ${Math.round(out)} px outside its chart`);
      continue;
    }
    for (let up = element; up !== null && up !== document.body; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (!/hidden|clip/.test(style.overflowX) || up.clientWidth === 0) continue;
      if (up.scrollWidth <= up.clientWidth + 1) continue;
      const isDotted = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      if (!isDotted || !up.closest("[title], [aria-label]")) say(`${name(up)} is cut off: ${up.scrollWidth} px in ${up.clientWidth}`);
      break;
    }
  }

  // 5. Contrast of texts with what is behind them.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parsed = new Map();
  const rgba = (text) => {
    if (!parsed.has(text)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = "#000";
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      parsed.set(text, [r, g, b, a / 255]);
    }
    return parsed.get(text);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = rgba(getComputedStyle(document.body).backgroundColor);
  const checked = new Set();
  for (const { element, box } of texts) {
    if (checked.has(element) || element.closest(":disabled, [aria-disabled='true']")) continue;
    checked.add(element);
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const stack = document.elementsFromPoint(x, y);
    // Every colour that may be there: a gradient has several.
    let behind = [paper];
    for (const below of stack.reverse()) {
      const style = getComputedStyle(below);
      if (below instanceof SVGTextElement || below instanceof SVGSVGElement || below.localName === "title") continue;
      const isShape = below instanceof SVGElement && /^(rect|circle|path)$/.test(below.localName);
      const opacity = (isShape ? Number(style.fillOpacity) : 1) * Number(style.opacity);
      const paint = isShape ? style.fill : style.backgroundColor;
      const painted = ([r, g, b, a]) => behind.map((under) => over([r, g, b, a * opacity], under));
      if (paint !== "none" && !paint.startsWith("url")) behind = painted(rgba(paint));
      const shades = isShape ? [] : style.backgroundImage.match(/rgba?\([^)]*\)|color\([^)]*\)|oklab\([^)]*\)/g) ?? [];
      if (shades.length > 0) behind = shades.flatMap((shade) => painted(rgba(shade)));
    }
    const style = getComputedStyle(element);
    // A text with a halo is read against the halo.
    const hasHalo = style.paintOrder.startsWith("stroke") && style.stroke !== "none" && parseFloat(style.strokeWidth) >= 2;
    if (hasHalo && rgba(style.stroke)[3] > 0.8) behind = [rgba(style.stroke)];
    const [r, g, b, a] = rgba(element instanceof SVGElement ? style.fill : style.color);
    const { opacity } = frameOf(element);
    const ratio = Math.min(...behind.map((under) => {
      const front = over([r, g, b, a * opacity], under);
      const [light, dark] = [luminance(front), luminance(under)].sort((one, other) => other - one);
      return (light + 0.05) / (dark + 0.05);
    }));
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : leastContrast)) say(`${name(element)} has a contrast of ${ratio.toFixed(2)}`);
  }

  // 6. Every control has a name, every main part a heading, and no text is smaller than 12 px.
  const labelOf = (element) => element.getAttribute("aria-label") ?? document.getElementById(element.getAttribute("aria-labelledby"))?.textContent;
  const nameOf = (element) => {
    const label = labelOf(element);
    const isField = /^(input|select|textarea)$/.test(element.localName);
    return (label ?? element.labels?.[0]?.textContent ?? (isField ? "" : element.textContent) ?? "").trim() || element.title;
  };
  for (const element of isLayoutKnown ? [] : document.querySelectorAll("button, a[href], input, select, textarea, summary, [role=gridcell]")) {
    if (isShown(element) && !nameOf(element)) say(`${name(element)} has no name: ${element.outerHTML.slice(0, 80)}`);
  }
  if (!document.querySelector("main :is(h1, h2)")) say("the main part has no heading");
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  if (new Set(ids).size < ids.length) say("two elements have one id");
  for (const { element } of isLayoutKnown ? [] : texts) {
    const size = parseFloat(getComputedStyle(element).fontSize);
    // Letters of charts are scaled with them.
    if (!element.ownerSVGElement && size < 11.9) say(`${name(element)} is ${size} px small`);
  }

  // 7. Rules of WCAG 2.2 that a machine can check. Targets have 24 × 24 px, or room around them (2.5.8).
  const TARGETS = "button, a[href], input:not([type='hidden']), select, textarea, summary";
  const LEAST_TARGET = 23.5; // borders are rounded to pixels
  const targets = (isLayoutKnown ? [] : [...document.querySelectorAll(TARGETS)]).filter((element) => isShown(element) && !element.closest(".spoken, .skip"))
    .map((element) => {
      // A click on the label is a click on its box.
      const label = /^(checkbox|radio)$/.test(element.type ?? "") ? element.closest("label") : null;
      return { element, box: (label ?? element).getBoundingClientRect() };
    }).filter(({ element, box }) => box.width > 0 && cropped(box, element) !== null);
  for (const { element, box } of targets) {
    if (Math.min(box.width, box.height) >= LEAST_TARGET) continue;
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const isCrowded = targets.some((other) => {
      if (other.element === element || related(element, other.element)) return false;
      const wide = Math.max(other.box.left - x, x - other.box.right, 0);
      const high = Math.max(other.box.top - y, y - other.box.bottom, 0);
      return Math.hypot(wide, high) < 12;
    });
    if (isCrowded) say(`${name(element)} is a target of ${Math.round(box.width)} × ${Math.round(box.height)} px beside others`);
  }
  // What assistive technology is told: one language and main part, references that lead somewhere, known roles, and
  // nothing to operate within something else to operate, or hidden from those who only hear.
  const ROLES = new Set(("alert alertdialog article button cell checkbox columnheader dialog figure grid gridcell group heading img link list listbox "
    + "listitem log main menu menubar menuitem menuitemradio meter navigation none note option presentation progressbar radio radiogroup region row "
    + "rowgroup rowheader scrollbar search separator slider spinbutton status switch tab table tablist tabpanel textbox timer toolbar tooltip tree treeitem").split(" "));
  const NEEDED = { slider: ["aria-valuenow"], checkbox: ["aria-checked"], menuitemradio: ["aria-checked"], heading: ["aria-level"], option: [], scrollbar: ["aria-controls"] };
  const MUST_BE_IN = { row: "[role=grid], [role=table], [role=rowgroup], table", gridcell: "[role=row]", menuitemradio: "[role=menu], [role=group]", menuitem: "[role=menu]",
    listitem: "[role=list], ul, ol", option: "[role=listbox], select, datalist", tab: "[role=tablist]" };
  if (!document.documentElement.lang) say("the page has no language");
  if (document.querySelectorAll("main, [role=main]").length !== 1) say("the page has not one main part");
  for (const element of isLayoutKnown ? [] : document.querySelectorAll("body *")) {
    if (!isShown(element)) continue;
    for (const reference of ["aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-activedescendant", "for"]) {
      for (const id of (element.getAttribute(reference) ?? "").split(/\s+/).filter(Boolean)) {
        if (document.getElementById(id) === null) say(`${name(element)}: ${reference} leads to nothing (${id})`);
      }
    }
    const role = element.getAttribute("role");
    if (role !== null && !ROLES.has(role)) say(`${name(element)} has the unknown role ${role}`);
    for (const needed of NEEDED[role] ?? []) if (!element.hasAttribute(needed)) say(`${name(element)} is a ${role} without ${needed}`);
    if (role in MUST_BE_IN && element.closest(MUST_BE_IN[role]) === null) say(`${name(element)} is a ${role} outside of what has them`);
    if (element.tabIndex > 0) say(`${name(element)} is out of the order of the tab key`);
    const isOperated = element.matches(`${TARGETS}, [tabindex='0']`);
    if (isOperated && element.closest("[aria-hidden='true']") !== null) say(`${name(element)} is hidden from those who hear the page`);
    const outer = element.matches("button, a[href], input, select, textarea") && element.parentElement.closest("button, a[href]");
    if (outer) say(`${name(element)} is within ${name(outer)}`);
    if (element.localName === "img" && !element.hasAttribute("alt")) say(`${name(element)} has no text in its place`);
    if (role === "img" && !nameOf(element) && !element.querySelector("title")) say(`${name(element)} is a picture without a name`);
    if (/^(ul|ol)$/.test(element.localName) && !role && [...element.children].some((child) => !/^(li|script|template)$/.test(child.localName))) say(`${name(element)} has other children than items`);
    if (/^(grid|group|region|navigation|dialog|menu|list|listbox|radiogroup)$/.test(role ?? "") && role !== "group" && role !== "list" && !labelOf(element)) say(`${name(element)} is a ${role} without a name`);
  }

  // 8. The colours in which kinds of actions are painted, compared by the test.
  const colours = {};
  for (const element of document.querySelectorAll("[class*='action-']")) {
    const kind = /(?:^|\s)action-(fold|check|call|all-in|bet-\d|other-\d)(?:\s|$)/.exec(element.getAttribute("class"))?.[1];
    if (kind === undefined || !isShown(element)) continue;
    const style = getComputedStyle(element);
    const painted = element instanceof SVGElement
      ? (/^(path|line)$/.test(element.localName) ? style.stroke : style.fill) : style.backgroundColor;
    // What is not painted in full, such as a button with a coloured edge or a row that is never reached, has the
    // colour at hand.
    const isFull = element.matches(".segment, .swatch, .series") && element.closest(".unreached") === null
      && painted !== "none" && !painted.startsWith("url") && rgba(painted)[3] === 1;
    const colour = rgba(isFull ? painted : style.getPropertyValue("--colour").trim());
    (colours[kind] ??= new Set()).add(colour.slice(0, 3).join());
  }
  return { problems, colours: Object.fromEntries(Object.entries(colours).map(([kind, found]) => [kind, [...found]])) };
}
