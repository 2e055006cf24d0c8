/** Expected and actual: line by line where both are long, else one below the other. */
import { diffLines } from "diff";
import { show } from "../text.ts";
import { escaped, type Markup, nothing } from "./markup.ts";
import { shortened } from "./shortened.ts";

/** A diff of more changes than this takes long and helps nobody. */
const mostEdits = 400;

export function difference(expected: unknown, actual: unknown, room: number): Markup {
  if (expected === undefined && actual === undefined) return nothing;
  const texts = [expected, actual].map((value) =>
    value === undefined ? undefined : shortened(show(value), room)
  );
  const [wanted, got] = texts;
  if (wanted?.includes("\n") && got?.includes("\n")) {
    const parts = diffLines(wanted, got, { maxEditLength: mostEdits });
    if (parts !== undefined) return lineByLine(parts);
  }
  return escaped`<dl class="compare">${side("expected", wanted)}${side("actual", got)}</dl>`;
}

const side = (label: string, text: string | undefined): Markup =>
  text === undefined ? nothing : escaped`<dt>${label}</dt><dd><pre class="${label}">${text}</pre></dd>`;

/** `ins` and `del` are blocks of a line each; other lines end as lines do. */
function lineByLine(parts: readonly { value: string; added?: boolean; removed?: boolean }[]): Markup {
  const lines = parts.flatMap(({ value, added, removed }) =>
    value.replace(/\n$/, "").split("\n").map((line) =>
      added ? escaped`<ins>+ ${line}</ins>` : removed ? escaped`<del>- ${line}</del>` : escaped`  ${line}\n`
    )
  );
  return escaped`<p class="legend"><del>- expected</del> <ins>+ actual</ins></p>
<pre class="diff">${lines}</pre>`;
}
