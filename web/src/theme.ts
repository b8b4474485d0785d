// Light, dark, or the system's theme; remembered in the browser.

type Theme = "light" | "dark" | "system";

const KEY = "untilt-theme";

let arePicturesAsShown = false;

function currentTheme(): Theme {
  const stored = remembered();
  return stored === "light" || stored === "dark" ? stored : "system";
}

function applyTheme(theme: Theme = currentTheme()): void {
  const dark = theme === "dark" || (theme === "system" && systemIsDark().matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

/** Switch between light and dark. */
export function toggleTheme(): void {
  const next = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark";
  remember(next);
  applyTheme(next);
}

/** Do something as if the page had the given theme, then restore its own. */
export function withTheme<T>(theme: "light" | "dark", act: () => T): T {
  const root = document.documentElement;
  const before = root.dataset["theme"];
  root.dataset["theme"] = theme;
  try {
    return act();
  } finally {
    root.dataset["theme"] = before ?? "light";
  }
}

/** Pictures are light, for paper and slides, unless the page is dark and the user wants them as shown. */
export function pictureTheme(): "light" | "dark" {
  const isDark = document.documentElement.dataset["theme"] === "dark";
  return isDark && arePicturesAsShown ? "dark" : "light";
}

export function setPicturesAsShown(isOn: boolean): void {
  arePicturesAsShown = isOn;
}

export function followSystemTheme(): void {
  applyTheme();
  systemIsDark().addEventListener("change", () => applyTheme());
  // Paper is light.
  addEventListener("beforeprint", () => applyTheme("light"));
  addEventListener("afterprint", () => applyTheme());
}

function systemIsDark(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}

// A browser that blocks storage throws on any access to it.

function remembered(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The theme then lasts until the page is closed.
  }
}
