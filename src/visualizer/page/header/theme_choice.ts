/// <reference lib="dom" />
/** Light or dark: as the system is, until somebody says otherwise. */
import { effect, signal } from "@preact/signals";
import { readPreference, writePreference } from "../read_preference.ts";

export type ThemeChoice = "system" | "light" | "dark";
const themes: readonly ThemeChoice[] = ["system", "light", "dark"];

export const theme = signal<ThemeChoice>("system");

export const nextTheme = (): void => {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
};

export function keepTheme(): void {
  theme.value = themes.find((name) => name === readPreference("theme")) ?? "system";
  effect(() => {
    const { dataset } = document.documentElement;
    if (theme.value === "system") delete dataset.theme;
    else dataset.theme = theme.value;
    writePreference("theme", theme.value);
  });
}
