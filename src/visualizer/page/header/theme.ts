/// <reference lib="dom" />
/** Light or dark: as the system is, until somebody says otherwise. */
import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const themes: readonly Theme[] = ["system", "light", "dark"];
const key = "pth-viz-theme";

export const theme = signal<Theme>("system");

export const nextTheme = (): void => {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
};

/** Remembered by the browser; where it keeps nothing, the choice lasts as long as the page. */
export function keepTheme(): void {
  theme.value = themes.find((name) => name === remembered()) ?? "system";
  effect(() => {
    const { dataset } = document.documentElement;
    if (theme.value === "system") delete dataset.theme;
    else dataset.theme = theme.value;
    remember(theme.value);
  });
}

function remembered(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // A browser that blocks storage throws here.
    return null;
  }
}

function remember(name: Theme): void {
  try {
    localStorage.setItem(key, name);
  } catch {
    // As above: the choice is not remembered, and nothing else is lost.
  }
}
