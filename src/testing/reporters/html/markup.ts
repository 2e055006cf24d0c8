/** HTML that cannot be broken out of: everything put into a template is escaped, unless it is markup itself. */
import { stripEscapes } from "../../../core/text.ts";

/** Text that is HTML already; made by `escaped` alone. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes: nothing, text, numbers, markup, or lists of those. */
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
