// Reporter of Jest: appends what happens to the events file, one JSON value a line, and prints nothing.
"use strict";
const { openSync, writeSync } = require("node:fs");

const events = openSync(process.env.PTH_TEST_EVENTS, "a");
const write = (event) => writeSync(events, JSON.stringify(event) + "\n");
const limit = 16_000;
const cut = (text) => text.length > limit ? `${text.slice(0, limit)} …` : text;
// deno-lint-ignore no-control-regex
const plain = (text) => cut(String(text ?? "").replace(/\u001b\[[\d;]*m/g, ""));
const nameOf = ({ ancestorTitles, title }) => [...ancestorTitles, title].join(" > ");
const statuses = { passed: "passed", failed: "failed" };

/** Tests that run in this process read its arguments: those that brought this reporter are not theirs. */
function hideArguments() {
  const own = process.argv.indexOf(`--reporters=${__filename}`);
  if (own < 0) return;
  let first = own;
  while (process.argv[first - 1].startsWith("--reporters=")) first--;
  let behind = own + 1;
  while (/^--test(?:LocationInResults|NamePattern=.*)$/s.test(process.argv[behind] ?? "")) behind++;
  process.argv.splice(first, behind - first);
}
hideArguments();

/** Messages are the error with its stack, behind it. */
function failureOf(text) {
  const lines = plain(text).split("\n");
  const at = lines.findIndex((line) => /^\s+at /.test(line));
  return {
    message: (at < 0 ? lines : lines.slice(0, at)).join("\n").trim(),
    stack: at < 0
      ? []
      : lines.slice(at).filter((line) => /^\s+at /.test(line)).slice(0, 50).map((line) => line.trim()),
  };
}

function outcomeOf(file, { status, duration, failureMessages = [], location }) {
  const outcome = {
    status: statuses[status] ?? "skipped",
    durationMs: duration ?? undefined,
    place: { file, line: location?.line, column: location?.column },
  };
  if (status === "failed") Object.assign(outcome, failureOf(failureMessages[0] ?? ""));
  if (status === "todo") outcome.message = "to do";
  return outcome;
}

module.exports = class {
  /** By file: how often each name has ended, and the tests that are open. */
  files = new Map();
  next = 0;

  onTestFileStart({ path }) {
    this.files.set(path, { ended: new Map(), open: new Map() });
    write({ type: "planned", suite: path });
  }

  fileOf(path) {
    if (!this.files.has(path)) this.files.set(path, { ended: new Map(), open: new Map() });
    return this.files.get(path);
  }

  onTestCaseStart({ path }, info) {
    const { open } = this.fileOf(path);
    const name = nameOf(info);
    // One that is tried again goes on.
    if (open.has(name)) return;
    const id = this.next++;
    open.set(name, id);
    write({ type: "started", id, test: { name, suite: path } });
  }

  ended(path, result) {
    const { open, ended } = this.fileOf(path);
    const name = nameOf(result);
    const id = open.get(name) ?? this.next++;
    open.delete(name);
    ended.set(name, (ended.get(name) ?? 0) + 1);
    write({ type: "finished", id, test: { name, suite: path }, outcome: outcomeOf(path, result) });
  }

  onTestCaseResult({ path }, result) {
    this.ended(path, result);
  }

  onTestFileResult({ path }, { testResults, testExecError, failureMessage }) {
    // Those that were skipped, and all of runners that tell none as they go.
    const { ended } = this.fileOf(path);
    for (const result of testResults) {
      const name = nameOf(result);
      const count = ended.get(name) ?? 0;
      if (count > 0) ended.set(name, count - 1);
      else {
        this.ended(path, result);
        ended.set(name, 0);
      }
    }
    this.files.delete(path);
    if (testExecError || testResults.length === 0 && failureMessage) {
      const text = plain(failureMessage || testExecError.stack || testExecError.message);
      const at = /\((\d+):(\d+)\)/.exec(text);
      const own = at !== null && text.includes(path)
        ? { place: { file: path, line: Number(at[1]), column: Number(at[2]) } }
        : {};
      write({ type: "not_run", suite: path, text, ...own });
    }
  }

  onRunComplete(_contexts, { wasInterrupted, runExecError }) {
    if (runExecError) write({ type: "not_run", text: plain(runExecError.stack ?? runExecError.message) });
    if (wasInterrupted) write({ type: "suite_ended", complete: false, reason: "It was interrupted" });
    write({ type: "end" });
  }
};
