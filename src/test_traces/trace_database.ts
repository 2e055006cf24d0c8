/**
 * Traced calls of one run in a SQLite database, a file of PTH's own.
 *
 * The library is SQLite in WebAssembly: Node has SQLite of its own from 22.5 only, and packages with native parts need a compiler
 * or a download.
 */
import type { BindValues, Database } from "node-sqlite3-wasm";
import type { TracedPattern, TraceSummary } from "../../machines/model/test_trace.ts";
import { PthError } from "../core/errors.ts";
import type { Redactor } from "../core/redact.ts";
import { pathExists } from "../platform/files.ts";
import { type RarePackage, rarePackage } from "../platform/rare_package.ts";
import { readTraceLine, type TraceLine } from "./trace_line.ts";
import { mostCalls, mostOfFunction } from "./tracer.ts";

const mostPatterns = 200;
const mostNotes = 50;

const schema = `
create table calls (
  seq integer primary key, function text not null, pid integer not null, thread text not null, started real not null,
  duration real, parent integer, depth integer not null, called_at text, arguments text not null, returned text, raised text,
  before text, after text
);
create index calls_function on calls (function);
create index calls_parent on calls (parent);
create table summary (name text primary key, value text not null);`;

/** SQLite in WebAssembly, 1.3 MB: loaded when there is a trace. */
const sqlite: RarePackage<{ default: typeof import("node-sqlite3-wasm") }> = {
  name: "node-sqlite3-wasm",
  purpose: "keeps traces of tests",
  load: () =>
    import("node-sqlite3-wasm") as unknown as Promise<{ default: typeof import("node-sqlite3-wasm") }>,
};

async function openDatabase(
  path: string,
  options?: { readOnly?: boolean; fileMustExist?: boolean },
): Promise<Database> {
  const { default: { Database: Sqlite } } = await rarePackage(sqlite);
  return new Sqlite(path, options);
}

/** Takes what tracers write, line by line, and keeps a bounded amount of it. */
export interface TraceWriter {
  /** Lines that are no trace are counted, and counted in the summary. */
  add(line: string): void;
  /** Writes the summary and closes the file. */
  finish(): Omit<TraceSummary, "sessionId">;
}

/**
 * @param path File that does not exist yet, in a folder of PTH's own
 * @param redact Takes secrets out of all that is kept
 */
export async function createTraceDatabase(path: string, redact: Redactor): Promise<TraceWriter> {
  const database = await openDatabase(path);
  database.exec(`pragma journal_mode = memory; pragma synchronous = off; ${schema} begin;`);
  const insert = database.prepare(
    "insert into calls (seq, function, pid, thread, started, parent, depth, called_at, arguments, before) values (?,?,?,?,?,?,?,?,?,?)",
  );
  const end = database.prepare(
    "update calls set duration = ?2 - started, returned = ?3, raised = ?4, after = ?5 where seq = ?1",
  );
  /** Calls under way by the tracer's own id; ended ones leave it. */
  const open = new Map<string, { seq: number; depth: number }>();
  const patterns = new Map<string, TracedPattern>();
  const notes = new Set<string>();
  /** Functions with calls beyond those that are kept. */
  const hot = new Map<string, HotFunction>();
  const counts = { calls: 0, omitted: 0, unreadable: 0 };

  const take = (line: TraceLine): void => {
    switch (line.kind) {
      case "call": {
        if (counts.calls >= mostCalls) return void (counts.omitted += 1);
        const seq = ++counts.calls;
        const parent = line.parent === undefined ? undefined : open.get(line.parent);
        const depth = parent === undefined ? 0 : parent.depth + 1;
        open.set(line.id, { seq, depth });
        run(insert, [
          seq,
          line.function,
          line.pid,
          line.thread,
          line.at,
          parent?.seq ?? null,
          depth,
          line.calledAt ?? null,
          JSON.stringify(line.arguments),
          line.watched === undefined ? null : JSON.stringify(line.watched),
        ]);
        return;
      }
      case "end": {
        const seq = open.get(line.id)?.seq;
        if (seq === undefined) return;
        open.delete(line.id);
        const after = line.watched === undefined ? null : JSON.stringify(line.watched);
        run(end, [seq, line.at, line.returned ?? null, line.raised ?? null, after]);
        return;
      }
      case "pattern": {
        const known = patterns.get(line.pattern);
        if (known === undefined && patterns.size >= mostPatterns) return;
        // Several processes of one run see different parts of the program.
        patterns.set(line.pattern, {
          pattern: line.pattern,
          functions: Math.max(known?.functions ?? 0, line.functions),
          near: line.near.length > 0 ? line.near : known?.near ?? [],
        });
        return;
      }
      case "omitted":
        counts.omitted += line.calls ?? 0;
        if (hot.has(line.function) || hot.size < mostNotes) {
          const { calls = 0, isLeast = false, medianUs } = hot.get(line.function) ?? {};
          hot.set(line.function, {
            calls: calls + (line.calls ?? 0),
            isLeast: isLeast || (line.isLeast ?? false),
            medianUs: line.medianUs ?? medianUs,
          });
        }
        return;
      case "note":
        addNote(line.text);
    }
  };
  const addNote = (text: string) => {
    if (notes.size < mostNotes) notes.add(text);
  };

  return {
    add(text) {
      const line = readTraceLine(text, redact);
      if (line === undefined) counts.unreadable += 1;
      else take(line);
    },
    finish() {
      for (const [name, function_] of hot) addNote(hotNote(name, function_));
      if (counts.unreadable > 0) addNote(`${counts.unreadable} lines of the trace could not be read`);
      if (counts.calls >= mostCalls) addNote(`The trace is full: it keeps ${mostCalls} calls`);
      const summary = {
        calls: counts.calls,
        omitted: counts.omitted,
        patterns: [...patterns.values()].map((one) => one.functions > 0 ? { ...one, near: [] } : one),
        notes: [...notes],
      };
      insert.finalize();
      end.finalize();
      database.run("insert into summary values ('summary', ?)", [JSON.stringify(summary)]);
      database.exec("commit");
      database.close();
      return summary;
    },
  };
}

interface HotFunction {
  /** 0 where they were not counted. */
  calls: number;
  isLeast: boolean;
  medianUs: number | undefined;
}

function hotNote(name: string, { calls, isLeast, medianUs }: HotFunction): string {
  const often = `${name} was called more than ${mostOfFunction} times`;
  if (calls === 0) return `${often}: later calls were not followed`;
  const time = medianUs === undefined ? "" : `, ${medianUs.toFixed(1)} µs each`;
  return `${often}: ${isLeast ? "at least " : ""}${calls} later calls were only counted${time}`;
}

const run = (statement: ReturnType<Database["prepare"]>, values: BindValues): void => {
  statement.run(values);
};

/**
 * Asks a database that was finished.
 * @throws {PthError} `TARGET_NOT_FOUND` where there is none
 */
export async function withTraceDatabase<Result>(
  path: string,
  ask: (all: (sql: string, values: BindValues) => Record<string, unknown>[]) => Result,
): Promise<Result> {
  if (!(await pathExists(path))) {
    throw new PthError("TARGET_NOT_FOUND", "Cannot query the trace: there is none of this session", {
      next: [
        "Run a test with tracePatterns: its answer has the sessionId",
        "Traces of older runs are removed in time",
      ],
    });
  }
  const database = await openDatabase(path, { readOnly: true, fileMustExist: true });
  try {
    return ask((sql, values) => database.all(sql, values) as Record<string, unknown>[]);
  } finally {
    database.close();
  }
}
