// Runs `bun test` with the arguments behind, and appends what its inspector tells to the events file, one JSON value a line.
import { spawn } from "node:child_process";
import { openSync, readFileSync, writeSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { format } from "node:util";

const limit = 16_000;
/** Output of a test beyond that is in the output of the run alone. */
const mostOutput = 256 * 1024;
const cut = (text) => text.length > limit ? `${text.slice(0, limit)} …` : text;
const events = openSync(process.env.PTH_TEST_EVENTS, "a");
const write = (event) => writeSync(events, `${JSON.stringify(event)}\n`);

const folder = dirname(process.env.PTH_TEST_EVENTS);
const socket = `ws+unix://${join(folder, `bun-${process.pid}.sock`)}`;
const [command, ...args] = process.argv.slice(2);
const given = args.findIndex((word) => word.startsWith("--reporter-outfile"));
const report = given < 0
  ? join(folder, `bun-${process.pid}.xml`)
  : args[given].includes("=")
  ? args[given].slice(args[given].indexOf("=") + 1)
  : args[given + 1];
const reported = given < 0 ? ["--reporter=junit", `--reporter-outfile=${report}`] : [];

/** Variables as they were given: Bun has added those of the project's .env files for a program that is no test. */
function variables() {
  try {
    const pairs = readFileSync("/proc/self/environ", "utf8").split("\0").filter((pair) => pair.includes("="));
    return Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
    );
  } catch {
    // There is no /proc: what Bun has added stays.
    return process.env;
  }
}

/** By id: what was found, tests and what is around them; tests that have ended, or that a filter leaves out. */
const found = new Map();
const over = new Set();
const running = new Set();
/** Errors since the last test that failed. */
let errors = [];
let outside = 0;
const told = new Set();

const titlesOf = (entry) => [...(entry.parent === undefined ? [] : titlesOf(entry.parent)), entry.name];
const nameOf = (entry) => ({ name: titlesOf(entry).join(" > "), suite: entry.file });

function ended(id, status, elapsed) {
  const entry = found.get(id);
  if (entry === undefined || over.has(id)) return;
  over.add(id);
  running.delete(id);
  if (status === "skipped_because_label") return;
  const place = { file: entry.file, line: entry.line };
  const outcome = { durationMs: elapsed / 1e6, place };
  if (status === "pass") Object.assign(outcome, { status: "passed" });
  else if (status === "skip") Object.assign(outcome, { status: "skipped" });
  else if (status === "todo") Object.assign(outcome, { status: "skipped", message: "to do" });
  else {
    Object.assign(outcome, { status: "failed", ...failureOf(errors) });
    if (outcome.message === "") {
      outcome.message = status === "timeout" ? "It took longer than its time limit" : status;
    }
    errors = [];
  }
  write({ type: "finished", id, test: nameOf(entry), outcome });
}

function failureOf(several) {
  const [first] = several;
  const text = ({ name, message }) =>
    `${name === "Error" || name === "" ? "" : `${name}: `}${message}`.trim();
  const stack = first?.urls.map((url, at) =>
    `at ${url}:${first.lineColumns[2 * at]}:${first.lineColumns[2 * at + 1]}`
  );
  return {
    message: cut(several.map(text).join("\n\n")),
    ...(stack?.length > 0 ? { stack: stack.slice(0, 50) } : {}),
  };
}

function failed(error) {
  told.add(error.message.trim());
  if (running.size > 0) {
    errors.push(error);
    return;
  }
  const { message, stack } = failureOf([error]);
  const [file] = error.urls;
  // A hook around tests, or a file that throws while it is loaded.
  const test = { name: "(outside of tests)", ...(file === undefined ? {} : { suite: file }) };
  const isLoading = ![...found.values()].some((entry) => entry.file === file);
  if (isLoading) write({ type: "not_run", message, text: [message, ...stack ?? []].join("\n") });
  else {write({
      type: "finished",
      id: `outside-${outside++}`,
      test,
      outcome: { status: "failed", message, stack },
    });}
}

function printed({ text, parameters }) {
  const id = [...running].at(-1);
  const entry = found.get(id);
  if (entry === undefined || (entry.printed = (entry.printed ?? 0) + text.length) > mostOutput) return;
  const plain = (value) =>
    Object.fromEntries((value.preview?.properties ?? []).map((one) => [one.name, one.value]));
  const values = (parameters ?? []).map((one) =>
    one.type === "object" ? plain(one) : one.value ?? one.description
  );
  write({ type: "output", id, text: cut(`${values.length === 0 ? text : format(...values)}\n`) });
}

function heard({ method, params }) {
  if (method === "TestReporter.found") {
    const { id, url, line, name, type, parentId } = params;
    found.set(id, { name: name || "(unnamed)", file: url, line, type, parent: found.get(parentId) });
  } else if (method === "TestReporter.start") {
    running.add(params.id);
    const entry = found.get(params.id);
    if (entry !== undefined) write({ type: "started", id: params.id, test: nameOf(entry) });
  } else if (method === "TestReporter.end") ended(params.id, params.status, params.elapsed);
  else if (method === "LifecycleReporter.error") failed(params);
  else if (method === "Console.messageAdded") printed(params.message);
}

const child = spawn(process.execPath, [command, `--inspect-wait=${socket}`, ...reported, ...args], {
  stdio: ["inherit", "inherit", "pipe"],
  env: variables(),
});
let stderr = "";
child.stderr.on("data", (bytes) => {
  process.stderr.write(bytes);
  stderr = (stderr + bytes).slice(-64 * limit);
});

let isOver = false;
const closed = Promise.withResolvers();
let attempts = 0;
function connect() {
  let isOpen = false;
  const inspector = new WebSocket(socket);
  inspector.onopen = () => {
    isOpen = true;
    const domains = ["Inspector", "Console", "TestReporter", "LifecycleReporter"].map((name) =>
      `${name}.enable`
    );
    for (const [id, method] of [...domains, "Inspector.initialized"].entries()) {
      inspector.send(JSON.stringify({ id: id + 1, method, params: {} }));
    }
  };
  inspector.onmessage = ({ data }) => heard(JSON.parse(data));
  inspector.onclose = () => {
    if (isOpen || isOver) closed.resolve();
    else if (++attempts < 500) setTimeout(connect, 20);
    else {
      console.error(`Bun ${process.versions.bun} has no inspector that tells of its tests`);
      child.kill("SIGKILL");
    }
  };
}
connect();

/** Files that could not be loaded are only printed. */
function unloaded() {
  const block = /^(\S.*):\n\n# Unhandled error between tests\n-+\n([\s\S]*?)\n-+$/gm;
  for (const [, file, text] of stderr.matchAll(block)) {
    const message = /^error: (.*)$/m.exec(text)?.[1] ?? text;
    if (!told.has(message.trim())) {
      write({ type: "not_run", suite: file, message: cut(message), text: cut(text) });
    }
  }
}

/** The report of a run, which is written once all files were run; undefined before. */
function wholeReport() {
  try {
    const text = readFileSync(report, "utf8");
    return text.trimEnd().endsWith("</testsuites>") ? text : undefined;
  } catch {
    return undefined;
  }
}

const unescaped = (text) =>
  text.replaceAll(
    /&(?:#(\d+)|(\w+));/g,
    (_all, code, name) =>
      code === undefined
        ? { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" }[name] ?? ""
        : String.fromCodePoint(code),
  );
const attributesIn = (text) =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, unescaped(value)]),
  );

/** The inspector's last words get lost when the process ends: the report tells how these tests ended. */
function completeFrom(text) {
  const cases = new Map();
  for (const [, head, body = ""] of text.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const { name, file, line, time, classname } = attributesIn(head);
    const failure = /<failure ([^>]*?)\/?>/.exec(body);
    const status = failure !== null ? "fail" : body.includes("<skipped") ? "skip" : "pass";
    const key = `${file}:${line}:${name}`;
    const titles = [...classname === "" ? [] : classname.split(" > ").reverse(), name];
    const ending = { status, time, titles, file, line: Number(line), ...attributesIn(failure?.[1] ?? "") };
    cases.set(key, [...cases.get(key) ?? [], ending]);
  }
  for (const [id, entry] of found) {
    if (entry.type !== "test") continue;
    const key = `${relative(process.cwd(), entry.file)}:${entry.line}:${entry.name}`;
    // Those that were told are taken off, too: others have the same name.
    const ending = cases.get(key)?.shift();
    if (over.has(id)) continue;
    if (ending !== undefined) endedAs(id, ending);
    else {
      const outcome = { status: "skipped", message: "It was not run" };
      write({ type: "finished", id, test: nameOf(entry), outcome });
    }
  }
  for (const ending of [...cases.values()].flat()) {
    // What stands for a hook that failed was told as that.
    if (ending.titles.at(-1) === "(unnamed)" && outside > 0) continue;
    const id = `reported-${found.size}`;
    const [file, name] = [resolve(ending.file), ending.titles.join(" > ")];
    found.set(id, { name, file, line: ending.line, type: "test" });
    endedAs(id, ending);
  }
}

function endedAs(id, { status, time, type = "", message = "" }) {
  if (status === "fail" && errors.length === 0) errors.push({ name: type, message, urls: [] });
  ended(id, status, Number(time) * 1e9);
}

/** The process was left: what it printed tells which tests had ended, and the first that had not ran. */
function nameTheLast(how) {
  const printed = new Set(
    [...stderr.matchAll(/^\(pass\) (.*?)(?: \[[\d.]+m?s\])?$/gm)].map(([, name]) => name),
  );
  for (const [id, entry] of found) {
    if (entry.type !== "test" || over.has(id)) continue;
    if (printed.has(titlesOf(entry).join(" > "))) ended(id, "pass", 0);
    else {
      if (!running.has(id)) write({ type: "started", id, test: nameOf(entry) });
      return;
    }
  }
  const suite = [...stderr.matchAll(/^(\S.*\.[cm]?[jt]sx?):$/gm)].at(-1)?.[1];
  if (suite === undefined) return;
  const outcome = { status: "failed", message: `The process ended while tests of this file ran (${how})` };
  write({ type: "finished", id: "last", test: { name: suite, suite }, outcome });
}

child.on("close", async (code, signal) => {
  isOver = true;
  await closed.promise;
  unloaded();
  const text = wholeReport();
  if (text === undefined) nameTheLast(signal ?? `exit code ${code}`);
  else {
    completeFrom(text);
    write({ type: "end" });
  }
  if (signal !== null) process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
});
