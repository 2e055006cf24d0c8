/** HTML that cannot be broken out of: a template escapes all values that are no markup, and long texts are shortened. */
import { stripEscapes } from "../../../core/text.ts";

/** Text that is HTML already; made by `escaped` alone. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values that a template takes: nothing, text, numbers, markup, or lists of those. */
export type HtmlValue = Markup | string | number | undefined | readonly HtmlValue[];

/** The tag of templates; attributes must stand in double quotes. */
export const markup = (parts: TemplateStringsArray, ...pieces: readonly HtmlValue[]): Markup =>
  new Markup(
    parts.map((part, index) => part + (index < pieces.length ? render(pieces[index]) : "")).join(""),
  );

export const emptyMarkup = new Markup("");

/** Only for constants of the source, never for text from outside. */
export const trustedMarkup = (text: string): Markup => new Markup(text);

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escapeText = (text: string): string =>
  stripEscapes(text).replace(/[&<>"']/g, (character) => entities[character]!);

function render(piece: HtmlValue): string {
  if (piece === undefined) return "";
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === "string") return escapeText(piece);
  return typeof piece === "number" ? String(piece) : piece.map(render).join("");
}

export const reportNotes = (all: readonly string[]): Markup =>
  all.length === 0
    ? emptyMarkup
    : markup`<ul class="notes">${all.map((note) => markup`<li>${shortenedText(note, 1000)}</li>`)}</ul>`;

/** Characters of texts of tests in one page, together. */
const wholePage = 1_200_000;

/** Characters that one text may have, where so many tests have some. */
export const roomFor = (tests: number): number =>
  Math.max(200, Math.min(8000, Math.floor(wholePage / Math.max(1, tests) / 4)));

/** Keeps the beginning, or the end where that says more, and states how much is missing. */
export function shortenedText(text: string, room: number, keep: "beginning" | "end" = "beginning"): string {
  if (text.length <= room) return text;
  const missing = `… ${(text.length - room).toLocaleString("en-US")} more characters`;
  return keep === "beginning" ? `${text.slice(0, room)}\n${missing}` : `${missing}\n${text.slice(-room)}`;
}
