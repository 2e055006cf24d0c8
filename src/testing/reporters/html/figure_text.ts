/** Numbers as people read them in the page, and small bars of SVG (its attributes need no inline style). */
import { lineRanges } from "../../coverage/line_ranges.ts";
import { type HtmlValue, type Markup, markup, trustedMarkup } from "./markup.ts";

/** 87 % */
export const percentText = (covered: number, total: number): string =>
  total === 0 ? "–" : `${covered === total ? 100 : Math.min(99, Math.floor((100 * covered) / total))} %`;

/** 940 B, 1.2 kB, 38 MB; negative where something shrank. */
export function bytesText(amount: number): string {
  const sign = amount < 0 ? "−" : "";
  let value = Math.abs(amount);
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (value < 1000 || unit === "GB") return `${sign}${shortNumber(value)} ${unit}`;
    value /= 1000;
  }
  return `${sign}${shortNumber(value)} TB`;
}

/** 0.31, 2.5, 18, 1,204 */
export function shortNumber(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(2)));
}

/** A bar of `width` percent of its place. */
export function barMarkup(share: number, tone: "good" | "fair" | "bad" | "plain", label: string): Markup {
  const width = Math.round(Math.max(0, Math.min(1, Number.isFinite(share) ? share : 0)) * 1000) / 10;
  return markup`<svg class="bar ${tone}" ${asBar} aria-label="${label}"><rect class="rail" width="100" height="8"/>
<rect class="fill" width="${width}" height="8"/></svg>`;
}

const asBar = trustedMarkup(`role="img" viewBox="0 0 100 8" preserveAspectRatio="none"`);

/** Parts of a whole in one bar, in order. */
export function stackedBar(parts: readonly { tone: string; amount: number }[], label: string): Markup {
  const total = parts.reduce((sum, { amount }) => sum + amount, 0);
  let x = 0;
  const pieces: HtmlValue[] = parts.filter(({ amount }) => amount > 0).map(({ tone, amount }) => {
    const width = (100 * amount) / total;
    const piece = markup`<rect class="${tone}" x="${x.toFixed(3)}" width="${width.toFixed(3)}" height="8"/>`;
    x += width;
    return piece;
  });
  return markup`<svg class="stack" ${asBar} aria-label="${label}">${pieces}</svg>`;
}

/** Lines as ranges: 3–7, 12. */
export const rangesText = (lines: readonly number[]): string =>
  lineRanges(lines).map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join(", ");
