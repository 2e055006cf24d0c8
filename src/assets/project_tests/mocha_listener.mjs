// Listens to Mocha beside its reporter: appends what happens to the events file, one JSON value a line.
import { openSync, realpathSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

const limit = 16_000;
const cut = (text) => text.length > limit ? `${text.slice(0, limit)} …` : text;

function listen(runner, write) {
  /** Tests that are open, by file and name: those of other processes are another object at each event. */
  const open = new Map();
  /** Ids of tests that are tried again. */
  const again = new Map();
  let next = 0;
  const titleOf = (runnable) => runnable.titlePath().join(" > ");
  const keyOf = (runnable) => `${runnable.file}\n${titleOf(runnable)}`;

  function begin(test) {
    const id = again.get(keyOf(test)) ?? next++;
    const known = { id, test: { name: titleOf(test), suite: test.file } };
    open.set(keyOf(test), [...open.get(keyOf(test)) ?? [], known]);
    if (!again.delete(keyOf(test))) write({ type: "started", ...known });
  }
  function take(key) {
    const same = open.get(key) ?? [];
    const known = same.shift();
    if (same.length === 0) open.delete(key);
    return known;
  }
  function finish(runnable, outcome, key = keyOf(runnable)) {
    const known = take(key) ?? { id: next++, test: { name: titleOf(runnable), suite: runnable.file } };
    const place = runnable.file === undefined ? {} : { place: { file: runnable.file } };
    write({ type: "finished", ...known, outcome: { durationMs: runnable.duration, ...place, ...outcome } });
  }
  function fail(runnable, error) {
    const stack = String(error?.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)).slice(0, 50);
    const message = cut(String(error?.message ?? error));
    const outcome = { status: "failed", message, stack: stack.map((line) => line.trim()) };
    // A hook before a test fails that test; others fail by themselves.
    const key = runnable.type === "hook" ? [...open.keys()].at(-1) : undefined;
    if (key === undefined) finish(runnable, outcome);
    else finish(runnable, { ...outcome, message: `in ${runnable.title}: ${message}` }, key);
  }

  if (runner.total > 0) write({ type: "planned", tests: runner.total });
  runner.on("test", begin);
  runner.on("pass", (test) => finish(test, { status: "passed" }));
  runner.on("pending", (test) => finish(test, { status: "skipped" }));
  runner.on("fail", fail);
  runner.on("retry", (test) => again.set(keyOf(test), take(keyOf(test))?.id));
  runner.on("end", () => write({ type: "end" }));
}

// Tests read the arguments of their process: the one that brought this file is not theirs.
const own = process.argv.indexOf(`--require=${fileURLToPath(import.meta.url)}`);
if (own >= 0) process.argv.splice(own, 1);

// Files that run side by side are told by the process that started their workers.
if (isMainThread && process.env.MOCHA_WORKER_ID === undefined) {
  const folder = /^.*\/mocha\//.exec(realpathSync(process.argv[1]))?.[0];
  const loaded = await import(`file://${folder}lib/runner.js`);
  const Runner = loaded.Runner ?? loaded.default;
  const events = openSync(process.env.PTH_TEST_EVENTS, "a");
  const write = (event) => writeSync(events, JSON.stringify(event) + "\n");
  const { emit } = Runner.prototype;
  const known = new WeakSet();
  Runner.prototype.emit = function (...words) {
    if (!known.has(this) && words[0] === "start") {
      known.add(this);
      listen(this, write);
    }
    return emit.apply(this, words);
  };
}
