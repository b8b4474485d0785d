// Light, dark, or as the system has it; remembered in the browser.

type Theme = "light" | "dark" | "system";

const KEY = "untilt-theme";

export function currentTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function applyTheme(theme: Theme = currentTheme()): void {
  const dark = theme === "dark" || (theme === "system" && systemIsDark().matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

/** Switch to the other of light and dark. */
export function toggleTheme(): void {
  const next = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark";
  localStorage.setItem(KEY, next);
  applyTheme(next);
}

export function followSystemTheme(): void {
  applyTheme();
  systemIsDark().addEventListener("change", () => applyTheme());
}

function systemIsDark(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}
