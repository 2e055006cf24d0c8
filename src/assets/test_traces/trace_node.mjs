// Traces calls of functions that fit the patterns of trace_request.json, beside this file, in the Node process that
// imports it before all else (--import). A worker thread is the debugger of the main thread: it pauses at the beginning and the
// returns of these functions, asks for values, and goes on.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import inspector from "node:inspector";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { functionsIn } from "./functions_in.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const mostFunctions = 500;

if (isMainThread) await follow();
else if (workerData?.pthTracer === true) await trace();
else note("Calls in worker threads of Node are not traced");

/** Starts the tracer, and waits until it sees every script. */
async function follow() {
  if (typeof inspector.Session.prototype.connectToMainThread !== "function") {
    note(`Node ${process.versions.node} cannot be traced: it takes 20.11 or newer`);
    return;
  }
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { pthTracer: true },
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: "" },
    stdout: true,
    stderr: true,
  });
  worker.unref();
  // A pending promise does not keep a process alive; the port does, until the worker has answered.
  const alive = setInterval(() => {}, 1000);
  await new Promise((resolve) => {
    worker.once("message", resolve);
    worker.once("error", (error) => {
      note(`The tracer ended: ${error.message}`);
      resolve();
    });
  });
  clearInterval(alive);
}

function note(text) {
  const file = openSync(JSON.parse(readFileSync(here("trace_request.json"), "utf8")).output, "a");
  writeSync(file, `${JSON.stringify({ kind: "note", text })}\n`);
  closeSync(file);
}

async function trace() {
  const request = JSON.parse(readFileSync(here("trace_request.json"), "utf8"));
  const acorn = createRequire(import.meta.url)("./acorn.cjs");
  const patterns = request.patterns.map(({ pattern, source }) => ({
    pattern,
    source: new RegExp(source),
    functions: new Set(),
  }));
  const watches = request.watches.map(({ variable, sources }) => ({
    variable,
    sources: sources?.map((source) => new RegExp(source)),
  }));
  const output = openSync(request.output, "a");
  const write = (line) => writeSync(output, `${JSON.stringify(line)}\n`);
  const started = performance.now();
  // Answers of the other thread keep no event loop alive.
  setInterval(() => {}, 1000);
  const session = new inspector.Session();
  session.connectToMainThread();
  const ask = (method, parameters = {}) =>
    new Promise((resolve) =>
      session.post(method, parameters, (error, result) => resolve(error ? undefined : result))
    );

  const seen = new Set();
  /** Functions that begin or return at a breakpoint, by its id. */
  const places = new Map();
  const abouts = new Map();
  const calls = new Map();
  const unknownReturns = new Map();
  /** Functions whose beginnings or returns are not followed any more: `begin parser.parse`. */
  const dropped = new Set();
  /** Calls under way, outermost first. */
  const stack = [];
  const scripts = new Map();
  let serial = 0;
  let traced = 0;

  const told = () => patterns.map(({ pattern, functions }) => `${pattern}\0${functions.size}`).join("\n");
  let lastTold = "";
  /** Nothing says when the process ends: each change is told at once. */
  const tellPatterns = () => {
    if (told() === lastTold) return;
    lastTold = told();
    for (const { pattern, functions } of patterns) {
      const near = functions.size > 0 ? [] : alike(pattern, seen);
      write({ kind: "pattern", pattern, functions: functions.size, near });
    }
  };

  async function instrument(script) {
    const path = script.url.startsWith("file:") ? fileURLToPath(script.url) : script.url;
    if (!path.startsWith(`${request.root}/`) || path.includes("/node_modules/")) return;
    const source = (await ask("Debugger.getScriptSource", { scriptId: script.scriptId }))?.scriptSource;
    if (source === undefined) return;
    const file = path.slice(request.root.length + 1);
    const module = file.replace(/\.[cm]?[jt]sx?$/, "").replaceAll("/", ".");
    for (const found of functionsIn(acorn, source)) {
      const name = `${module}.${found.name}`;
      const fitting = patterns.filter(({ source }) => source.test(name));
      if (fitting.length === 0) {
        if (seen.size < 5000) seen.add(name);
        continue;
      }
      for (const { functions } of fitting) functions.add(name);
      if (++traced > mostFunctions) continue;
      const at = (place) => ({
        scriptId: script.scriptId,
        lineNumber: place.line - 1,
        columnNumber: place.column,
      });
      const { locations = [] } = await ask("Debugger.getPossibleBreakpoints", {
        start: at(found.start),
        end: at(found.end),
        restrictToFunction: true,
      }) ?? {};
      const about = { name, parameters: found.parameters, isAsync: found.isAsync };
      await place(locations[0], { ...about, kind: "begin" });
      for (const location of locations.filter(({ type }) => type === "return")) {
        await place(location, { ...about, kind: "end" });
      }
    }
    if (traced > mostFunctions) {
      write({ kind: "note", text: `More than ${mostFunctions} functions fit: the others are not traced` });
    }
    tellPatterns();
  }

  /** Several functions may begin or return at one place; a breakpoint is set once. */
  async function place(location, about) {
    if (location === undefined) return;
    const key = `${location.scriptId}:${location.lineNumber}:${location.columnNumber}`;
    const there = abouts.get(key);
    if (there !== undefined) {
      there.push(about);
      return;
    }
    const list = [about];
    abouts.set(key, list);
    const answer = await ask("Debugger.setBreakpoint", { location });
    if (answer !== undefined) places.set(answer.breakpointId, list);
  }

  const evaluate = async (frame, expression) => {
    const answer = await ask("Debugger.evaluateOnCallFrame", {
      callFrameId: frame.callFrameId,
      expression,
      returnByValue: true,
      silent: true,
      timeout: 500,
    });
    return answer?.exceptionDetails === undefined ? answer?.result.value : undefined;
  };
  /** Texts of expressions, each bounded; those that throw are left out. */
  const texts = async (frame, expressions) => {
    if (expressions.length === 0) return {};
    const parts = expressions.map((expression) =>
      `try { found[${JSON.stringify(expression)}] = show(${expression}); } catch { /* it is not in scope */ }`
    );
    return await evaluate(
      frame,
      `(() => { const show = ${show}; const found = {}; ${parts.join("")} return found; })()`,
    ) ?? {};
  };
  const watchedIn = async (frame, name) => {
    const wanted = watches.filter(({ sources }) =>
      sources === undefined || sources.some((source) => source.test(name))
    );
    const found = await texts(frame, wanted.map(({ variable }) => variable));
    return Object.keys(found).length > 0 ? { watched: found } : {};
  };

  async function paused({ callFrames, hitBreakpoints = [], reason, data }) {
    if (reason === "instrumentation" || data?.scriptId !== undefined) return;
    const [frame, caller] = callFrames;
    for (const about of hitBreakpoints.flatMap((id) => places.get(id) ?? [])) {
      if (about.kind === "begin" && frame.returnValue === undefined) {
        await begin(frame, caller, { ...about, depth: callFrames.length });
      } else if (about.kind === "end" && frame.returnValue !== undefined) {
        await end(frame, { ...about, depth: callFrames.length });
      }
    }
  }

  /** Calls of that depth and below have ended; one that goes on by itself has not. */
  const endThoseFrom = (depth, kept) => {
    for (const call of [...stack]) {
      if (call === kept || call.isAsync || call.depth < depth) continue;
      stack.splice(stack.indexOf(call), 1);
      write({ kind: "end", id: call.id, at: performance.now() - started, raised: "left by an exception" });
    }
  };

  /** Removes the breakpoints of a function that was called too often, as each further pause would cost its time. */
  async function drop(name, kind) {
    if (dropped.has(`${kind} ${name}`)) return;
    dropped.add(`${kind} ${name}`);
    for (const [id, list] of places) {
      if (!list.every((about) => dropped.has(`${about.kind} ${about.name}`))) continue;
      places.delete(id);
      await ask("Debugger.removeBreakpoint", { breakpointId: id });
    }
  }

  async function begin(frame, caller, { name, parameters, isAsync, depth }) {
    endThoseFrom(depth);
    const count = (calls.get(name) ?? 0) + 1;
    calls.set(name, count);
    if (count > request.mostOfFunction || serial >= request.mostCalls) {
      if (count === request.mostOfFunction + 1) write({ kind: "omitted", function: name });
      await drop(name, "begin");
      return;
    }
    const id = `${process.pid}.${++serial}`;
    const place = caller === undefined ? undefined : scripts.get(caller.location.scriptId);
    const parent = stack.findLast((call) => call.depth < depth);
    write({
      kind: "call",
      id,
      function: name,
      pid: process.pid,
      thread: "main",
      at: performance.now() - started,
      arguments: await texts(frame, parameters),
      ...(parent === undefined ? {} : { parent: parent.id }),
      ...(place === undefined ? {} : { calledAt: `${place}:${caller.location.lineNumber + 1}` }),
      ...await watchedIn(frame, name),
    });
    stack.push({ id, name, isAsync, depth });
  }

  async function end(frame, { name, isAsync, depth }) {
    const call = stack.findLast((call) => call.name === name && (isAsync || call.depth === depth));
    if (call === undefined) {
      if (!dropped.has(`begin ${name}`)) return;
      // Calls under way from before it was dropped may still return.
      const unknown = (unknownReturns.get(name) ?? 0) + 1;
      unknownReturns.set(name, unknown);
      const isLast = unknown > request.mostOfFunction || stack.every((call) => call.name !== name);
      if (isLast) await drop(name, "end");
      return;
    }
    if (!isAsync) endThoseFrom(depth, call);
    stack.splice(stack.indexOf(call), 1);
    const answer = frame.returnValue.objectId === undefined
      ? { result: { value: plain(frame.returnValue) } }
      : await ask("Runtime.callFunctionOn", {
        objectId: frame.returnValue.objectId,
        functionDeclaration: `function () { return (${show})(this); }`,
        returnByValue: true,
        silent: true,
      });
    write({
      kind: "end",
      id: call.id,
      at: performance.now() - started,
      returned: String(answer?.result?.value ?? frame.returnValue.description ?? "").slice(0, 400),
      ...await watchedIn(frame, name),
    });
  }

  const waiting = [];
  session.on("Debugger.scriptParsed", ({ params }) => {
    scripts.set(
      params.scriptId,
      params.url.startsWith(`file://${request.root}/`)
        ? params.url.slice(8 + request.root.length)
        : params.url,
    );
    waiting.push(instrument(params));
  });
  session.on("Debugger.paused", async ({ params }) => {
    await Promise.all(waiting.splice(0));
    await paused(params);
    session.post("Debugger.resume");
  });
  await ask("Debugger.enable");
  await ask("Debugger.setInstrumentationBreakpoint", { instrumentation: "beforeScriptExecution" });
  tellPatterns();
  parentPort.postMessage("ready");
}

/** Runs in the traced program: a short text of any value. */
function show(value) {
  try {
    if (typeof value === "string") return JSON.stringify(value.slice(0, 200));
    if (typeof value === "function") return `[function ${value.name}]`;
    if (typeof value !== "object" || value === null) return String(value);
    if (value instanceof Error) return String(value).slice(0, 200);
    if (value instanceof Map || value instanceof Set) {
      return `${value.constructor.name}(${value.size}) ${JSON.stringify([...value].slice(0, 10))}`.slice(
        0,
        400,
      );
    }
    if (value instanceof Promise) return "Promise";
    const known = new Set();
    const text = JSON.stringify(value, (_, part) => {
      if (typeof part === "bigint" || typeof part === "function") return String(part).slice(0, 50);
      if (typeof part === "object" && part !== null) {
        if (known.has(part) || known.size > 50) return "…";
        known.add(part);
      }
      return part;
    });
    const type = value.constructor?.name;
    return `${type === undefined || type === "Object" || type === "Array" ? "" : `${type} `}${text}`.slice(
      0,
      400,
    );
  } catch (error) {
    return `<${error.message}>`;
  }
}

function plain({ type, value, unserializableValue, description }) {
  if (type === "string") return JSON.stringify(value.slice(0, 200));
  return String(unserializableValue ?? (type === "undefined" ? "undefined" : value ?? description ?? "null"));
}

/** Names whose last part differs from the pattern's by little. */
function alike(pattern, names) {
  const wanted = pattern.split(/::|\./).at(-1).toLowerCase();
  const scored = [...names].map((name) => ({
    name,
    distance: distance(wanted, name.split(".").at(-1).toLowerCase()),
  }));
  return scored.filter(({ distance }) => distance <= Math.max(2, wanted.length / 3)).sort((a, b) =>
    a.distance - b.distance
  ).slice(0, 5).map(({ name }) => name);
}

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
