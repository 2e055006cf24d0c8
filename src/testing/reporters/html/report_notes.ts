/** Things to know beside the numbers. */
import { emptyMarkup, html, type Markup } from "./markup.ts";
import { shortenedText } from "./shortened_text.ts";

export const reportNotes = (all: readonly string[]): Markup =>
  all.length === 0
    ? emptyMarkup
    : html`<ul class="notes">${all.map((note) => html`<li>${shortenedText(note, 1000)}</li>`)}</ul>`;
