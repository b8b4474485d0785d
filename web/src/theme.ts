// Light, dark, or as the system has it; remembered in the browser.

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

// A browser set to keep nothing throws at the mere mention of its storage.

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
    // Then it holds until the page is left.
  }
}
