// Listens to tape beside what it prints: appends what happens to the events file, one JSON value a line.
"use strict";
const { openSync, writeSync } = require("node:fs");
const Module = require("node:module");
const { sep } = require("node:path");
const { inspect } = require("node:util");
const { isMainThread } = require("node:worker_threads");

const limit = 16_000;
/** Output of a test beyond that is in the output of the run alone. */
const mostOutput = 256 * 1024;
const cut = (text) => text.length > limit ? `${text.slice(0, limit)} …` : text;
const testModule = `${sep}tape${sep}lib${sep}test.js`;
const printer = `${sep}tape${sep}lib${sep}default_stream.js`;
/** Folders of tape itself. */
const tapes = new Set();
const own = (line) =>
  /^\s+at /.test(line) && !line.includes("node:") && !line.includes(__filename) &&
  ![...tapes].some((folder) => line.includes(folder));
const framesOf = (stack) =>
  String(stack ?? "").split("\n").filter(own).slice(0, 50).map((line) => line.trim());

function listen(write) {
  /** By test: its id, titles, file, and what was asserted. */
  const known = new WeakMap();
  /** Tests that run, the innermost last. */
  const running = [];
  let next = 0;
  let thrown;
  let exiting = false;

  const fileIn = (frames) => {
    for (const frame of frames) {
      const path = /(?:file:\/\/)?(\/[^():]+):(\d+)(?::\d+)?\)?$/.exec(frame);
      if (path !== null) return { file: decodeURI(path[1]), line: Number(path[2]) };
    }
    return undefined;
  };

  function made(test, parent) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 50;
    const place = fileIn(framesOf(new Error().stack)) ?? parent?.place;
    Error.stackTraceLimit = stackTraceLimit;
    const titles = [...parent?.titles ?? [], String(test.name)];
    const suite = parent?.suite ?? place?.file;
    const entry = { id: next++, titles, place, suite, failed: [], points: 0, left: 0, printed: 0 };
    known.set(test, entry);
    test.on("test", (child) => made(child, entry));
    test.on("result", (result) => typeof result === "string" ? undefined : heard(test, entry, result));
    test.once("end", () => {
      // A plan that was not kept is told right after the end, when the next test may have begun.
      entry.lacks = test._plan !== undefined && !test._planError && Boolean(test._pendingAsserts?.());
      if (!entry.lacks) finish(test, entry);
    });
  }

  const nameOf = ({ titles, suite }) => ({
    name: titles.join(" > "),
    ...(suite === undefined ? {} : { suite }),
  });

  function begin(test) {
    const entry = known.get(test);
    if (entry === undefined || entry.begun) return;
    entry.begun = performance.now();
    running.push(entry);
    write({ type: "started", id: entry.id, test: nameOf(entry) });
  }

  function heard(test, entry, result) {
    if (entry.ended) {
      if (result.ok || result.todo) return;
      const name = nameOf(entry);
      const test = { ...name, name: `${name.name} (after its end)` };
      write({ type: "finished", id: next++, test, outcome: { status: "failed", ...worded([result]) } });
      return;
    }
    begin(test);
    entry.points++;
    if (result.skip || (result.todo && !result.ok)) entry.left++;
    if (!result.ok && !result.todo) entry.failed.push(result);
    if (exiting || entry.lacks) finish(test, entry);
  }

  function finish(test, entry) {
    begin(test);
    if (entry.ended) return;
    entry.ended = true;
    running.splice(running.indexOf(entry), 1);
    const durationMs = performance.now() - entry.begun;
    const { place } = entry;
    const outcome = { status: "passed", durationMs, ...(place === undefined ? {} : { place }) };
    if (entry.failed.length > 0) Object.assign(outcome, { status: "failed", ...worded(entry.failed) });
    else if (test._todo) Object.assign(outcome, { status: "skipped", message: "to do" });
    else if (test._skip || (entry.points > 0 && entry.left === entry.points)) outcome.status = "skipped";
    write({ type: "finished", id: entry.id, outcome });
  }

  function worded(results) {
    const [first] = results;
    const compared = (result) =>
      !("actual" in result) && !("expected" in result) ? "" : `
expected: ${inspect(result.expected, { depth: 4 })}
actual:   ${inspect(result.actual, { depth: 4 })}`;
    const texts = results.slice(0, 20).map((result) => cut(result.name + compared(result)));
    const error = first.actual instanceof Error ? first.actual : first.error;
    return { message: cut(texts.join("\n\n")), stack: exiting ? [] : framesOf(error?.stack) };
  }

  const { _load: load } = Module;
  const hooked = new WeakMap();
  Module._load = function (request, parent, isMain) {
    const loaded = load.apply(this, arguments);
    if (typeof loaded !== "function" || !/test(?:\.js)?$/.test(request)) return loaded;
    const path = Module._resolveFilename(request, parent, isMain);
    if (!path.endsWith(testModule)) return loaded;
    tapes.add(path.slice(0, -"lib/test.js".length));
    if (!hooked.has(loaded)) hooked.set(loaded, hook(loaded));
    return hooked.get(loaded);
  };

  function hook(Test) {
    const { run } = Test.prototype;
    const only = process.env.PTH_TEST_ONLY;
    Test.prototype.run = function () {
      const entry = known.get(this);
      const name = entry === undefined ? "" : nameOf(entry).name;
      // Those above it run, too.
      const wanted = only === undefined || `${only} > `.startsWith(`${name} > `) ||
        name.startsWith(`${only} > `);
      if (wanted) begin(this);
      else if (entry !== undefined) {
        entry.ended = true;
        this._skip = true;
      }
      return run.call(this);
    };
    return new Proxy(Test, {
      construct(target, given) {
        const test = Reflect.construct(target, given, target);
        made(test);
        return test;
      },
    });
  }

  for (const stream of [process.stdout, process.stderr]) {
    const { write: print } = stream;
    stream.write = function (text) {
      const entry = running.at(-1);
      if (entry !== undefined && entry.printed < mostOutput && !new Error().stack.includes(printer)) {
        entry.printed += text.length;
        write({ type: "output", id: entry.id, text: cut(String(text)) });
      }
      return print.apply(this, arguments);
    };
  }

  process.on("uncaughtExceptionMonitor", (error) => {
    thrown = error;
    if (running.length > 0) return;
    const text = typeof error?.stack === "string" ? error.stack : inspect(error);
    write({ type: "not_run", text: cut(text) });
  });
  // tape's own listener follows: it fails the tests that have not ended, but for those that an error ended.
  process.on("exit", () => {
    exiting = true;
    const message = cut(String(thrown?.message ?? thrown));
    for (const { id } of thrown === undefined ? [] : running) {
      write({ type: "finished", id, outcome: { status: "failed", message, stack: framesOf(thrown?.stack) } });
    }
    write({ type: "end" });
  });
}

// Tests read the arguments of their process: those that brought this file are not theirs.
const option = process.argv.indexOf(__filename);
if (option > 0 && process.argv[option - 1] === "--require") process.argv.splice(option - 1, 2);

// A process that a test starts says nothing more.
if (isMainThread && process.send === undefined) {
  const events = openSync(process.env.PTH_TEST_EVENTS, "a");
  listen((event) => writeSync(events, `${JSON.stringify(event)}\n`));
}
