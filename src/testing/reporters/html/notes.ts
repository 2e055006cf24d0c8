/** Things to know beside the numbers. */
import { escaped, type Markup, nothing } from "./markup.ts";
import { shortened } from "./shortened.ts";

export const notes = (all: readonly string[]): Markup =>
  all.length === 0
    ? nothing
    : escaped`<ul class="notes">${all.map((note) => escaped`<li>${shortened(note, 1000)}</li>`)}</ul>`;
