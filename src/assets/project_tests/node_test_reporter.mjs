// Reporter of node:test: appends what happens to the events file, one JSON value a line, and prints nothing.
import { openSync, readFileSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { inspect } from "node:util";

const events = openSync(process.env.PTH_TEST_EVENTS, "a");
const write = (event) => writeSync(events, JSON.stringify(event) + "\n");
const limit = 16_000;
const cut = (text) => text.length > limit ? `${text.slice(0, limit)} …` : text;

/** Newer versions tell the end of a test when it ends, older ones only after those declared before it. */
const [major, minor] = process.versions.node.split(".").map(Number);
const completes = major > 22 || (major === 22 && minor >= 2) || (major === 20 && minor >= 15);
let next = 0;

/** By path: tests that wait or run, parents by depth, and the end of what its process printed. */
const files = new Map();

function fileOf({ entryFile, file }) {
  const path = resolve(entryFile ?? file ?? "");
  const known = files.get(path);
  if (known !== undefined) return known;
  const fresh = {
    path,
    parents: [],
    kinds: new Map(),
    waiting: new Map(),
    waits: 0,
    told: false,
    printed: "",
  };
  files.set(path, fresh);
  return fresh;
}

/** True for the entry that the runner makes of each file, as if it were a test. */
const isFile = ({ nesting, line, column, name, file, entryFile }) =>
  nesting === 0 && line === 1 && column === 1 && entryFile === undefined && file !== undefined &&
  resolve(name) === resolve(file);

const sources = new Map();
function lineAt({ file, line, column }) {
  if (!sources.has(file)) {
    try {
      sources.set(file, readFileSync(file, "utf8").split("\n"));
    } catch {
      // A file that is made up, by a compiler for instance: its tests are told at their end.
      sources.set(file, []);
    }
  }
  return sources.get(file)[line - 1]?.slice(column - 1) ?? "";
}

/**
 * "suite", "test", or undefined. Newer versions say it when the test is declared (what they say at its start is the kind
 * of its parent), older ones only at the end, so the call itself is looked at.
 */
function kindOf(data, file) {
  const told = file.kinds.get(keyOf(data));
  if (told !== undefined) return told;
  const callee = /^(?:[\w$]+\s*\.\s*)*?(describe|suite|test|it)\b/.exec(lineAt(data))?.[1];
  return callee === undefined ? undefined : callee === "describe" || callee === "suite" ? "suite" : "test";
}

const keyOf = (data) => data.testId ?? `${data.nesting}:${data.line}:${data.column}:${data.name}`;

function declared(data) {
  const file = fileOf(data);
  file.waits++;
  if (data.type !== undefined) file.kinds.set(keyOf(data), data.type);
}

function began(data) {
  if (isFile(data)) return;
  const file = fileOf(data);
  const kind = kindOf(data, file);
  let name = "";
  for (const parent of file.parents.slice(0, data.nesting)) {
    name += parent.name + (parent.kind === "suite" ? " > " : " >> ");
  }
  name += data.name;
  file.parents[data.nesting] = { name: data.name, kind };
  const entry = { id: next++, name };
  const same = file.waiting.get(keyOf(data));
  if (same === undefined) file.waiting.set(keyOf(data), [entry]);
  else same.push(entry);
  if (kind === "test") write({ type: "started", id: entry.id, test: { name, suite: file.path } });
}

function ended(data) {
  const file = fileOf(data);
  const key = keyOf(data);
  const same = file.waiting.get(key) ?? [];
  const { id, name } = same.shift() ?? { id: next++, name: data.name };
  if (same.length === 0) file.waiting.delete(key);
  file.waits--;
  file.kinds.delete(key);
  file.told = true;
  if (/^test name does not match pattern/.test(data.skip)) return;
  const fine = data.details.type === "suite" &&
    (passed(data) || data.details.error?.failureType === "subtestsFailed");
  if (!fine) write({ type: "finished", id, test: { name, suite: file.path }, outcome: outcomeOf(data) });
}

const passed = ({ details }) => details.passed ?? details.error === undefined;
const worded = (message) => message === "" ? {} : { message: cut(message) };

function outcomeOf(data) {
  const durationMs = data.details.duration_ms;
  const place = { file: data.file, line: data.line, column: data.column };
  const reason = (value) => value === true ? "" : String(value);
  if (data.skip !== undefined && data.skip !== false) {
    return { status: "skipped", durationMs, place, ...worded(reason(data.skip)) };
  }
  if (data.todo !== undefined && data.todo !== false) {
    return { status: "skipped", durationMs, place, ...worded(`to do ${reason(data.todo)}`.trim()) };
  }
  if (passed(data)) return { status: "passed", durationMs, place };
  return { status: "failed", durationMs, place, ...failureOf(data.details.error) };
}

function failureOf(error) {
  const cause = error?.cause ?? error;
  if (typeof cause !== "object" || cause === null) return { message: cut(String(cause)) };
  const frames = String(cause.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)).slice(0, 50);
  return {
    message: cut(typeof cause.message === "string" ? cause.message : inspect(cause, { depth: 2 })),
    stack: frames.map((line) => cut(line.trim())),
  };
}

/** The process of a file has ended. */
function fileEnded(data) {
  const file = fileOf(data);
  const { exitCode, signal } = data.details.error ?? {};
  const suite = file.path;
  if (typeof signal === "string") {
    write({ type: "suite_ended", suite, complete: false, reason: `Its process was ended by ${signal}` });
  } else if (file.waits > 0) {
    const reason = `Its process ended with exit code ${exitCode ?? 0} before all of its tests had`;
    write({ type: "suite_ended", suite, complete: false, reason });
  } else if (file.told) write({ type: "suite_ended", suite, complete: true });
}

/** The file counts as a test: it has none, or it failed by itself. */
function fileCounted(data) {
  const file = fileOf(data);
  const suite = file.path;
  if (passed(data)) write({ type: "file_passed", suite });
  else if (!file.told) write({ type: "not_run", suite, text: file.printed });
  else {
    write({ type: "finished", id: next++, test: { name: suite, suite }, outcome: outcomeOf(data) });
  }
}

export default async function* (source) {
  for await (const { type, data } of source) {
    if (type === "test:enqueue" && !isFile(data)) declared(data);
    else if (type === "test:dequeue") began(data);
    else if (type === "test:complete" || (!completes && (type === "test:pass" || type === "test:fail"))) {
      if (!isFile(data)) ended(data);
      else if (type === "test:complete") fileEnded(data);
    }
    if ((type === "test:pass" || type === "test:fail") && isFile(data)) fileCounted(data);
    if (type === "test:stdout" || type === "test:stderr") {
      const file = fileOf(data);
      file.printed = (file.printed + data.message).slice(-limit);
    }
  }
  write({ type: "end" });
  yield "";
}
