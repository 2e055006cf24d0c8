/** Things to know beside the numbers. */
import { emptyMarkup, type Markup, markup } from "./markup.ts";
import { shortenedText } from "./shortened_text.ts";

export const reportNotes = (all: readonly string[]): Markup =>
  all.length === 0
    ? emptyMarkup
    : markup`<ul class="notes">${all.map((note) => markup`<li>${shortenedText(note, 1000)}</li>`)}</ul>`;
