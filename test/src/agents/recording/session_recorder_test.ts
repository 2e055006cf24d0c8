import t from "tap";
import type { ModelTurn } from "../../../../src/agents/model_api/model_turn.ts";
import type { ModelRequest, ToolResult } from "../../../../src/agents/playbook/model_request.ts";
import { readPlaybook } from "../../../../src/agents/playbook/read_playbook.ts";
import { SessionRecorder } from "../../../../src/agents/recording/session_recorder.ts";
import { withRecorded, writePlaybook } from "../../../../src/agents/recording/write_playbook.ts";

const folders = {
  project: "/w/agent-1/project",
  plugin: "/w/source",
  home: "/w/agent-1/home",
  temporary: "/w/agent-1/tmp",
};
const agent = { agent: "claude", version: "1.2.3", prompt: "order" };

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "m",
  system: "You are in /w/agent-1/project on 2026-11-24.",
  tools: [{ name: "find", description: "Finds" }, { name: "buy" }],
  messages: [{ role: "user", text: "order a hat" }],
  results: [],
  stream: false,
  body: {},
  ...more,
});
const result = (id: string, tool: string, value: unknown): ToolResult => ({
  id,
  tool,
  text: typeof value === "string" ? value : JSON.stringify(value),
});
const call = (id: string, tool: string, input: Record<string, unknown>) => ({ id, tool, input });

/** Records a conversation: each answer with the results that the next request brings. */
function record(...course: [ModelTurn, ToolResult[]?][]) {
  const recorder = new SessionRecorder(folders);
  const results: ToolResult[] = [];
  for (const [turn, brought = []] of course) {
    recorder.add(request({ results: [...results] }), turn, []);
    results.push(...brought);
  }
  return recorder.playbook(agent)!.turns!.map(({ request: _, ...turn }) => turn);
}

const buys = (input: Record<string, unknown>): [ModelTurn] => [{ calls: [call("c2", "buy", input)] }];
const finds = (...brought: ToolResult[]): [ModelTurn, ToolResult[]] => [
  { calls: brought.map(({ id }, at) => call(id!, "find", { word: at === 0 ? "hat" : "cap" })) },
  brought,
];

t.test("a value that an earlier result alone brought becomes a variable", (t) => {
  const found = result("c1", "find", { items: [{ id: 41, name: "hat" }], token: "tok-9f8e7d" });
  t.match(record(finds(found), buys({ itemId: 41, note: "41" }))[1], {
    bind: { id: { tool: "find", path: "$.items[0].id" } },
    calls: [{ tool: "buy", input: { itemId: "$id", note: "41" } }],
  });
  t.match(record(finds(found), buys({ list: [{ session: "tok-9f8e7d" }] }))[1], {
    bind: { token: { tool: "find", path: "$.token" } },
    calls: [{ input: { list: [{ session: "$token" }] } }],
  });
  const text = "Created the order ord-77aa12 for you";
  t.match(record(finds(result("c1", "find", text)), buys({ order: "ord-77aa12" }))[1], {
    bind: { id: { tool: "find", regex: "Created the order ([\\w-]+)" } },
    calls: [{ input: { order: "$id" } }],
  });
  t.end();
});

t.test("a value is bound where its result is the latest, and used as often as it comes", (t) => {
  const first = result("c1", "find", { id: "aa-100200" });
  const second = result("c3", "find", { id: "bb-300400" });
  const turns = record(finds(first), finds(second), buys({ a: "aa-100200" }), buys({ again: "aa-100200" }));
  t.strictSame(turns.map(({ bind }) => bind), [
    undefined,
    { id: { tool: "find", path: "$.id" } },
    undefined,
    undefined,
  ]);
  t.match(turns.slice(2).map(({ calls }) => calls), [[{ input: { a: "$id" } }], [{
    input: { again: "$id" },
  }]]);
  t.end();
});

t.test("a value whose origin is not certain stays as it is", (t) => {
  const plain = (input: Record<string, unknown>, ...brought: ToolResult[]) => {
    const [, turn] = record(finds(...brought), buys(input));
    t.equal(turn!.bind, undefined, JSON.stringify(input));
    t.strictSame(turn!.calls![0]!.input, input);
  };
  plain({ count: 3 }, result("c1", "find", { stock: 3 }));
  plain({ id: 3 }, result("c1", "find", { id: 3, parent: 3 }));
  plain(
    { id: "tok-9f8e7d" },
    result("c1", "find", { id: "tok-9f8e7d" }),
    result("c9", "find", { id: "tok-9f8e7d" }),
  );
  plain({ id: "hat" }, result("c1", "find", { id: "hat" }));
  plain({ id: 5 }, result("c1", "find", { id: 5 }), result("c9", "find", { id: 6 }));
  plain({ flag: true, none: null }, result("c1", "find", { flag: true, none: null }));
  t.end();
});

t.test("results that come in another order than their calls bind nothing of a tool that was called twice", (t) => {
  const [one, two] = [result("c1", "find", { id: "aa-100200" }), result("c2", "find", { id: "bb-300400" })];
  const asked: ModelTurn = { calls: [call("c1", "find", {}), call("c2", "find", {})] };
  t.match(record([asked, [one, two]], buys({ id: "bb-300400" }))[1]!.bind, { id: { path: "$.id" } });
  t.equal(record([asked, [two, one]], buys({ id: "aa-100200" }))[1]!.bind, undefined);
  t.end();
});

t.test("folders of the session and dollars are written so that a replay has its own", (t) => {
  const [turn] = record([{
    text: "It costs $5: /w/agent-1/project/a.txt, not /w/agent-1/projects",
    calls: [call("c", "find", { path: "/w/source/x", at: "$HOME", home: "/w/agent-1/home" })],
  }]);
  t.equal(turn!.text, "It costs $$5: $project/a.txt, not /w/agent-1/projects");
  t.strictSame(turn!.calls![0]!.input, { path: "$plugin/x", at: "$$HOME", home: "$home" });
  t.end();
});

t.test("subagents and calls for titles have lanes of their own; what was recorded is a playbook", (t) => {
  const recorder = new SessionRecorder(folders);
  const spawn = (prompt: string) => call("s", "Agent", { subagent_type: "shop:finder", prompt });
  recorder.add(request(), { calls: [spawn("find one"), spawn("find two")] }, []);
  const opening = (text: string) => ({ messages: [{ role: "user" as const, text }] });
  t.equal(recorder.add(request({ agent: "a", ...opening("find one") }), { text: "one" }, []), "shop:finder");
  t.equal(
    recorder.add(request({ agent: "b", ...opening("find two") }), { text: "two" }, []),
    "shop:finder 2",
  );
  t.equal(recorder.add(request({ agent: "c", ...opening("else") }), { text: "three" }, []), "subagent 3");
  t.equal(
    recorder.add(request({ tools: [] }), { text: "A title" }, ["a part is left out"], "title"),
    "title",
  );
  recorder.add(request(), { error: { status: 429, message: "slow down", retry_after: 2 } }, []);
  t.strictSame(recorder.notes, ["lane title, turn 1: a part is left out"]);

  const text = writePlaybook(recorder.playbook(agent)!);
  const { lanes, recorded } = readPlaybook("recorded.yaml", text);
  t.strictSame(lanes.map(({ name, subagent, side, turns }) => [name, subagent ?? side, turns.length]), [
    ["main", undefined, 2],
    ["shop:finder", "shop:finder", 1],
    ["shop:finder 2", "shop:finder", 1],
    ["subagent 3", 3, 1],
    ["title", "title", 1],
  ]);
  t.equal(lanes.at(-1)!.turns[0]!.optional, true);
  t.match(recorded, {
    agent: "claude",
    version: "1.2.3",
    prompt: "order",
    texts: { t1: "You are in <project> on <date>." },
  });
  const edited = withRecorded(text.replace("text: one", "text: one # by hand"), {
    ...recorded!,
    version: "2.0.0",
  });
  t.match(edited, "text: one # by hand");
  t.equal(readPlaybook("recorded.yaml", edited).recorded?.version, "2.0.0");
  t.equal(new SessionRecorder(folders).playbook(agent), undefined, "without a turn there is none");
  t.end();
});

t.test("a recording that names what is not there is refused at its place", (t) => {
  const text = "turns: [{ text: a }]\nrecorded:\n  agent: a\n  prompt: p\n  requests:\n" +
    "    r1: { system: t9, tools: s1, messages: [] }\n  tool_sets: { s1: [] }\n  tools: {}\n  texts: {}\n";
  t.throws(() => readPlaybook("a.yaml", text), { message: /a\.yaml:6:\d+ .*there is no text t9/ });
  t.end();
});
