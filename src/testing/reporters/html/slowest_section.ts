/** Where the time of the tests went. */
import type { Report } from "../../report/report_schema.ts";
import { formatDuration } from "../../../core/text.ts";
import { barMarkup } from "./figure_text.ts";
import { emptyMarkup, type Markup, markup } from "./markup.ts";
import { shortenedText } from "./shortened_text.ts";

const named = 10;
/** Below this nobody asks. */
const worthTelling = 50;

export function slowestSection({ tests }: Report): Markup {
  const slow = tests.filter(({ duration_ms: took }) => took >= worthTelling)
    .sort((a, b) => b.duration_ms - a.duration_ms).slice(0, named);
  if (slow.length === 0) return emptyMarkup;
  const longest = slow[0]!.duration_ms;
  return markup`<section id="slowest"><h2>Slowest tests</h2>
<div class="files">
${slow.map(({ name, duration_ms: took }) => row(name, took, longest))}</div></section>
`;
}

const row = (name: string, took: number, longest: number): Markup =>
  markup`<div class="file"><span class="path">${shortenedText(name, 200)}</span>
${barMarkup(took / longest, "plain", formatDuration(took))}<span class="share">${
    formatDuration(took)
  }</span></div>
`;
