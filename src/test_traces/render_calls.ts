/** Renders traced calls as lines for people and models: a call and its result each, indented by the calls around it. */
import type { TraceAnswer, TracedCall, TraceQuery } from "../../machines/model/test_trace.ts";
import { plainLine, truncate } from "../core/text.ts";

const shortValue = 80;
const deepest = 20;

export function renderCalls(
  { calls, total, cursor }: TraceAnswer,
  { tree = false, verbose = false }: Pick<TraceQuery, "tree" | "verbose">,
): string {
  const outermost = Math.min(...calls.map(({ depth }) => depth));
  const lines = calls.map((call) => {
    const indent = tree ? "  ".repeat(Math.min(call.depth - outermost, deepest)) : "";
    return `${indent}${callLine(call, verbose)}`;
  });
  const rest = cursor === undefined ? [] : [`… ${total} in all; go on with cursor ${cursor}`];
  return [...(calls.length === 0 ? ["No call fits."] : lines), ...rest].join("\n");
}

function callLine(call: TracedCall, verbose: boolean): string {
  const value = (text: string) => plainLine(verbose ? text : truncate(text, shortValue));
  const given = Object.entries(call.arguments).map(([name, text]) => `${name}=${value(text)}`);
  const ended = call.raised !== undefined
    ? ` ✗ ${value(call.raised)}`
    : call.returned !== undefined
    ? ` → ${value(call.returned)}`
    : call.durationMs === undefined
    ? " (not ended)"
    : "";
  const watched = Object.entries(call.watched?.before ?? {}).map(([name, before]) => {
    const after = call.watched?.after?.[name];
    return `${name}: ${value(before)}${after === undefined || after === before ? "" : ` → ${value(after)}`}`;
  });
  const took = call.durationMs === undefined ? "" : `, ${call.durationMs.toFixed(1)} ms`;
  return [
    `${call.seq} ${plainLine(call.function)}(${given.join(", ")})${ended}`,
    ...(watched.length === 0 ? [] : [`[${watched.join("; ")}]`]),
    `{${plainLine(call.thread)}, at ${call.startedMs.toFixed(1)} ms${took}}`,
    ...(verbose
      ? [`process ${call.pid}${call.calledAt === undefined ? "" : `, from ${plainLine(call.calledAt)}`}`]
      : []),
  ].join(" ");
}
