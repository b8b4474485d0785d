// Small helpers that make elements. Text is always set as text, never as HTML.

type Child = Node | string | number | null | undefined | false;
type Listener = (event: never) => void;
type Attribute = string | number | boolean | null | undefined | Listener;

/** Make an element: `h("button", {class: "step", onclick: next, disabled: false}, "next")`. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.filter(isShown).map(asNode));
  return element;
}

/** Set an attribute; null, undefined and false remove it, functions become listeners. */
export function setAttribute(element: Element, name: string, value: Attribute): void {
  if (typeof value === "function") {
    element.addEventListener(name.replace(/^on/, ""), value as EventListener);
  } else if (value === null || value === undefined || value === false) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Replace all children. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter(isShown).map(asNode));
}

function isShown(child: Child): child is Node | string | number {
  return child !== null && child !== undefined && child !== false;
}

function asNode(child: Node | string | number): Node | string {
  return typeof child === "number" ? String(child) : child;
}

let lastNumber = 0;

/** An id that is unique on the page. */
export function freshId(stem: string): string {
  lastNumber += 1;
  return `${stem}-${lastNumber}`;
}

/** Change the text only if it differs, which keeps a selection and does not disturb screen readers. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
