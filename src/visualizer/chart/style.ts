/** Colours and styles of charts: one text for the page, for SVG files and for PNG. */

export type Theme = "light" | "dark";

/** Colours by what they are for; texts keep a contrast of 4.5 and more on the fills beneath them. */
const themes: Record<Theme, Record<string, string>> = {
  light: {
    paper: "#ffffff",
    inside: "#f4f6f9",
    leaf: "#ffffff",
    border: "#8b95a3",
    text: "#1c2430",
    quiet: "#566070",
    line: "#8b95a3",
    event: "#1f4fa3",
    after: "#7a3fb8",
    done: "#1a6b3c",
    error: "#b3261e",
    active: "#dcebff",
    "active-border": "#1766d6",
    taken: "#a84206",
    refused: "#b3261e",
  },
  dark: {
    paper: "#12161d",
    inside: "#1a202a",
    leaf: "#232b37",
    border: "#5e6b7d",
    text: "#e7ecf3",
    quiet: "#a7b2c1",
    line: "#6f7d90",
    event: "#9cc1ff",
    after: "#d0aaff",
    done: "#7fd6a2",
    error: "#ff9d94",
    active: "#143a6d",
    "active-border": "#6cb0ff",
    taken: "#ffb066",
    refused: "#ff9d94",
  },
};

const rules = `
.chart { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; }
.chart .box { fill: var(--chart-leaf); stroke: var(--chart-border); stroke-width: 1; }
.chart .outer > .box { fill: var(--chart-inside); }
.chart .level > .box { fill: var(--chart-paper); }
.chart .region > .box { stroke-dasharray: 5 4; }
.chart .inner { fill: none; stroke: var(--chart-border); stroke-width: 1; }
.chart .rule { stroke: var(--chart-border); stroke-width: 1; stroke-opacity: 0.5; }
.chart .name { font-size: 13px; font-weight: 600; fill: var(--chart-text); }
.chart .row { font-size: 11px; fill: var(--chart-quiet); }
.chart .work { fill: var(--chart-done); }
.chart .line { fill: none; stroke: var(--chart-line); stroke-width: 1.3; }
.chart .head, .chart .dot { fill: var(--chart-line); }
.chart .pill { fill: var(--chart-inside); }
.chart .pill.level { fill: var(--chart-paper); }
.chart .label { font-size: 11px; text-anchor: middle; fill: var(--chart-quiet); }
.chart .event { fill: var(--chart-event); }
.chart .after { fill: var(--chart-after); }
.chart .done { fill: var(--chart-done); }
.chart .error { fill: var(--chart-error); }
.chart .active > .box { fill: var(--chart-active); stroke: var(--chart-active-border); stroke-width: 2; }
.chart .active > .inner { stroke: var(--chart-active-border); }
.chart .outer.active > .box { fill-opacity: 0.1; stroke-width: 1.5; }
.chart .edge.taken > .line { stroke: var(--chart-taken); stroke-width: 2.6; }
.chart .edge.taken > .head { fill: var(--chart-taken); }
.chart text.taken { fill: var(--chart-taken); font-weight: 700; }
.chart .edge.refused > .line { stroke: var(--chart-refused); stroke-dasharray: 4 3; }
.chart .edge.refused > .head { fill: var(--chart-refused); }
.chart text.refused { fill: var(--chart-refused); text-decoration: line-through; }
`;

const colours = (theme: Theme): string =>
  Object.entries(themes[theme]).map(([name, colour]) => `--chart-${name}: ${colour};`).join(" ");

/** The style of charts: light or dark as the system is, unless an element around it says `data-theme`. */
export const chartStyle = `.chart { ${colours("light")} }
@media (prefers-color-scheme: dark) { .chart { ${colours("dark")} } }
[data-theme="light"] .chart { ${colours("light")} }
[data-theme="dark"] .chart { ${colours("dark")} }
${rules.trim()}
`;

/** The same in one theme and without variables, for programs that know none. */
export const plainStyle = (theme: Theme): string =>
  rules.trim().replace(/var\(--chart-([\w-]+)\)/g, (_, name: string) => themes[theme][name]!);
