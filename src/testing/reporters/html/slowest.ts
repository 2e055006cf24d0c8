/** Where the time of the tests went. */
import type { Report } from "../../report/report_schema.ts";
import { duration } from "../text.ts";
import { bar } from "./figures.ts";
import { escaped, type Markup, nothing } from "./markup.ts";
import { shortened } from "./shortened.ts";

const named = 10;
/** Below this nobody asks. */
const worthTelling = 50;

export function slowestSection({ tests }: Report): Markup {
  const slow = tests.filter(({ duration_ms: took }) => took >= worthTelling)
    .sort((a, b) => b.duration_ms - a.duration_ms).slice(0, named);
  if (slow.length === 0) return nothing;
  const longest = slow[0]!.duration_ms;
  return escaped`<section id="slowest"><h2>Slowest tests</h2>
<div class="files">
${slow.map(({ name, duration_ms: took }) => row(name, took, longest))}</div></section>
`;
}

const row = (name: string, took: number, longest: number): Markup =>
  escaped`<div class="file"><span class="path">${shortened(name, 200)}</span>
${bar(took / longest, "plain", duration(took))}<span class="share">${duration(took)}</span></div>
`;
