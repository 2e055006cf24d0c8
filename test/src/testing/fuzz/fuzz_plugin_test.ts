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
  const tools = ["a", "b"].map((name) => textTool(name, { annotations: { readOnlyHint: true } }));
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
  const faults = finds.filter(({ severity }) => severity === "failure");
  t.same(faults.map(({ oracle }) => oracle).sort(), ["crash", "hang"]);
});

t.test("a crash at the fifth call is found as five calls with the plainest inputs, as a scenario", async (t) => {
  const { host, state } = scriptedHost((_tool, _input, nth) => nth === 5 ? "crash" : answer("ok"));
  const { finds } = await fuzz(host, { runs: 30 });
  const [find, ...more] = finds.filter(({ severity }) => severity === "failure");
  t.same(more, []);
  t.match(find, { oracle: "crash", confirmed: true, bound: undefined });
  t.same(find!.steps, Array(5).fill({ tool: "echo", input: { text: "" } }));
  t.match(find!.message, /after 4 other calls; alone it does not/);
  t.match(parseTests("found.yaml", find!.yaml!), [{ tier: 2 }]);
  t.equal(state.open, 0);
});

t.test("a crash that nothing shows again is told as not confirmed, without a test", async (t) => {
  let calls = 0;
  const { host } = scriptedHost(() => ++calls === 5 ? "crash" : answer("ok"));
  const { finds } = await fuzz(host, { runs: 30 });
  const [find] = finds.filter(({ severity }) => severity === "failure");
  t.match(find, { oracle: "crash", confirmed: false });
  t.match(find!.message, /not confirmed: neither the call alone nor the 4 calls before it showed it again/);
  t.equal(find!.test, undefined);
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
  t.match(tools, [{ tool: "echo", calls: 0, note: "not reached: out of time" }]);
  t.equal(cutShort, "not reached: echo");
});

t.test("a server that does not start any more is told, with what was found until then", async (t) => {
  const failing = (host: FuzzHost, after: number): FuzzHost => {
    let opened = 0;
    return {
      ...host,
      open: () =>
        ++opened <= after
          ? host.open()
          : Promise.reject(new PthError("START_FAILED", "Cannot start: exited with 1")),
    };
  };
  const { startFailed, finds, tools, cutShort } = await fuzz(
    failing(scriptedHost(quoteCrashes).host, 1),
    {},
    [
      textTool("echo"),
      textTool("next"),
    ],
  );
  t.equal(startFailed, "Cannot start: exited with 1");
  t.match(finds, [{ tool: "echo", oracle: "crash", confirmed: false, message: /does not start any more/ }]);
  t.match(tools, [{ tool: "echo" }, { tool: "next", calls: 0 }]);
  t.match(cutShort, /^not reached: next; fewer than 200 inputs: echo$/);
  await t.rejects(fuzz(failing(scriptedHost(quoteCrashes).host, 0)), { code: "START_FAILED" });
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
  t.same(
    test!.steps!.map(({ expect }) => expect),
    [{ success: false }, { well_behaved: true }],
    "the first answer was an error",
  );
});

/** A server whose calls take a time of their own on a clock that nothing else moves. */
function timedHost(cost: Record<string, number>, behave: Behaviour = () => answer("ok")) {
  let time = 0;
  const { host, calls } = scriptedHost((tool, input, nth) => {
    time += cost[tool] ?? 1;
    return behave(tool, input, nth);
  });
  return { host: { ...host, now: () => time }, calls };
}

t.test("time is shared: a slow tool takes its part, and what the others leave", async (t) => {
  const { host } = timedHost({ slow: 1_000 });
  const tools = [textTool("slow"), textTool("a"), textTool("b")];
  const { tools: told, cutShort } = await fuzz(host, { runs: 80, timeSeconds: 60 }, tools);
  const [slow, a, b] = told;
  t.match([a, b], [{ calls: 80, note: undefined }, { calls: 80, note: undefined }]);
  t.ok(slow!.calls > 30 && slow!.calls < 80, `${slow!.calls} calls: more than its third, and not all`);
  t.match(slow!.note, /^out of time after \d+ of 80 inputs$/);
  t.equal(cutShort, "fewer than 80 inputs: slow");
});

t.test("behind a tool that kills and one that hangs every tool is reached", async (t) => {
  const { host } = timedHost(
    { killer: 400, hangs: 400, last: 10 },
    (tool) => tool === "killer" ? "crash" : tool === "hangs" ? "silence" : answer("ok"),
  );
  const tools = [textTool("killer"), textTool("hangs"), textTool("last")];
  const { tools: told, finds } = await fuzz(host, { runs: 40, timeSeconds: 20, timeoutSeconds: 0.02 }, tools);
  t.match(told.map(({ tool }) => tool), ["killer", "hangs", "last"]);
  t.match(told[2], { calls: 40, accepted: 40 });
  t.match(told[0]!.note, /given up after 6 of 40 inputs: it lost the server 6 times/);
  t.match(
    finds.filter(({ severity }) => severity === "failure").map(({ tool, confirmed }) => [tool, confirmed]),
    [["killer", true], ["hangs", true]],
  );
});

t.test("tools for which no time is left are named", async (t) => {
  const { host } = timedHost({ a: 5_000, b: 5_000 });
  const tools = ["a", "b", "c"].map((name) => textTool(name));
  const { tools: told, cutShort } = await fuzz(host, { runs: 10, timeSeconds: 20 }, tools);
  t.match(told.map(({ calls }) => calls), [3, 2, 0]);
  t.equal(told[2]!.note, "not reached: out of time");
  t.equal(cutShort, "not reached: c; fewer than 10 inputs: a, b");
});

t.test("enough time changes nothing: the same calls and finds as without a limit", async (t) => {
  const tools = [textTool("echo"), textTool("other")];
  const [free, limited] = [timedHost({}, quoteCrashes), timedHost({}, quoteCrashes)];
  const first = await fuzz(free.host, { runs: 60 }, tools);
  const second = await fuzz(limited.host, { runs: 60, timeSeconds: 100_000 }, tools);
  t.same(limited.calls, free.calls);
  t.same(second.finds.map(({ yaml }) => yaml), first.finds.map(({ yaml }) => yaml));
});

t.test("a fault that another tool's call makes possible is found, with both calls", async (t) => {
  const states: { open: boolean }[] = [];
  const { host } = scriptedHost((tool, _input, nth) => {
    if (nth === 1) states.push({ open: false });
    const state = states.at(-1)!;
    if (tool === "open_store") state.open = true;
    return tool === "query" && state.open ? "crash" : answer("ok");
  });
  const tools = [textTool("query"), textTool("open_store"), textTool("idle")];
  const { finds } = await fuzz(host, { runs: 30 }, tools);
  const [find, ...more] = finds.filter(({ severity }) => severity === "failure");
  t.same(more, []);
  t.same(find!.steps, [{ tool: "open_store", input: { text: "" } }, { tool: "query", input: { text: "" } }]);
  t.match(find, { confirmed: true, test: { tier: 2 } });
});

t.test("ids of answers are used, and captured anew in the scenario", async (t) => {
  let made = 0;
  const known = new Set<string>();
  const { host } = scriptedHost((tool, input, nth) => {
    if (nth === 1) known.clear();
    if (tool === "create_note") {
      const id = `n-${++made}`;
      known.add(id);
      return answer(JSON.stringify({ note: { id, title: "x" } }));
    }
    return known.has(String(input.note_id)) ? "crash" : answer("no such note", true);
  });
  const open: ToolDefinition = {
    name: "open_note",
    inputSchema: { type: "object", properties: { note_id: { type: "string" } }, required: ["note_id"] },
  };
  const { finds } = await fuzz(host, { runs: 30 }, [textTool("create_note"), open]);
  const [find] = finds.filter(({ severity }) => severity === "failure");
  t.match(find, { tool: "open_note", oracle: "crash", confirmed: true });
  const [test] = parseTests("found.yaml", find!.yaml!);
  const [create, use] = test!.steps!;
  const [[variable, path] = []] = Object.entries(create!.capture);
  t.equal(path, "$.output.note.id");
  t.match(use!.action, { tool: "open_note", input: { note_id: `$${variable}` } });
});

t.test("ids in a text are used, as the numbers that a property takes", async (t) => {
  let made = 70_000;
  const known = new Set<unknown>();
  const { host } = scriptedHost((tool, { note_id }, nth) => {
    if (nth === 1) known.clear();
    if (tool !== "create_note") return known.has(note_id) ? "crash" : answer("no such note", true);
    known.add(++made);
    return answer(`Created a note with ID: ${made}`);
  });
  const open: ToolDefinition = {
    name: "open_note",
    inputSchema: { type: "object", properties: { note_id: { type: "integer" } }, required: ["note_id"] },
  };
  const { finds } = await fuzz(host, { runs: 30 }, [textTool("create_note"), open]);
  const [find] = finds.filter(({ severity }) => severity === "failure");
  t.match(find, { tool: "open_note", oracle: "crash", confirmed: true });
  const [create] = parseTests("found.yaml", find!.yaml!)[0]!.steps!;
  t.match(Object.values(create!.capture), [/^\/.*\/number$/]);
});

t.test("inputs that are known to work come first, with the calls before them, and are varied", async (t) => {
  const { host, calls } = scriptedHost((tool, { text }) =>
    tool === "login"
      ? answer(JSON.stringify({ token: "t-1" }))
      : answer("ok", !String(text).startsWith("t-1"))
  );
  const startingInputs = [{
    tool: "echo",
    input: { text: "$token and $$5" },
    setup: [{ tool: "login", input: { text: "me" }, capture: { token: "$.output.token" } }],
  }];
  const { tools } = await fuzz(host, { runs: 20, tools: ["echo", "login"], startingInputs }, [
    textTool("echo"),
    textTool("login"),
  ]);
  t.same(calls.slice(0, 2), ['["login",{"text":"me"}]', '["echo",{"text":"t-1 and $5"}]']);
  t.ok(tools[0]!.accepted > 0);
});

t.test("a server that validates nothing has one finding for each tool, with the plainest example", async (t) => {
  const { host } = scriptedHost(() => answer("ok"));
  const tools = [textTool("a"), textTool("b")];
  const { finds } = await fuzz(host, { runs: 60 }, tools);
  t.match(
    finds,
    tools.map(({ name }) => ({
      ...{
        tool: name,
        oracle: "schema_not_enforced",
        severity: "finding",
        input: {},
        breach: "missing text",
      },
    })),
  );
  const strict = scriptedHost((_tool, { text }) => answer("text must be a string", typeof text !== "string"));
  t.same((await fuzz(strict.host, { runs: 60 }, tools)).finds, []);
});

t.test("a fault of valid and of other inputs is told with a valid one, and that the empty one shows it", async (t) => {
  const { host } = scriptedHost(() => "crash");
  const { finds } = await fuzz(host, { runs: 30 });
  t.match(finds, [{ input: { text: "" }, message: /\{\}, which its schema forbids, shows it, too/ }]);
  t.equal(finds[0]!.breach, undefined);
  const optional = textTool("optional", {
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
  });
  t.match((await fuzz(host, { runs: 30 }, [optional])).finds, [{ input: {} }]);
});

t.test("a hang that does not show again is a finding, as load may have been the reason", async (t) => {
  let calls = 0;
  const { host } = scriptedHost(() => ++calls === 5 ? "silence" : answer("no", true));
  const { finds } = await fuzz(host, { runs: 20, timeoutSeconds: 0.02 });
  t.match(finds, [{ oracle: "hang", severity: "finding", confirmed: false }]);
  t.match(finds[0]!.message, /not confirmed: neither the call alone nor the 4 calls before it/);
});
