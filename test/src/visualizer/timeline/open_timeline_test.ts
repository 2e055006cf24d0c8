import { mkdir, writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import t, { type Test } from "tap";
import { PthError } from "../../../../src/core/errors.ts";
import { openTimeline } from "../../../../src/visualizer/timeline/open_timeline.ts";
import { actor, event, header, newPath, snapshot, story, text, written } from "./written_recording.ts";

/** What a recording tells when it is opened whole. */
async function opened(t: Test, lines: readonly unknown[], first?: unknown) {
  const timeline = await openTimeline(await written(lines, first));
  t.teardown(() => timeline.close());
  return timeline;
}

async function refusal(path: string): Promise<PthError> {
  try {
    await (await openTimeline(path)).close();
  } catch (error) {
    if (error instanceof PthError) return error;
    throw error;
  }
  throw new Error(`${path} was opened`);
}

t.test("a recording is opened with its header, its lines and its length in time", async (t) => {
  const timeline = await opened(t, story);
  t.match(timeline, { header, length: story.length, duration: 1000, growing: false, problems: [] });
  t.equal(await timeline.count({}), 4);
});

t.test("positions and times lead to each other", async (t) => {
  const timeline = await opened(t, story);
  t.equal(timeline.positionAt(-1), 0);
  t.equal(timeline.positionAt(3), 4, "what happened at this very time has happened");
  t.equal(timeline.positionAt(1e9), story.length);
  t.equal(timeline.timeAt(0), 0);
  t.equal(timeline.timeAt(5), 3.5);
  t.equal(timeline.timeAt(1e9), 1000, "beyond the end is the end");
  t.equal(timeline.timeAt(Number.NaN), 0);
});

t.test("in the silence after a line an actor is told for the time that is asked for", async (t) => {
  const timeline = await opened(t, [
    actor(0, "x:0", "x:0", { machine: "harness" }),
    snapshot(1000, "x:0", "dormant"),
    actor(1000, "x:1", "0.work", { parent: "x:0", slot: "work" }),
    snapshot(60_000, "x:1", undefined, { status: "done" }),
  ]);
  const { explanation: { summary, pending } } = await timeline.actor("x:0", 3, 31_000);
  t.match(pending, [{ slot: "work", ageMs: 30_000 }]);
  t.match(summary, "for at least 30 s");
  for (const ms of [undefined, 5]) {
    const { explanation: { pending } } = await timeline.actor("x:0", 3, ms);
    t.match(pending, [{ ageMs: 0 }], "never before that line");
  }
});

t.test("a row of the list leads to its event", async (t) => {
  const timeline = await opened(t, story);
  const [row] = await timeline.rows({ type: "resize" }, 0, 1);
  t.match(row, { position: 7, at: 5, source: { id: "plugin" }, target: { id: "pool" }, type: "pool.resize" });
  t.match(await timeline.row(7), { type: "pool.resize", event: { type: "pool.resize", size: 3 } });
  for (const position of [0, 1, 8, 99, 1.5]) {
    await t.rejects(timeline.row(position), { code: "INVALID_INPUT", message: /none at position/ });
  }
});

t.test("an event that no transition was taken on is told as ignored", async (t) => {
  const timeline = await opened(t, [
    actor(0, "x:0", "x:0", { machine: "harness" }),
    event(1, "x:0", "one"),
    snapshot(1, "x:0", "dormant", { taken: ["harness.dormant|one|0"] }),
    event(2, "x:0", "two"),
    snapshot(2, "x:0", "dormant"),
  ]);
  const rows = await timeline.rows({}, 0, 9);
  t.strictSame(rows.map(({ type, ignored }) => [type, ignored]), [["one", false], ["two", true]]);
});

t.test("density counts events that are shown, in equal spans", async (t) => {
  const timeline = await opened(t, story);
  t.strictSame(timeline.density(2), [3, 1]);
  t.strictSame((await opened(t, [])).density(3), [0, 0, 0]);
});

t.test("what is no recording is refused with the reason and a next step", async (t) => {
  const folder = await newPath();
  await mkdir(folder);
  const empty = await newPath();
  await writeFile(empty, "");
  const binary = await newPath();
  await writeFile(binary, new Uint8Array(200_000).fill(0xff));
  const cases: [string, RegExp][] = [
    [await newPath(), /no such file/],
    [`${empty}/below`, /no such file/],
    [folder, /it is a folder/],
    [empty, /it is empty/],
    [binary, /not a recording of a session/],
    [await written([], "hello"), /not a recording of a session/],
    [await written([], { at: 1, type: "actor" }), /not a recording of a session/],
    [await written([], { format: "pth-recording/0" }), /its format is pth-recording\/0/],
    [await written([], { format: "har/1" }), /its format is har\/1/],
    [await written([], '{"format":"pth-recording/2","star'), /first line is cut off/],
  ];
  for (const [path, message] of cases) {
    const error = await refusal(path);
    t.match(error, { code: "INVALID_INPUT", message }, String(message));
    t.match(error.context.next, [String], "there is a next step");
  }
});

t.test("a recording of an MCP conversation is refused with the command that reads it", async (t) => {
  const error = await refusal(await written([], { format: "pth-mcp-recording/1", source: "x" }));
  t.equal(error.code, "INVALID_INPUT");
  t.match(error.context.next, [/pth replay <target> --recording/]);
});

t.test("a recording of a newer version is refused as such", async (t) => {
  const error = await refusal(await written(story, { ...header, format: "pth-recording/3" }));
  t.match(error, { code: "UNSUPPORTED", message: /pth-recording\/3, and this version of PTH reads up to/ });
});

t.test("a last line that is cut off is told, and everything before it is shown", async (t) => {
  const whole = text([header, ...story]);
  // Cut within the text, and so that only its last brace is missing.
  for (const missing of [10, 2]) {
    const path = await newPath();
    await writeFile(path, whole.slice(0, -missing));
    const timeline = await openTimeline(path);
    t.equal(timeline.length, story.length - 1);
    t.match(timeline.problems, [/last line is cut off/]);
    await timeline.close();
  }
});

t.test("a last line that lacks nothing but its line end is whole", async (t) => {
  const path = await newPath();
  await writeFile(path, text([header, ...story]).trimEnd());
  const timeline = await openTimeline(path);
  t.teardown(() => timeline.close());
  t.match(timeline, { length: story.length, problems: [] });
});

t.test("lines that are none are left out and told by their numbers", async (t) => {
  const timeline = await opened(t, [
    story[0],
    "{garbage",
    "",
    "[1,2]",
    '{"at":"soon","type":"event","actor":"x:0","event":{"type":"a"}}',
    '{"at":4,"type":"event","actor":"x:0","event":"a"}',
    '{"at":5,"type":"snapshot","actor":"x:0","value":"a","status":"puzzled"}',
    '{"at":5,"type":"snapshot","actor":"x:0","value":{"a":oops},"status":"active"}',
    '{"at":5,"type":"snapshot","actor":"x:0","value":"a","status":"active","taken":7}',
    event(6, "x:0", "still.here"),
  ]);
  t.equal(timeline.length, 2);
  t.match(timeline.problems, [
    "7 lines are not lines of a recording and were left out: 3, 5, 6, 7, 8 and 2 more.",
  ]);
  t.match(await timeline.rows({}, 0, 9), [{ type: "still.here", position: 2 }]);
});

t.test("a line that begins well and ends badly is shown as far as it goes", async (t) => {
  const bad = '{"at":1,"type":"event","actor":"x:0","event":{"type":"half.told","x":tru}}';
  const timeline = await opened(t, [bad]);
  t.match(await timeline.row(1), { type: "half.told", event: { abridged: bad } });
});

t.test("lines of a kind that is not known yet are passed over and counted", async (t) => {
  const later = { at: 3, type: "marker", actor: "x:0", colour: "red" };
  const timeline = await opened(t, [story[0], later, later, event(4, "x:0", "a")]);
  t.equal(timeline.length, 2);
  t.match(timeline.problems, [/^2 lines of a kind that this version of PTH does not know/]);
});

t.test("line ends of Windows, a mark of the byte order and bad UTF-8 do no harm", async (t) => {
  const path = await newPath();
  const windows = "\uFEFF" + text([header, ...story]).replaceAll("\n", "\r\n");
  const bad = '{"at":2000,"type":"event","actor":"x:0","event":{"type":"bytes","of":"\xff\xfe"}}\r\n';
  await writeFile(path, Buffer.concat([Buffer.from(windows), Buffer.from(bad, "latin1")]));
  const timeline = await openTimeline(path);
  t.teardown(() => timeline.close());
  t.match(timeline, { length: story.length + 1, problems: [] });
  t.match(await timeline.row(story.length + 1), { event: { of: "\uFFFD\uFFFD" } });
});

t.test("keys in another order, escapes and blanks are understood", async (t) => {
  const usual = await opened(t, story);
  const reversed = story.map((line) => Object.fromEntries(Object.entries(line as object).reverse()));
  const blanks = story.map((line) => ` ${JSON.stringify(line, undefined, 1).replaceAll("\n", " ")} `);
  const escaped = story.map((line) => JSON.stringify(line).replaceAll("x:", "\\u0078:"));
  for (const lines of [reversed, blanks, escaped]) {
    const other = await opened(t, lines);
    t.strictSame(other.problems, []);
    t.strictSame(await other.rows({ internal: true }, 0, 99), await usual.rows({ internal: true }, 0, 99));
    for (let position = 0; position <= story.length; position++) {
      t.strictSame(await other.actors(position), await usual.actors(position));
    }
  }
});

t.test("actors that no line introduces, and times that go back, are taken as they come", async (t) => {
  const timeline = await opened(t, [event(50, "x:7", "a", {}, "x:8"), event(20, "x:7", "b")]);
  t.match(await timeline.actors(2), [{ actor: "x:7", id: "x:7", heard: 2 }, { actor: "x:8" }]);
  t.equal(timeline.positionAt(49), 0);
  t.equal(timeline.positionAt(50), 2);
});

t.test("names like those of an object's own members are names", async (t) => {
  const timeline = await opened(t, [actor(0, "__proto__", "constructor"), event(1, "__proto__", "toString")]);
  t.match(await timeline.rows({}, 0, 9), [{
    type: "toString",
    target: { actor: "__proto__", id: "constructor" },
  }]);
});

t.test("format 1 is read, its machines known by the names of their actors", async (t) => {
  const timeline = await opened(t, [
    actor(0, "x:0", "x:0"),
    actor(1, "x:1", "session", { parent: "x:0" }),
    actor(2, "x:2", "test-12-again-1", { parent: "x:1" }),
    actor(3, "x:3", "0.session.preparing", { parent: "x:1" }),
    actor(4, "x:4", "something-else", { parent: "x:1" }),
  ], { format: "pth-recording/1", startedAt: header.startedAt });
  const actors = await timeline.actors(5);
  t.strictSame(actors.map(({ machine, slot }) => machine ?? slot), [
    "harness",
    "session",
    "test",
    "0.session.preparing",
    undefined,
  ]);
});

t.test("a test that ended as it should is failing where its verdict is a failure", async (t) => {
  const verdict = { status: "failed", message: "3 is not 4" };
  const test = (at: number, name: string, facts: object) => [
    actor(at, name, "test", { parent: "x:0", machine: "test" }),
    event(at + 1, "x:0", "test.finished", facts, name),
    snapshot(at + 2, name, "finished", { status: "done" }),
    event(at + 2, "x:0", "xstate.done.actor.test", {}, name),
  ];
  const timeline = await opened(t, [
    actor(0, "x:0", "suite", { machine: "suite" }),
    ...test(1, "x:1", { verdict: { status: "passed" } }),
    ...test(2, "x:2", { verdict }),
    ...test(3, "x:3", { verdict: { abridged: JSON.stringify(verdict).slice(0, 40) } }),
  ]);
  const health = async (position: number) =>
    (await timeline.actors(position, { ended: 100 })).map(({ health }) => health);
  t.same(await health(13), ["well", "ended", "failing", "failing"]);
  t.same(await health(7), ["well", "ended", "well"], "not before it ended");
  t.equal((await timeline.actor("x:2", 13)).health, "failing");
});

t.test("of thousands that ended the last of each are told, those that failed, and the selected one", async (t) => {
  const test = (number: number, status: string) => {
    const [name, work] = [`x:${number}`, `x:${number}0000`];
    return [
      actor(number, name, `test-${number}`, { parent: "x:0", machine: "test" }),
      actor(number, work, "0.test.running", { parent: name, slot: "work" }),
      event(number, "x:0", "test.finished", { verdict: { status } }, name),
      snapshot(number, name, "finished", { status: "done" }),
    ];
  };
  const failed = [1, 5, 9];
  const numbers = Array.from({ length: 1000 }, (_, place) => place + 1);
  const timeline = await opened(t, [
    actor(0, "x:0", "suite", { machine: "suite" }),
    ...numbers.flatMap((number) => test(number, failed.includes(number) ? "failed" : "passed")),
    actor(1001, "x:2000", "test-2000", { parent: "x:0", machine: "test" }),
  ]);
  const tests = async (selected?: string) => {
    const which = { ended: 996, endedOfEach: 2, ...(selected === undefined ? {} : { selected }) };
    const rows = await timeline.actors(timeline.length, which);
    return rows.map(({ actor }) => actor).join(" ");
  };
  t.equal(
    await tests(),
    "x:0 x:5 x:50000 x:9 x:90000 x:999 x:9990000 x:1000 x:10000000 x:2000",
    "with what is theirs",
  );
  t.equal(
    await tests("x:70000"),
    "x:0 x:5 x:50000 x:7 x:70000 x:9 x:90000 x:999 x:9990000 x:1000 x:10000000 x:2000",
    "with what it belongs to",
  );
  t.equal((await timeline.actors(timeline.length, { ended: 1e12 })).length, 2002, "all that there are");
});

t.test("tests and calls are told with the name of what they are about", async (t) => {
  const begun = (number: number, machine: string, input: unknown) => [
    actor(number, `x:${number}`, `${machine}-${number}`, { parent: "x:0", machine }),
    event(number, `x:${number}`, "xstate.init", { input }, "x:0"),
  ];
  const planned = { test: { id: "echo-answers", verify: [{ name: "step" }], name: 'echo "answers"' } };
  const abridged = { abridged: JSON.stringify({ planned }).slice(0, 50) };
  const timeline = await opened(t, [
    actor(0, "x:0", "suite", { machine: "suite" }),
    ...begun(1, "test", { planned }),
    ...begun(2, "test", abridged),
    ...begun(3, "agent_run", { planned }),
    ...begun(4, "call", { tool: "transform_text", input: { name: "no name of its own" } }),
    ...begun(5, "test", "nothing"),
    ...begun(6, "pool", { planned, tool: "none" }),
    ...begun(7, "test", { planned: { test: { verify: [{ name: 'a, "b' }], setup: {}, name: "zählt mit" } } }),
    ...begun(8, "test", { planned: { test: { id: "its-id", tier: 1 } } }),
    ...begun(9, "test", { planned: { test: { id: "x", name: "n".repeat(200) } } }),
  ]);
  const names = (await timeline.actors(timeline.length)).map(({ name }) => name);
  t.strictSame(names, [
    undefined,
    'echo "answers"',
    "echo-answers",
    'echo "answers"',
    "transform_text",
    undefined,
    undefined,
    "zählt mit",
    "its-id",
    `${"n".repeat(119)}…`,
  ]);
  t.match(await timeline.actor("x:1", timeline.length), { id: "test-1", name: 'echo "answers"' });
});

t.test("a line of more than a megabyte is read like any other", async (t) => {
  const long = "z".repeat(3_000_000);
  const timeline = await opened(t, [story[0], event(1, "x:0", "long", { long }), event(2, "x:0", "short")]);
  t.equal(await timeline.count({}), 2);
  t.match(await timeline.row(2), { event: { long } });
});
