import t from "tap";
import type { ModelRequest } from "../../../../src/agents/playbook/model_request.ts";
import { packRequests, repackRequests } from "../../../../src/agents/recording/pack_requests.ts";
import { changedLines, requestDrift } from "../../../../src/agents/recording/request_drift.ts";
import { RequestImages } from "../../../../src/agents/recording/request_images.ts";
import { settledText } from "../../../../src/agents/recording/settled_text.ts";

const agent = { agent: "claude", version: undefined, prompt: "p" };
const folders = (number: number) => ({
  project: `/w/agent-${number}/project`,
  plugin: `/w/copy-${number}`,
  home: `/w/agent-${number}/home`,
  temporary: `/w/agent-${number}/tmp`,
});

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "m",
  system: "Be kind.\nBe short.",
  tools: [{ name: "find", description: "Finds", schema: { type: "object", required: ["word"] } }, {
    name: "buy",
  }],
  messages: [{ role: "user", text: "go\n- shop:arrange: Arranges" }],
  results: [],
  stream: false,
  body: {},
  ...more,
});

/** Images of requests as a session takes them, by `r1`, `r2` … */
function session(number: number, ...requests: ModelRequest[]) {
  const images = new RequestImages(folders(number));
  const taken = requests.map((each, at) =>
    [`r${at + 1}`, { ...images.take("main", each)!, place: `lane main, turn ${at + 1}` }] as const
  );
  return { came: new Map(taken), tools: images.tools };
}

/** Subjects of the differences between two sessions, each with its lines. */
function driftOf(then: ModelRequest[], now: ModelRequest[]) {
  const before = session(1, ...then);
  const { came, tools } = session(2, ...now);
  return requestDrift(packRequests(agent, before.came, before.tools), came, tools)
    .map(({ subject, lines }) => [subject, ...lines]);
}

t.test("two sessions that differ in what changes each time alone have no drift", (t) => {
  const at = (number: number) =>
    request({
      system:
        `In /w/agent-${number}/project, version 2.1.${number}, since ${number}:15 PM on Nov ${number}, 2026`,
      messages: [
        { role: "user", text: `id 0${number}9d2c4e-1111-2222-3333-444455556666, /w/copy-${number}/skills` },
        { role: "assistant", text: `only the model's ${number}` },
        { role: "system", text: `today is 2026-0${number}-11; it took ${number}2 ms` },
      ],
    });
  t.strictSame(driftOf([at(1)], [at(2)]), []);
  t.end();
});

t.test("tools that are gone or new, and what was changed in one, are told once", (t) => {
  const now = request({
    tools: [
      { name: "find", description: "Seeks", schema: { required: ["name"], type: "object" } },
      { name: "sell" },
    ],
  });
  t.strictSame(driftOf([request(), request()], [now, now]), [
    ["tool buy is not offered any more"],
    ["tool sell is new"],
    ["tool find: description", "- Finds", "+ Seeks"],
    ["tool find: schema", '-     "word"', '+     "name"'],
  ]);
  t.end();
});

t.test("a changed prompt shows its lines; the same in several requests is told once", (t) => {
  const system = "Be kind.\nBe long.";
  const messages = [{ role: "user" as const, text: "go" }];
  t.strictSame(
    driftOf([request(), request()], [request({ system, messages }), request({ system, messages })]),
    [
      ["system prompt of lane main, turn 1 and 1 more", "- Be short.", "+ Be long."],
      ["messages of lane main, turn 1", "- - shop:arrange: Arranges"],
    ],
  );
  t.end();
});

t.test("a tool that one request alone lacks is told there", (t) => {
  const [find] = request().tools;
  t.strictSame(driftOf([request(), request()], [request(), request({ tools: [find!] })]), [
    ["tools of lane main, turn 2", "- buy"],
  ]);
  t.end();
});

t.test("requests that did not come are no drift; accepted ones replace what was recorded", (t) => {
  const before = session(1, request(), request());
  const recorded = packRequests(agent, before.came, before.tools);
  const { came, tools } = session(2, request({ system: "Be long." }));
  t.strictSame(requestDrift(recorded, came, tools).map(({ subject }) => subject), [
    "system prompt of lane main, turn 1",
  ]);
  const after = repackRequests(agent, recorded, came, tools);
  t.strictSame(requestDrift(after, came, tools), []);
  t.strictSame(Object.keys(after.requests), ["r1", "r2"]);
  t.end();
});

t.test("lines that are only in another order are the same; long ones show where they differ", (t) => {
  t.strictSame(changedLines("a\nb\nb", "b\na\nb"), []);
  t.strictSame(changedLines("a\nb\nb", "a\nb"), ["- b"]);
  const long = (word: string) => `${"x".repeat(3000)} ${word} ${"y".repeat(3000)}`;
  const [gone, fresh] = changedLines(long("old"), long("new"));
  t.match(gone, /^- …x+ old y+/);
  t.match(fresh, /^\+ …x+ new y+/);
  t.ok(gone!.length < 220);
  const many = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");
  t.equal(changedLines(many, "").length, 21);
  t.end();
});

t.test("words that are no ids, times or versions stay", (t) => {
  const text = "deadbeef facade 10 of 20 files, 3.5 GB, port 8080, call me, May it be";
  t.equal(settledText(text, folders(1)), text);
  t.equal(
    settledText(
      "call_00000001 at http://127.0.0.1:4567, Tue Nov 24 2026 16:12:13, agent-x1y2z3",
      folders(1),
      [
        "agent-x1y2z3",
      ],
    ),
    "<id> at <model>, <date> <time>, <agent>",
  );
  t.end();
});
