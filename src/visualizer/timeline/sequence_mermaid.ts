/** Rows of a recording as a sequence diagram of Mermaid. */
import { cutToColumns } from "../../core/columns.ts";
import { count, formatDuration, plainLine } from "../../core/text.ts";
import type { ActorName, EventRow } from "./timeline.ts";

export interface SequenceOptions {
  /** Messages at most. Default: 200. */
  most?: number;
  /** Number of rows from the first one given on. Default: those given. */
  total?: number;
  title?: string;
}

/** Mermaid refuses a text of more than 50,000 characters; participants and the like come on top of the messages. */
const mostCharacters = 40_000;

/** Name for the sender of events from outside. */
const outside: ActorName = { actor: "", id: "outside" };

/** Writes rows as a `sequenceDiagram`: dotted arrows for ignored events, notes for errors. */
export function sequenceMermaid(
  rows: readonly EventRow[],
  { most = 200, total = rows.length, title }: SequenceOptions = {},
): string {
  const aliases = aliasesOf(rows.slice(0, most));
  const messages: string[] = [];
  let shown = 0;
  let length = 0;
  for (const row of rows.slice(0, most)) {
    const lines = messageLines(row, rows[shown - 1], aliases);
    length += lines.join("\n  ").length;
    if (length > mostCharacters) break;
    messages.push(...lines);
    shown++;
  }
  const left = total - shown;
  const last = rows[shown - 1];
  const lines = [
    ...(title === undefined ? [] : [`accTitle: ${escape(title)}`]),
    ...[...aliasesOf(rows.slice(0, shown)).values()].map(({ alias, name }) =>
      `participant ${alias} as ${name}`
    ),
    ...messages,
    ...(left > 0 && last !== undefined
      ? [`Note over ${aliases.get(last.target.actor)!.alias}: ${count(left, "more event")} not shown`]
      : []),
  ];
  return ["sequenceDiagram", ...lines.map((line) => `  ${line}`)].join("\n") + "\n";
}

type Aliases = ReadonlyMap<string, { alias: string; name: string }>;

function messageLines(row: EventRow, before: EventRow | undefined, aliases: Aliases): string[] {
  const alias = ({ actor }: ActorName) => aliases.get(actor)!.alias;
  const to = alias(row.target);
  const pause = row.at - (before?.at ?? row.at);
  const arrow = row.ignored ? "--x" : "->>";
  return [
    ...(pause >= pauseMs ? [`Note over ${to}: ${formatDuration(pause)} later`] : []),
    `${alias(row.source ?? outside)}${arrow}${to}: ${escape(messageOf(row))}`,
    ...(row.trouble ? [`Note over ${to}: ${escape(row.gist || row.type)}`] : []),
  ];
}

/** Milliseconds from which on a pause is noted. */
const pauseMs = 1000;

/** In trouble the gist stands in a note of its own. */
const messageOf = ({ type, gist, trouble }: EventRow): string => {
  const short = type.replace(/^xstate\.(done|error)\.actor\.(?:\d+\.)?/, "$1: ");
  return trouble || gist === "" ? short : `${short} (${cutToColumns(gist, 60)})`;
};

/** Work is called after the state that runs it. */
function aliasesOf(rows: readonly EventRow[]): Aliases {
  const found = new Map<string, { alias: string; name: string }>();
  for (const { source, target } of rows) {
    for (const { actor, id } of [source ?? outside, target]) {
      if (!found.has(actor)) {
        found.set(actor, { alias: `a${found.size}`, name: escape(id.replace(/^\d+\./, "")) });
      }
    }
  }
  return found;
}

/** Characters that mean something to Mermaid, as its numbered entities; on one line. */
const escape = (text: string): string =>
  plainLine(text).replaceAll(/[#;<>%$`{}\\"]/g, (character) => `#${character.codePointAt(0)};`);
