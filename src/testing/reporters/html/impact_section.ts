/** Which tests a change of a file concerns. */
import { count } from "../../../core/values.ts";
import type { Report } from "../../report/report_schema.ts";
import { emptyMarkup, type Markup, markup } from "./markup.ts";
import { reportNotes } from "./report_notes.ts";
import { shortenedText } from "./shortened_text.ts";

/** Named for one file; the JSON report has all. */
const mostNamed = 100;

const sources = {
  measured: "measured: what ran during each test",
  static: "from reading the source: what handlers import and call",
};

export function impactSection({ impact, tests }: Report): Markup {
  if (impact === undefined) return emptyMarkup;
  const names = new Map(tests.map(({ id, name }) => [id, name]));
  const files = new Map<string, string[]>();
  for (const { id, reaches } of impact.tests) {
    for (const path of new Set(reaches.map((reach) => reach.path))) {
      const reached = files.get(path) ?? [];
      reached.push(names.get(id) ?? id);
      files.set(path, reached);
    }
  }
  const rows = [...files].sort(([, a], [, b]) => b.length - a.length);
  return markup`<section id="impact"><h2>Impact <small>${sources[impact.source]}</small></h2>
${rows.map(([path, reached]) => fileOf(path, reached))}
${rows.length === 0 ? markup`<p>No test reaches any file that is known.</p>` : emptyMarkup}
${reportNotes(impact.notes)}</section>
`;
}

function fileOf(path: string, reached: readonly string[]): Markup {
  const left = reached.length - mostNamed;
  return markup`<details class="file"><summary><span class="path">${shortenedText(path, 200)}</span>
<span class="share">${count(reached.length, "test")}</span></summary>
<ul>${reached.slice(0, mostNamed).map((name) => markup`<li>${shortenedText(name, 200)}</li>`)}${
    left > 0 ? markup`<li>… ${left} more</li>` : emptyMarkup
  }</ul></details>
`;
}
