import t from "tap";
import type { CallOutcome, ConnectionLoss, ToolDefinition } from "../../../../machines/model/plugin.ts";
import type { FuzzRequest } from "../../../../machines/model/fuzz.ts";
import type { Connection } from "../../../../src/client/connection.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { fuzzPlugin } from "../../../../src/testing/fuzz/fuzz_plugin.ts";
import type { FuzzHost } from "../../../../src/testing/fuzz/fuzz_server.ts";
import { parseTests } from "../../../../src/testing/format/parse.ts";

const answer = (text: string, isError = false): CallOutcome => ({
  kind: "result",
  raw: {},
  text,
  isError,
  violations: [],
  durationMs: 0.1,
});

/** `nth` counts the calls of one server, from 1. */
type Behaviour = (
  tool: string,
  input: Record<string, unknown>,
  nth: number,
) => CallOutcome | "crash" | "silence" | "late";

/** Servers that do as they are told, in this process. */
function scriptedHost(behave: Behaviour) {
  const calls: string[] = [];
  const state = { opened: 0, open: 0 };
  const host: FuzzHost = {
    hide: (value) => value,
    open() {
      state.opened++;
      state.open++;
      return Promise.resolve(scriptedConnection(behave, calls));
    },
    close() {
      state.open--;
      return Promise.resolve();
    },
    megabytes: () => Promise.resolve(undefined),
  };
  return { host, calls, state };
}

function scriptedConnection(behave: Behaviour, calls: string[]): Connection {
  let nth = 0;
  let lose!: (loss: ConnectionLoss) => void;
  const lost = new Promise<ConnectionLoss>((resolve) => lose = resolve);
  const connection: Partial<Connection> = {
    id: "c",
    lost,
    stderrTail: () => "",
    strayOutput: () => [],
    ping: () => Promise.resolve(1),
    callTool(tool, input, { signal } = {}) {
      calls.push(JSON.stringify([tool, input]));
      const behaviour = behave(tool, input, ++nth);
      if (behaviour === "silence") {
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      }
      if (behaviour === "late") {
        return new Promise((resolve, reject) => {
          const timer = setTimeout(() => resolve(answer("at last")), 500);
          signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)));
        });
      }
      if (behaviour !== "crash") return Promise.resolve(behaviour);
      lose({
        reason: "exited",
        exitCode: 3,
        signal: null,
        stderrTail: "Error: boom",
        message: "exited with 3",
      });
      return Promise.reject(new PthError("SERVER_LOST", "Cannot call: the server is gone"));
    },
  };
  return connection as Connection;
}

const textTool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  ...more,
});

const fuzz = (
  host: FuzzHost,
  request: FuzzRequest = {},
  tools = [textTool("echo")],
  signal: AbortSignal = new AbortController().signal,
) =>
  fuzzPlugin(tools, host, { seed: 11, runs: 200, timeoutSeconds: 0.3, ...request }, {
    signal,
    reaching: false,
  });

const quoteCrashes: Behaviour = (_tool, { text }) =>
  typeof text !== "string" ? answer("not a text", true) : text.includes('"') ? "crash" : answer(text);

t.test("a crash is found once, shrunk, confirmed and written as a test", async (t) => {
  const { host, state } = scriptedHost(quoteCrashes);
  const { finds, tools, restarts } = await fuzz(host);
  t.equal(finds.length, 1);
  const [find] = finds;
  t.match(find, {
    tool: "echo",
    oracle: "crash",
    category: "runtime-exception",
    input: { text: '"' },
    confirmed: true,
  });
  t.ok(restarts > 0 && tools[0]!.accepted > 0);
  const [test] = parseTests("found.yaml", find!.yaml!);
  t.match(test, { tool: "echo", tier: 1, input: { text: '"' }, expect: { well_behaved: true } });
  t.match(test!.origin, /^fuzz seed 11 path \d+/);
  t.equal(state.open, 0, "no server is left");
});

t.test("the same seed makes the same calls and the same tests", async (t) => {
  const [one, two] = [scriptedHost(quoteCrashes), scriptedHost(quoteCrashes)];
  const [first, second] = [await fuzz(one.host), await fuzz(two.host)];
  t.same(one.calls, two.calls);
  t.equal(first.finds[0]!.yaml, second.finds[0]!.yaml);
  const other = scriptedHost(quoteCrashes);
  await fuzz(other.host, { seed: 12 });
  t.notSame(one.calls, other.calls);
});

t.test("a tool is drawn alone as it is among others", async (t) => {
  const tools = [textTool("a"), textTool("b")];
  const [all, alone] = [scriptedHost(() => answer("ok")), scriptedHost(() => answer("ok"))];
  await fuzz(all.host, {}, tools);
  await fuzz(alone.host, { tools: ["b"] }, tools);
  t.same(all.calls.filter((call) => call.startsWith('["b"')), alone.calls);
});

t.test("a tool that never answers is given up soon, and its test carries the limit", async (t) => {
  const { host, calls } = scriptedHost(() => "silence");
  const { finds, tools } = await fuzz(host);
  t.match(finds, [{ oracle: "hang", category: "timeout", test: { timeoutSeconds: 0.3 } }]);
  t.match(tools[0]!.note, /given up after \d+ of 200 inputs: it lost the server 0 times and hung 6 times/);
  t.ok(calls.length < 20);
});

t.test("a tool that takes its time is told as slow, and is no find", async (t) => {
  const { host } = scriptedHost(() => "late");
  const { finds, tools } = await fuzz(host, { runs: 6, sequences: true });
  t.same(finds, []);
  t.match(tools[0]!.note, /slow: \{"text":.*\} is answered after the limit of 0\.3 s/);
});

t.test("two faults of one tool are two finds", async (t) => {
  const { host } = scriptedHost((_tool, { text }) =>
    text === null || text === 7
      ? "silence"
      : typeof text === "string" && text.includes("'")
      ? "crash"
      : answer("ok")
  );
  const { finds } = await fuzz(host, { runs: 150 });
  t.same(finds.map(({ oracle }) => oracle).sort(), ["crash", "hang"]);
});

t.test("a crash that needs an earlier call is told, and no test is written that would not fail", async (t) => {
  const { host } = scriptedHost((_tool, _input, nth) => nth === 5 ? "crash" : answer("ok"));
  const { finds } = await fuzz(host, { runs: 30 });
  t.match(finds, [{ oracle: "crash", confirmed: false }]);
  t.equal(finds[0]!.test, undefined);
});

t.test("a healthy plugin has no finds", async (t) => {
  const { host, state } = scriptedHost((_tool, { text }) =>
    typeof text === "string" ? answer(text) : answer("text must be a string", true)
  );
  const { finds, tools, restarts } = await fuzz(host);
  t.same(finds, []);
  t.match(tools, [{ tool: "echo", calls: 200 }]);
  t.equal(restarts, 0);
  t.same(state, { opened: 1, open: 0 });
});

t.test("tools that destroy are held back unless they are asked for", async (t) => {
  const tools = [
    textTool("wipe_disk"),
    textTool("echo"),
    textTool("b", { annotations: { destructiveHint: true } }),
  ];
  const { host, calls } = scriptedHost(() => answer("ok"));
  const { heldBack } = await fuzz(host, { runs: 3 }, tools);
  t.same(heldBack.map(({ tool }) => tool), ["wipe_disk", "b"]);
  t.ok(calls.every((call) => call.startsWith('["echo"')));
  const all = await fuzz(scriptedHost(() => answer("ok")).host, { runs: 3, includeHeldBack: true }, tools);
  t.equal(all.tools.length, 3);
});

t.test("an unknown tool is refused by name, and one without inputs is noted", async (t) => {
  const { host } = scriptedHost(() => answer("ok"));
  await t.rejects(fuzz(host, { tools: ["ecko"] }), {
    code: "NO_SUCH_TOOL",
    context: { next: ["Choose among: echo"] },
  });
  const broken = {
    name: "odd",
    inputSchema: { type: "object", properties: { a: { type: "strin" } }, required: ["a"] },
  };
  t.match((await fuzz(host, {}, [broken])).tools, [{ tool: "odd", calls: 0, note: /not fuzzed/ }]);
});

t.test("an aborted search ends at once and leaves no server", async (t) => {
  const stop = new AbortController();
  const reason = new PthError("INTERRUPTED", "Cannot go on: it was stopped");
  let calls = 0;
  const { host, state } = scriptedHost(() => {
    if (++calls === 20) stop.abort(reason);
    return answer("ok");
  });
  await t.rejects(fuzz(host, {}, [textTool("echo")], stop.signal), { code: "INTERRUPTED" });
  t.equal(calls, 20);
  t.equal(state.open, 0);
});

t.test("time that is up ends the search, and it says so", async (t) => {
  const { host } = scriptedHost(() => answer("ok"));
  const { tools, cutShort } = await fuzz(host, { timeSeconds: 0.000_001 });
  t.same(tools, []);
  t.match(cutShort, /1 of 1 tools were not fuzzed/);
});

t.test("a server that does not start any more ends it with that error", async (t) => {
  const { host } = scriptedHost(quoteCrashes);
  let opened = 0;
  const failing: FuzzHost = {
    ...host,
    open: () =>
      ++opened < 3
        ? host.open()
        : Promise.reject(new PthError("START_FAILED", "Cannot start: exited with 1")),
  };
  await t.rejects(fuzz(failing), { code: "START_FAILED" });
});

t.test("a crash that needs two calls is found as a row of calls and written as a scenario", async (t) => {
  let opened = 0;
  const seen = new Map<number, string[]>();
  const { host } = scriptedHost((tool, { text }, nth) => {
    if (nth === 1) seen.set(++opened, []);
    const before = seen.get(opened)!;
    before.push(`${tool} ${text}`);
    return before.some((call) => call.startsWith("open ")) && tool === "close"
      ? "crash"
      : answer("ok", tool === "open");
  });
  const tools = [textTool("open"), textTool("close"), textTool("other")];
  const plain = await fuzz(host, { runs: 20 }, tools);
  t.match(plain.finds.map(({ test }) => test), []);
  const { finds } = await fuzz(host, { runs: 80, sequences: true }, tools);
  const [find] = finds.filter(({ test }) => test !== undefined);
  t.same(find?.steps?.map(({ tool }) => tool), ["open", "close"]);
  const [test] = parseTests("found.yaml", find!.yaml!);
  t.equal(test!.tier, 2);
  t.same(test!.steps!.map(({ expect }) => expect), [{ success: false }, {}], "the first answer was an error");
});
