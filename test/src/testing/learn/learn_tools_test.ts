import t from "tap";
import { PthError } from "../../../../src/core/errors.ts";
import { learnTools } from "../../../../src/testing/learn/learn_tools.ts";
import { learn, refuse, scriptedHost, tool } from "./scripted_server.ts";

const text = { type: "string" };

t.test("a tool that accepts the generated input is not searched", async (t) => {
  const { report, calls, state } = await learn({
    tools: [tool("echo", { text }), tool("now")],
    open: () => ({ echo: () => "ok", now: () => "12:00" }),
  });
  t.match(report, { learned: [], refused: [], calls: 2 });
  t.equal(calls.length, 2, "one call of each tells that");
  t.equal(state.opened, 1);
});

t.test("a state that no refusal names is found among the calls before, and only what is needed is kept", async (t) => {
  const { report } = await learn({
    tools: [tool("noise", { text }), tool("load_board", { text }), tool("other", { text }), tool("play")],
    open() {
      let loaded = false;
      return {
        noise: () => "ok",
        other: () => "ok",
        load_board: () => (loaded = true, "ok"),
        play: () => loaded ? "played" : refuse("Wrong state"),
      };
    },
  }, { tools: ["play"] });
  t.match(report.learned, [{ tool: "play", setup: [{ tool: "load_board" }], refusal: "Wrong state" }]);
});

t.test("a tool that must come first is itself searched", async (t) => {
  const { report } = await learn({
    tools: [tool("status"), tool("set_folder", { kind: text })],
    open() {
      let kind: unknown;
      return {
        status: () => kind === undefined ? refuse("No folder. Use set_folder first.") : "ok",
        set_folder: (input) => input.kind === "b" ? (kind = "b", "ok") : refuse("kind must be one of: a, b"),
      };
    },
  }, { tools: ["status"] });
  t.match(report.learned, [{ tool: "status", setup: [{ tool: "set_folder", input: { kind: "b" } }] }]);
});

t.test("what ends a part is learned before what ends the whole, in whatever order a server names them", async (t) => {
  const { report } = await learn({
    tools: [
      tool("delete_project", { project: text }),
      tool("delete_chunk", { project: text, chunk: text }),
      tool("create_project", { name: text }),
      tool("add_chunk", { project: text, chunk: text }),
    ],
    open() {
      const chunks = new Map<unknown, Set<unknown>>();
      const of = (project: unknown) => chunks.get(project) ?? refuse(`Project "${project}" not found`);
      return {
        delete_project: ({ project }) => (of(project), chunks.delete(project), "ok"),
        delete_chunk: ({ project, chunk }) => of(project).delete(chunk) ? "ok" : refuse("Chunk not found"),
        create_project: ({ name }) => {
          chunks.set(`${name}-1`, new Set());
          return JSON.stringify({ project: `${name}-1` });
        },
        add_chunk: ({ project, chunk }) => (of(project).add(chunk), "ok"),
      };
    },
  });
  t.strictSame(report.learned.map(({ tool }) => tool).toSorted(), [
    "add_chunk",
    "delete_chunk",
    "delete_project",
  ]);
});

t.test("what was finished meanwhile is made again", async (t) => {
  const { report } = await learn({
    tools: [
      tool("add_step", { plan_id: text }),
      tool("plan_work", { goal: text }),
      tool("approve", { plan_id: text }),
      tool("update", { plan_id: text }),
    ],
    open() {
      const isOpen = new Map<unknown, boolean>();
      const change = (id: unknown) => isOpen.get(id) ? "ok" : refuse("No plan that can be changed");
      return {
        plan_work: () => (isOpen.set(`p-${isOpen.size + 7}`, true), `Plan ID: p-${isOpen.size + 6}`),
        add_step: ({ plan_id }) => change(plan_id),
        approve: ({ plan_id }) => (change(plan_id), isOpen.set(plan_id, false), "approved"),
        update: ({ plan_id }) => change(plan_id),
      };
    },
  });
  t.strictSame(report.learned.map(({ tool }) => tool), ["add_step", "approve", "update"]);
});

t.test("what worked once and never on a new server is not learned", async (t) => {
  let calls = 0;
  const { report } = await learn({
    tools: [tool("moody", { text })],
    open: () => ({ moody: () => ++calls === 2 ? "yes" : refuse("text must be one of: red, blue") }),
  });
  t.match(report, { learned: [], refused: [{ tool: "moody", reason: "text must be one of: red, blue" }] });
});

t.test("excluded tools are neither learned nor called before others", async (t) => {
  const server = {
    tools: [tool("delete_all"), tool("wipe", {}, { annotations: { destructiveHint: true } }), tool("go")],
    open: () => ({ delete_all: () => "gone", wipe: () => "gone", go: () => refuse("Use delete_all first") }),
  };
  const { host, calls } = scriptedHost(server);
  const report = await learnTools(server.tools, host, {}, {
    signal: new AbortController().signal,
    place: { isolated: false, harmless: false },
    variables: new Map(),
  });
  t.strictSame([...new Set(calls.map((call) => call.tool))], ["go"]);
  t.match(report.refused, [{ tool: "go" }]);
});

t.test("a tool that ends or hangs its server is left alone after two calls, and the others are learned", async (t) => {
  const { report, calls } = await learn({
    tools: [tool("bomb", { text }), tool("hang", { text }), tool("mode", { text })],
    open: () => ({
      bomb: () => "crash",
      hang: () => "silence",
      mode: ({ text }) => text === "b" ? "ok" : refuse("text must be one of: a, b"),
    }),
  }, { tools: ["bomb", "hang", "mode"] });
  t.match(report.learned, [{ tool: "mode", input: { text: "b" } }]);
  t.match(report.refused.map(({ tool }) => tool), ["bomb", "hang"]);
  t.ok(calls.filter((call) => call.tool === "bomb").length <= 6);
});

t.test("no more calls are made than there is time and number for", async (t) => {
  const tools = Array.from({ length: 100 }, (_, index) => tool(`tool_${index}`, { text }));
  const { report } = await learn({
    tools,
    open: () =>
      Object.fromEntries(tools.map(({ name }) => [name, () => refuse("must be one of: a, b, c, d, e")])),
  });
  t.equal(report.cutShort, "600 calls");
  t.equal(report.calls, 600);
  t.match(await learn({ tools, open: () => ({}) }, { timeSeconds: 0 }), {
    report: { calls: 0, cutShort: "out of time (0 s)" },
  });
});

t.test("a server that bears no second one next to it ends the search, not the run", async (t) => {
  const open = () => {
    throw new PthError("START_FAILED", "Cannot start the server: its port is taken");
  };
  const { report } = await learn({ tools: [tool("a", { text })], open });
  t.match(report, { learned: [], cutShort: /its port is taken/ });
});

t.test("a search that is cancelled ends with the reason, and closes its servers", async (t) => {
  const stop = new AbortController();
  const { host, state } = scriptedHost({
    open: () => ({ a: () => (stop.abort(new Error("enough")), refuse("no")) }),
  });
  await t.rejects(
    learnTools([tool("a", { text })], host, {}, {
      signal: stop.signal,
      place: { isolated: true, harmless: true },
      variables: new Map(),
    }),
    { message: "enough" },
  );
  t.equal(state.open, 0);
});

t.test("given inputs are tried with their setup, secrets and captures, and refusals are told in the server's words", async (t) => {
  const server = {
    tools: [tool("open", { name: text }), tool("read", { id: text, key: text }), tool("send_mail")],
    open: () => ({
      send_mail: () => "sent",
      open: ({ name }: Record<string, unknown>) => `opened, id: ${name}-1`,
      read: ({ id, key }: Record<string, unknown>) =>
        id === "x-1" && key === "k" ? "ok" : refuse(`no ${id} for ${key}`),
    }),
  };
  const { host } = scriptedHost(server);
  const setup = [{ tool: "open", input: { name: "x" }, capture: { id: "/id: ([\\w-]+)/" } }];
  const inputs = [
    { tool: "read", setup, input: { id: "$id", key: "${env:KEY}" } },
    { tool: "read", setup: [], input: { id: "a", key: "b" } },
    { tool: "read", setup: [{ tool: "nothing", input: {}, capture: {} }], input: {} },
    { tool: "send_mail", setup: [], input: {} },
  ];
  const report = await learnTools(server.tools, host, { inputs }, {
    signal: new AbortController().signal,
    place: { isolated: true, harmless: false },
    variables: new Map([["KEY", "k"]]),
  });
  t.strictSame(report.learned, inputs.slice(0, 1), "a secret stays a name");
  t.strictSame(report.refused.map(({ reason }) => reason), [
    "no a for b",
    "step 1 (nothing): there is no tool nothing",
    'not called: its name says "send"',
  ]);
});
