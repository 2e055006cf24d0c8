/** Rows of a recording as a sequence diagram of Mermaid. */
import { duration, oneLine } from "../../testing/reporters/text.ts";
import { count } from "../../values.ts";
import type { ActorName, EventRow } from "./timeline.ts";

export interface SequenceOptions {
  /** Messages at most; Mermaid refuses a text of more than 50,000 characters. Default: 200. */
  most?: number;
  /** How many rows there are, where not all of them are given. */
  total?: number;
  title?: string;
}

/** Those who stand for what came from outside. */
const outside: ActorName = { actor: "", id: "outside" };

/** Who sent what to whom, as `sequenceDiagram`: dotted where the receiver did nothing on it, with notes on trouble. */
export function sequenceMermaid(
  rows: readonly EventRow[],
  { most = 200, total = rows.length, title }: SequenceOptions = {},
): string {
  const shown = rows.slice(0, most);
  const aliases = aliasesOf(shown);
  const alias = ({ actor }: ActorName) => aliases.get(actor)!.alias;
  const lines = ["sequenceDiagram"];
  if (title !== undefined) lines.push(`accTitle: ${escape(title)}`);
  for (const { alias, name } of aliases.values()) lines.push(`participant ${alias} as ${name}`);
  let at = shown[0]?.at ?? 0;
  for (const row of shown) {
    if (row.at - at >= pauseMs) lines.push(`Note over ${alias(row.target)}: ${duration(row.at - at)} later`);
    at = row.at;
    const arrow = row.ignored ? "--x" : "->>";
    lines.push(`${alias(row.source ?? outside)}${arrow}${alias(row.target)}: ${escape(messageOf(row))}`);
    if (row.trouble) lines.push(`Note over ${alias(row.target)}: ${escape(row.gist || row.type)}`);
  }
  const left = total - shown.length;
  if (left > 0) {
    lines.push(`Note over ${alias(shown.at(-1)?.target ?? outside)}: ${count(left, "more event")} not shown`);
  }
  return lines.map((line, place) => place === 0 ? line : `  ${line}`).join("\n") + "\n";
}

/** Silence from so many milliseconds on is told. */
const pauseMs = 1000;

/** In trouble the gist stands in a note of its own. */
const messageOf = ({ type, gist, trouble }: EventRow): string => {
  const short = type.replace(/^xstate\.(done|error)\.actor\.(?:\d+\.)?/, "$1: ");
  return trouble || gist === "" ? short : `${short} (${gist.length > 60 ? `${gist.slice(0, 59)}…` : gist})`;
};

function aliasesOf(rows: readonly EventRow[]): Map<string, { alias: string; name: string }> {
  const found = new Map<string, { alias: string; name: string }>();
  for (const { source, target } of rows) {
    for (const { actor, id } of [source ?? outside, target]) {
      if (!found.has(actor)) found.set(actor, { alias: `a${found.size}`, name: escape(id) });
    }
  }
  return found;
}

/** Characters that mean something to Mermaid, as its numbered entities; on one line. */
const escape = (text: string): string =>
  oneLine(text).replaceAll(/[#;<>%$`{}\\"]/g, (character) => `#${character.codePointAt(0)};`);
