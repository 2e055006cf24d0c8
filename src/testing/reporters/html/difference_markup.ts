/** Expected and actual: line by line where both are long, else one below the other. */
import { diffLines } from "diff";
import { showValue } from "../../../core/text.ts";
import { emptyMarkup, type Markup, markup } from "./markup.ts";
import { shortenedText } from "./shortened_text.ts";

/** A diff of more changes than this takes long and helps nobody. */
const mostEdits = 400;

export function differenceMarkup(expected: unknown, actual: unknown, room: number): Markup {
  if (expected === undefined && actual === undefined) return emptyMarkup;
  const texts = [expected, actual].map((value) =>
    value === undefined ? undefined : shortenedText(showValue(value), room)
  );
  const [wanted, got] = texts;
  if (wanted?.includes("\n") && got?.includes("\n")) {
    const parts = diffLines(wanted, got, { maxEditLength: mostEdits });
    if (parts !== undefined) return lineByLine(parts);
  }
  return markup`<dl class="compare">${side("expected", wanted)}${side("actual", got)}</dl>`;
}

const side = (label: string, text: string | undefined): Markup =>
  text === undefined ? emptyMarkup : markup`<dt>${label}</dt><dd><pre class="${label}">${text}</pre></dd>`;

/** `ins` and `del` are blocks of a line each; other lines end as lines do. */
function lineByLine(parts: readonly { value: string; added?: boolean; removed?: boolean }[]): Markup {
  const lines = parts.flatMap(({ value, added, removed }) =>
    value.replace(/\n$/, "").split("\n").map((line) =>
      added ? markup`<ins>+ ${line}</ins>` : removed ? markup`<del>- ${line}</del>` : markup`  ${line}\n`
    )
  );
  return markup`<p class="legend"><del>- expected</del> <ins>+ actual</ins></p>
<pre class="diff">${lines}</pre>`;
}
