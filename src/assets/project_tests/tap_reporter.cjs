// Reporter of node-tap: appends what happens to the events file, one JSON value a line, and draws nothing.
"use strict";
const { openSync, writeSync } = require("node:fs");
const { resolve } = require("node:path");

const events = openSync(process.env.PTH_TEST_EVENTS, "a");
const write = (event) => writeSync(events, JSON.stringify(event) + "\n");
const limit = 16_000;
/** Output of a test beyond that is in the output of the run alone. */
const mostOutput = 256 * 1024;
const cut = (text) => text.length > limit ? `${text.slice(0, limit)} …` : text;
let next = 0;

const worded = (directive) =>
  typeof directive === "string" && directive !== "" ? { message: cut(directive) } : {};
const toDo = (directive) => ({
  message: cut(typeof directive === "string" ? `to do ${directive}`.trim() : "to do"),
});

const titleOf = ({ name }) => name.replaceAll(/\\([#\\])/g, "$1");

/** Outcome of a test with failed points: their messages, and the place of the first. */
function failureOf(points) {
  const texts = points.slice(0, 20).map(({ name, tapError, diag }) => {
    const { diff, expected = diag?.wanted, actual = diag?.found, exitCode, signal } = diag ?? {};
    const details = [
      typeof diff === "string" ? diff.trimEnd() : undefined,
      diff === undefined && expected !== undefined ? `expected: ${JSON.stringify(expected)}` : undefined,
      diff === undefined && actual !== undefined ? `actual: ${JSON.stringify(actual)}` : undefined,
      typeof exitCode === "number" && exitCode !== 0 ? `exit code ${exitCode}` : undefined,
      typeof signal === "string" ? `signal ${signal}` : undefined,
    ];
    return cut([name || String(tapError ?? "an assertion failed"), ...details].filter(Boolean).join("\n"));
  });
  const { diag } = points.find(({ diag }) => diag?.stack !== undefined || diag?.at !== undefined) ?? {};
  const { at } = diag ?? {};
  const stack = String(diag?.stack ?? "").split("\n").map((line) => line.trim()).filter((line) =>
    line !== ""
  );
  const file = at?.fileName ?? at?.file;
  const line = at?.lineNumber ?? at?.line;
  return {
    status: "failed",
    message: cut(texts.join("\n\n")),
    ...(file === undefined ? {} : {
      place: {
        file: file.startsWith("file:") ? file : resolve(file),
        line,
        column: at.columnNumber ?? at.column,
      },
    }),
    ...(stack.length === 0 ? {} : { stack: stack.slice(0, 50).map((frame) => cut(frame)) }),
  };
}

/** The tests of a file. Its assertions outside of any are a test, too, which has the name of the file. */
function listenTo(file) {
  const suite = resolve(file.options.cwd ?? ".", file.name);
  const top = { titles: [], failed: [], suite };
  /** Tests that are open, the innermost last. */
  const open = [];
  let failures = 0;
  let stderr = "";
  /** Text that came while no test was open: a test is known by its first assertion only. */
  let waiting = "";

  function begin(test) {
    test.id = next++;
    test.begun = performance.now();
    const name = test === top ? suite : test.titles.join(" > ");
    write({ type: "started", id: test.id, test: { name, suite } });
    if (waiting !== "") write({ type: "output", id: test.id, text: cut(waiting) });
    waiting = "";
  }
  function finish(test, outcome) {
    if (outcome.status === "failed") failures++;
    const durationMs = performance.now() - test.begun;
    write({ type: "finished", id: test.id, outcome: { durationMs, ...outcome } });
  }
  function close(test, point) {
    open.splice(open.indexOf(test), 1);
    const { skip, todo, ok, time } = point;
    const durationMs = typeof time === "number" ? { durationMs: time } : {};
    if (skip) finish(test, { ...durationMs, status: "skipped", ...worded(skip) });
    else if (todo) finish(test, { ...durationMs, status: "skipped", ...toDo(todo) });
    else if (ok) finish(test, { ...durationMs, status: "passed" });
    else {
      const { tapError } = point;
      const name = test.failedBelow
        ? "A test in it failed"
        : tapError ?? "It failed, and none of its assertions did";
      finish(test, {
        ...durationMs,
        ...failureOf(test.failed.length > 0 ? test.failed : [{ ...point, name }]),
      });
    }
  }
  function printed(text) {
    const test = open.at(-1);
    if (test === undefined) waiting = (waiting + text).slice(-limit);
    else if ((test.printed = (test.printed ?? 0) + text.length) < mostOutput) {
      write({ type: "output", id: test.id, text: cut(text) });
    }
  }

  function listen(parser, test) {
    let child;
    parser.on("child", (below) => {
      child = { titles: [...test.titles, titleOf(below)], failed: [], suite };
      open.push(child);
      // One without a name is made up by what a test prints, and gets that of the point behind it.
      if (below.name !== "") begin(child);
      listen(below, child);
    });
    parser.on("assert", (point) => {
      const { skip, todo, ok, name } = point;
      if (child !== undefined) {
        // The point that closes a test.
        if (child.id === undefined) begin(Object.assign(child, { titles: [...test.titles, name] }));
        test.failedBelow ||= !ok && !todo;
        close(child, point);
        child = undefined;
      } else if (skip || todo) {
        const left = { titles: [...test.titles, name], suite };
        begin(left);
        finish(left, { status: "skipped", ...(skip ? worded(skip) : toDo(todo)) });
      } else {
        if (test === top && top.id === undefined) begin(top);
        if (!ok) test.failed.push(point);
      }
    });
    parser.on("extra", (text) => {
      process.stdout.write(text);
      printed(text);
    });
  }

  function ended() {
    const { exitCode, signal } = file.options;
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode ?? 0}`;
    for (const test of [...open].reverse()) {
      if (test.id === undefined) continue;
      const message = `The process of its file ${how} before the test ended`;
      finish(test, { ...failureOf([...test.failed, ...top.failed, { name: message }]) });
    }
    if (top.id !== undefined) {
      finish(top, top.failed.length === 0 ? { status: "passed" } : failureOf(top.failed));
    }
    if (file.results?.ok !== false || failures > 0) return;
    // Nothing of it failed, and the file did.
    if (next === first) write({ type: "not_run", suite, text: stderr || `${file.name} ${how}` });
    else {
      const test = { titles: [suite], suite };
      begin(test);
      finish(test, { status: "failed", message: `The process of the file ${how}` });
    }
  }

  const first = next;
  listen(file.parser, top);
  file.parser.on("bailout", (reason) => {
    write({ type: "suite_ended", suite, complete: false, reason: cut(`Bail out! ${reason ?? ""}`.trim()) });
  });
  file.on("process", (process_) => {
    process_.stderr?.on("data", (bytes) => {
      process.stderr.write(bytes);
      stderr = (stderr + bytes).slice(-limit);
      printed(String(bytes));
    });
  });
  return ended;
}

const files = new Map();

/** Component that node-tap renders; when it is made, no file runs yet. */
class PthReporter {
  constructor({ test, tap = test }) {
    if (files.size > 0) return;
    files.set(tap, () => {});
    tap.on("spawn", (file) => files.set(file, listenTo(file)));
    tap.on("subtestEnd", (file) => files.get(file)?.());
    tap.on("complete", () => write({ type: "end" }));
  }
  render() {
    return null;
  }
}
PthReporter.prototype.isReactComponent = {};
module.exports = PthReporter;
