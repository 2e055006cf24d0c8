/** The timeline of a report: prompts, calls and responses, made of the trace of a session. */
import type { AgentTrace, EntryTime, HookRun, TraceEntry } from "../../../machines/model/agent_session.ts";
import { oneLine } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { shortenedText } from "../../testing/reporters/html/markup.ts";
import { callIntent, promptIntent, responseIntent } from "./call_intent.ts";
import type { TimelineEntry } from "./report_schema.ts";

/** Characters of a preview. */
export const previewLength = 200;

/** Longest text of an agent that an entry holds, in characters. */
const longestText = 64 * 1024;
const cutText = (text: string): string => shortenedText(text, longestText);

export interface ReportTimeline {
  timeline: TimelineEntry[];
  /** Number of the entry that tells of each entry of the trace, by its index. */
  sequences: number[];
}

type Entry<Type extends TraceEntry["type"]> = Extract<TraceEntry, { type: Type }>;

/**
 * @param times Of the trace's entries; what has none gets the time of what came before it
 * @param span Start and end of the session, in ms since the epoch
 */
export function reportTimeline(
  { timeline: trace }: Pick<AgentTrace, "timeline">,
  times: readonly (EntryTime | null)[],
  span: EntryTime & { until: number },
): ReportTimeline {
  const timeline: TimelineEntry[] = [];
  const sequences: number[] = [];
  const final = finalTurn(trace);
  let known = span.at;

  trace.forEach((entry, index) => {
    const time = times[index] ?? undefined;
    // Answers have the time at which they were there.
    const at = entry.type === "end"
      ? span.until
      : (entry.type === "turn" ? time?.until : undefined) ?? time?.at;
    known = at === undefined ? known : Math.max(known, at);
    const head = {
      timestamp: new Date(known).toISOString(),
      ...(time?.until === undefined ? {} : { duration_ms: Math.max(0, time.until - time.at) }),
    };
    const add = (made: Unnumbered) =>
      timeline.push({ seq: timeline.length + 1, ...head, ...made } as TimelineEntry);
    if (entry.type === "prompt") add(promptEntry(entry));
    else if (entry.type === "tool_call") add(callEntry(entry));
    else if (entry.type === "turn" && isTold(entry)) add(turnEntry(entry, index === final));
    else if (entry.type === "end" && final === undefined && entry.text !== undefined) add(endEntry(entry));
    else if (entry.type === "end") withHooks(timeline.at(-1), entry.hooks);
    else if (entry.type === "subagent") {
      const call = timeline.findLast((each) => each.type === "tool_call");
      if (call?.type === "tool_call") call.subagent = entry.agent;
      withHooks(call, entry.hooks);
    }
    sequences.push(Math.max(1, timeline.length));
  });
  return { timeline, sequences };
}

type Unnumbered = TimelineEntry extends infer Each
  ? Each extends TimelineEntry ? Omit<Each, "seq" | "timestamp"> : never
  : never;

/** Turn whose text is the last word, which the end repeats. */
function finalTurn(trace: readonly TraceEntry[]): number | undefined {
  const end = trace.findLast((entry) => entry.type === "end");
  const index = trace.findLastIndex((entry) =>
    entry.type === "turn" && entry.lane === "main" && isTold(entry)
  );
  const turn = trace[index];
  if (turn?.type !== "turn") return undefined;
  return end?.text === undefined || turn.text === end.text ? index : undefined;
}

/** Turns that only call tools are shown by their calls. */
const isTold = ({ text, thinking, error, refused, calls }: Entry<"turn">): boolean =>
  text !== undefined || thinking !== undefined || error !== undefined || refused !== undefined ||
  calls.length === 0;

const hooksOf = (hooks: readonly HookRun[]) =>
  hooks.length === 0
    ? {}
    : { hooks: hooks.map(({ event, failed }) => ({ event, ...(failed === undefined ? {} : { failed }) })) };

function withHooks(entry: TimelineEntry | undefined, hooks: readonly HookRun[]): void {
  if (entry !== undefined && hooks.length > 0) entry.hooks = [...entry.hooks ?? [], ...hooks];
}

const contentOf = (text: string) => ({
  content: cutText(text),
  content_preview: oneLine(text, previewLength),
  content_length: text.length,
});

const promptEntry = ({ text, hooks }: Entry<"prompt">): Unnumbered => ({
  type: "prompt",
  intent: promptIntent(text),
  ...contentOf(text),
  ...hooksOf(hooks),
});

function turnEntry(
  { lane, text = "", thinking, error, refused, calls }: Entry<"turn">,
  final: boolean,
): Unnumbered {
  const failed = refused ?? error;
  return {
    type: "response",
    lane,
    intent: responseIntent({ calls: calls.length, error: failed !== undefined, final }),
    ...contentOf(text),
    ...(thinking === undefined ? {} : { thinking: cutText(thinking) }),
    ...(failed === undefined ? {} : { error: failed }),
  };
}

const endEntry = ({ text = "", hooks }: Entry<"end">): Unnumbered => ({
  type: "response",
  lane: "main",
  intent: responseIntent({ calls: 0, error: false, final: true }),
  ...contentOf(text),
  ...hooksOf(hooks),
});

function callEntry({ lane, tool, input, result, is_error: isError, hooks }: Entry<"tool_call">): Unnumbered {
  return {
    type: "tool_call",
    lane,
    tool,
    input: isObject(input) ? cutValues(input) as Record<string, unknown> : { value: input },
    intent: callIntent(tool, input),
    ...(result === undefined ? {} : { output: outputOf(tool, result, isError === true) }),
    ...(isError === undefined ? {} : { is_error: isError }),
    ...hooksOf(hooks),
  };
}

/** Names of tools that run shell commands, with the agents that PTH runs. */
const shells = /^(bash|shell|exec_command|run_shell_command)$/i;

function outputOf(tool: string, result: string, isError: boolean) {
  const told = /^Exit code (\d{1,5})\b/.exec(result)?.[1];
  const code = !shells.test(tool) ? undefined : isError ? told : 0;
  const text = cutText(result);
  return {
    stdout: isError ? "" : text,
    stderr: isError ? text : "",
    ...(code === undefined ? {} : { exit_code: Number(code) }),
  };
}

/** Value whose texts are cut. */
function cutValues(value: unknown): unknown {
  if (typeof value === "string") return cutText(value);
  if (Array.isArray(value)) return value.map(cutValues);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cutValues(each)]))
    : value;
}
