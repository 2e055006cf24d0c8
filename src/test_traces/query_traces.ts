/** Questions to a trace, made into SQL whose values are all bound. */
import type { TextCondition, TraceAnswer, TracedCall, TraceQuery } from "../../machines/model/test_trace.ts";
import { withTraceDatabase } from "./trace_database.ts";

const usualLimit = 50;
export const mostTracedCalls = 500;

type Value = string | number;

/** Columns with texts by name, as JSON. */
const valueLists: readonly string[] = ["arguments", "before", "after"];

/** @throws {PthError} `TARGET_NOT_FOUND` where there is no such trace */
export const queryTraces = (path: string, query: Omit<TraceQuery, "sessionId">): Promise<TraceAnswer> =>
  withTraceDatabase(path, (all) => {
    const { condition, values } = conditionOf(query);
    const limit = Math.min(Math.max(1, Math.floor(query.limit ?? usualLimit)), mostTracedCalls);
    const total = Number(all(`select count(*) as total from calls where ${condition}`, values)[0]!.total);
    const rows = all(
      `select * from calls where ${condition} and seq > ? order by seq limit ?`,
      [...values, query.cursor ?? 0, limit + 1],
    );
    const calls = rows.slice(0, limit).map(callOf);
    return { calls, total, ...(rows.length > limit ? { cursor: calls.at(-1)!.seq } : {}) };
  });

function conditionOf(query: Omit<TraceQuery, "sessionId">): { condition: string; values: Value[] } {
  const parts = ["1"];
  const values: Value[] = [];
  const where = (condition: string, ...more: Value[]) => {
    parts.push(condition);
    values.push(...more);
  };
  whereText(query.function, ["function"], where);
  whereText(query.thread, ["thread"], where);
  whereText(query.value, ["returned", "raised", ...valueLists], where);
  if (query.time?.from !== undefined) where("started >= ?", query.time.from);
  if (query.time?.to !== undefined) where("started <= ?", query.time.to);
  if (query.raised !== undefined) where(query.raised ? "raised is not null" : "raised is null");
  if (query.below !== undefined) {
    where(
      `seq in (with recursive inner_calls (seq) as (
        select seq from calls where parent = ? union select calls.seq from calls join inner_calls on calls.parent = inner_calls.seq
      ) select seq from inner_calls)`,
      query.below,
    );
  }
  return { condition: parts.join(" and "), values };
}

function whereText(
  condition: TextCondition | undefined,
  columns: readonly string[],
  where: (condition: string, ...values: Value[]) => void,
): void {
  if (condition === undefined) return;
  const any = (test: (column: string) => string, value: string) => {
    const tests = columns.map((column) =>
      valueLists.includes(column)
        ? `exists (select 1 from json_each(${column}) where ${test("value")})`
        : test(column)
    );
    where(`(${tests.join(" or ")})`, ...columns.map(() => value));
  };
  if (condition.equals !== undefined) any((column) => `${column} = ?`, condition.equals);
  if (condition.contains !== undefined) any((column) => `instr(${column}, ?) > 0`, condition.contains);
  if (condition.matches !== undefined) {
    any((column) => `${column} glob ?`, condition.matches.replaceAll("[", "[[]"));
  }
}

function callOf(row: Record<string, unknown>): TracedCall {
  const text = (name: string) => row[name] === null ? undefined : String(row[name]);
  const json = (name: string) => JSON.parse(String(row[name])) as Record<string, string>;
  const [returned, raised, calledAt] = [text("returned"), text("raised"), text("called_at")];
  return {
    seq: Number(row.seq),
    function: String(row.function),
    pid: Number(row.pid),
    thread: String(row.thread),
    startedMs: Number(row.started),
    ...(row.duration === null ? {} : { durationMs: Number(row.duration) }),
    ...(row.parent === null ? {} : { parent: Number(row.parent) }),
    depth: Number(row.depth),
    ...(calledAt === undefined ? {} : { calledAt }),
    arguments: json("arguments"),
    ...(returned === undefined ? {} : { returned }),
    ...(raised === undefined ? {} : { raised }),
    ...(row.before === null
      ? {}
      : { watched: { before: json("before"), ...(row.after === null ? {} : { after: json("after") }) } }),
  };
}
