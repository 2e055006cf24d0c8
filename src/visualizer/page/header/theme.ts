/// <reference lib="dom" />
/** Light or dark: as the system is, until somebody says otherwise. */
import { effect, signal } from "@preact/signals";
import { remember, remembered } from "../remembered.ts";

export type Theme = "system" | "light" | "dark";
const themes: readonly Theme[] = ["system", "light", "dark"];

export const theme = signal<Theme>("system");

export const nextTheme = (): void => {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
};

export function keepTheme(): void {
  theme.value = themes.find((name) => name === remembered("theme")) ?? "system";
  effect(() => {
    const { dataset } = document.documentElement;
    if (theme.value === "system") delete dataset.theme;
    else dataset.theme = theme.value;
    remember("theme", theme.value);
  });
}
