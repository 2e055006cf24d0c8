/** Differences between recorded requests and those that came, for people. */
import type { RequestDrift } from "../../../machines/model/agent_session.ts";
import type { RecordedRequests, RecordedTool } from "../../../machines/model/playbook.ts";
import { truncate } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { unpackRequest } from "./pack_requests.ts";
import type { RequestImage, RequestImages } from "./request_images.ts";

/** Differences in all, lines of one, and characters of a line. */
const mostDrift = 200;
const mostLines = 20;
const longestLine = 200;

/** @param came Images by the names that turns give; what did not come is no drift, but turns that are left. */
export function requestDrift(
  recorded: RecordedRequests,
  came: ReadonlyMap<string, RequestImage & { place: string }>,
  tools: RequestImages["tools"],
): RequestDrift[] {
  const pairs = [...came].flatMap(([name, now]) => {
    const then = unpackRequest(recorded, name);
    return then === undefined ? [] : [{ then, now }];
  });
  const offeredThen = new Set(pairs.flatMap(({ then }) => then.tools));
  const offeredNow = new Set(pairs.flatMap(({ now }) => now.tools));
  const drift = [
    ...[...offeredThen].filter((name) => !offeredNow.has(name))
      .map((name) => ({ subject: `tool ${name} is not offered any more`, lines: [] })),
    ...[...offeredNow].filter((name) => !offeredThen.has(name))
      .map((name) => ({ subject: `tool ${name} is new`, lines: [] })),
    ...[...offeredThen].filter((name) => offeredNow.has(name)).flatMap((name) =>
      toolDrift(name, recorded.tools[name], tools.get(name))
    ),
    ...joined(pairs.flatMap(({ then, now }) => {
      const both = (name: string) => offeredThen.has(name) && offeredNow.has(name);
      const offered = ({ tools }: RequestImage) => tools.filter(both);
      return [
        { what: "system prompt", place: now.place, lines: changedLines(then.system, now.system) },
        {
          what: "messages",
          place: now.place,
          lines: changedLines(then.messages.join("\n"), now.messages.join("\n")),
        },
        {
          what: "tools",
          place: now.place,
          lines: changedLines(offered(then).join("\n"), offered(now).join("\n")),
        },
      ];
    })),
  ];
  if (drift.length <= mostDrift) return drift;
  return [...drift.slice(0, mostDrift), {
    subject: `${drift.length - mostDrift} differences more`,
    lines: [],
  }];
}

function toolDrift(name: string, then: RecordedTool = {}, now: RecordedTool = {}): RequestDrift[] {
  return [
    {
      subject: `tool ${name}: description`,
      lines: changedLines(then.description ?? "", now.description ?? ""),
    },
    { subject: `tool ${name}: schema`, lines: changedLines(pretty(then.schema), pretty(now.schema)) },
  ].filter(({ lines }) => lines.length > 0);
}

/** The same difference in several requests stands once. */
function joined(found: { what: string; place: string; lines: string[] }[]): RequestDrift[] {
  const places = new Map<string, string[]>();
  for (const { what, place, lines } of found) {
    if (lines.length === 0) continue;
    const key = JSON.stringify([what, lines]);
    places.set(key, [...places.get(key) ?? [], place]);
  }
  return [...places].map(([key, [first, ...more]]) => {
    const [what, lines] = JSON.parse(key) as [string, string[]];
    const others = more.length === 0 ? "" : ` and ${more.length} more`;
    return { subject: `${what} of ${first}${others}`, lines };
  });
}

/**
 * Lines that are gone and lines that are new, up to 20. Lines in another order are the same: what agents list comes in
 * the order in which it was found.
 */
export function changedLines(then: string, now: string): string[] {
  if (then === now) return [];
  const gone = without(then.split("\n"), now.split("\n"));
  const fresh = without(now.split("\n"), then.split("\n"));
  const lines = [
    ...gone.map((line, at) => `- ${around(line, fresh[at])}`),
    ...fresh.map((line, at) => `+ ${around(line, gone[at])}`),
  ];
  if (lines.length <= mostLines) return lines;
  return [...lines.slice(0, mostLines), `… and ${lines.length - mostLines} more`];
}

/** The lines without as many of each as the others have. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const count = new Map<string, number>();
  for (const line of others) count.set(line, (count.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const left = count.get(line) ?? 0;
    count.set(line, left - 1);
    return left <= 0 && line.trim() !== "";
  });
}

/** The part of a long line in which it differs from its counterpart. */
function around(line: string, counterpart: string | undefined): string {
  if (line.length <= longestLine) return line;
  let same = 0;
  while (counterpart !== undefined && same < line.length && line[same] === counterpart[same]) same++;
  const from = Math.max(0, Math.min(same, line.length - longestLine) - 40);
  return `${from === 0 ? "" : "…"}${truncate(line.slice(from), longestLine)}`;
}

/** Keys in one order: it says nothing in a schema. */
const pretty = (schema: unknown): string =>
  schema === undefined ? "" : JSON.stringify(sorted(schema), undefined, 2).replaceAll(/,$/gm, "");

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, each]) => [key, sorted(each)]),
  );
}
