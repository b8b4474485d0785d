// Light, dark, or the system's theme; remembered in the browser.

type Theme = "light" | "dark" | "system";

const KEY = "untilt-theme";

function currentTheme(): Theme {
  const stored = remembered();
  return stored === "light" || stored === "dark" ? stored : "system";
}

function applyTheme(theme: Theme = currentTheme()): void {
  const dark = theme === "dark" || (theme === "system" && systemIsDark().matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

/** Switch to the other of light and dark. */
export function toggleTheme(): void {
  const next = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark";
  remember(next);
  applyTheme(next);
}

export function followSystemTheme(): void {
  applyTheme();
  systemIsDark().addEventListener("change", () => applyTheme());
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
