// test: timeout=180
/** Tests of several steps against real servers: what they capture, what the server asks, how they are cut short. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { writeTextFile } from "../../../src/platform/files.ts";
import { makePlace, type Ran, runPth, story } from "../../support/pth_run.ts";

t.setTimeout(170_000);

const inRepository = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const everything = inRepository("node_modules/@modelcontextprotocol/server-everything/dist/index.js");

/** Runs the tests of a YAML text against the server of a file. */
async function runTests(t: Test, server: string, yaml: string, more: string[] = []): Promise<Ran> {
  const place = await makePlace(t);
  const file = join(place.folder, "tests.yaml");
  await writeTextFile(file, yaml);
  return await runPth(place, ["--env", "host", "--command", `node '${server}'`, "--tests", file, ...more]);
}

const statuses = ({ report }: Ran) =>
  Object.fromEntries(report.tests.map(({ name, status, category }) => [name, category ?? status]));
const messageOf = ({ report }: Ran, name: string) =>
  report.tests.find((test) => test.name === name)?.message ?? "";

t.test("server-everything: captures, replies to what it asks, progress, updates, cancelling", async (t) => {
  const ran = await runTests(
    t,
    everything,
    `
- name: a value is captured and given on
  steps:
    - tool: get-sum
      input: { a: 2, b: 3 }
      expect: { output_contains: "5" }
      capture: { answer: "$.text" }
    - tool: echo
      input: { message: "got: $answer" }
      expect: { output_contains: "got: The sum of 2 and 3 is 5" }
      verify: [{ exec: "echo hi", expect_stdout: "hi" }]
- name: elicitation is accepted
  steps:
    - tool: trigger-elicitation-request
      replies: { elicitation: [{ action: accept, content: { name: Ada } }] }
      expect: { output_contains: "Ada" }
- name: elicitation is declined
  steps:
    - tool: trigger-elicitation-request
      replies: { elicitation: [{ action: decline }] }
      expect: { output_contains: "declined" }
- name: sampling says what the script says
  steps:
    - tool: trigger-sampling-request
      input: { prompt: hello }
      replies: { sampling: [{ text: "scripted words" }] }
      expect: { output_contains: "scripted words" }
- name: roots of one test
  steps:
    - tool: get-roots-list
      replies: { roots: [{ uri: "file:///one" }] }
      expect: { output_contains: "file:///one" }
- name: roots of another test
  steps:
    - tool: get-roots-list
      replies: { roots: [{ uri: "file:///two" }] }
      expect: { output_contains: "file:///two" }
- name: cancelled at its first progress
  steps:
    - tool: trigger-long-running-operation
      input: { duration: 5, steps: 50 }
      cancel: { on_progress: true }
    - wait_for: { notification: notifications/progress, params: { progress: 1 } }
    - tool: echo
      input: { message: alive }
      expect: { output_contains: alive }
- name: a resource, a prompt and an update
  steps:
    - get_prompt: args-prompt
      arguments: { city: Bern }
      expect: { output_contains: Bern }
    - read_resource: demo://resource/dynamic/text/1
      expect: { output_contains: "Resource 1" }
    - subscribe: demo://resource/dynamic/text/1
    - tool: toggle-subscriber-updates
    - wait_for: { notification: notifications/resources/updated, timeout_seconds: 60 }
      expect: { output_json_contains: { uri: "demo://resource/dynamic/text/1" } }
`,
  );
  t.equal(ran.code, 0, story(ran));
  t.equal(ran.report.summary.passed, 8, story(ran));
});

t.test("what a script leaves open, and what does not come, fails its test by a category of its own", async (t) => {
  const ran = await runTests(
    t,
    everything,
    `
- name: asks more than the script has
  steps:
    - tool: trigger-elicitation-request
      replies: { elicitation: [] }
- name: asks less than the script has
  steps:
    - tool: echo
      input: { message: x }
      replies: { elicitation: [{ action: decline }] }
- name: a notification that never comes
  steps:
    - wait_for: { notification: notifications/never, timeout_seconds: 1 }
- name: over before it is cancelled
  steps:
    - tool: echo
      input: { message: x }
      cancel: { after_ms: 3000 }
- name: nothing to capture
  steps:
    - tool: echo
      input: { message: x }
      capture: { id: "$.output.id" }
- name: the second of three fails
  steps:
    - tool: echo
      input: { message: one }
    - tool: echo
      input: { message: two }
      expect: { output_contains: three }
    - tool: echo
      input: { message: three }
`,
  );
  t.equal(ran.code, 1);
  t.same(statuses(ran), {
    "asks more than the script has": "unexpected-side-effect",
    "asks less than the script has": "missing-side-effect",
    "a notification that never comes": "missing-side-effect",
    "over before it is cancelled": "wrong-output",
    "nothing to capture": "wrong-output",
    "the second of three fails": "wrong-output",
  });
  const message = messageOf(ran, "the second of three fails");
  t.match(message, /^step 2 \(echo\): output_contains/);
  t.match(message, /tests\.yaml:\d+:\d+/, "the place of the step is told");
  t.match(messageOf(ran, "nothing to capture"), /\$\.output\.id/);
});

t.test("a server of 2026-07-28 asks by its answers", async (t) => {
  const ran = await runTests(
    t,
    inRepository("test/fixtures/asking_server/server.mjs"),
    `
- name: answered
  steps:
    - tool: rename
      input: { kind: cat }
      replies:
        elicitation: [{ action: accept, content: { name: Tom } }]
        sampling: [{ text: Purr }]
      expect: { output_equals: "cat Tom: Purr" }
    - read_resource: note://one
      expect: { output_contains: Tom }
- name: declined
  steps:
    - tool: rename
      input: { kind: cat }
      replies: { elicitation: [{ action: decline }], sampling: [{ text: unused }] }
      expect: { output_contains: "not renamed: decline" }
- name: a client that offers nothing is refused
  steps:
    - tool: rename
      input: { kind: cat }
      expect: { success: false }
- name: a subscription is confirmed
  steps:
    - subscribe: note://one
`,
  );
  t.equal(ran.code, 0, story(ran));
  t.equal(ran.report.summary.passed, 4, story(ran));
});

/** Remembers users; one tool ends it, one never answers, one makes it deaf, one answers late though cancelled. */
const faulty = `
import { createInterface } from "node:readline";
const users = new Map();
let deaf = false;
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const inputSchema = { type: "object" };
const names = ["create", "get", "crash", "hang", "freeze", "slow"];
const structured = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value });
const tools = {
  create: ({ name }) => { users.set(users.size + 1, name); return structured({ uid: users.size, tags: ["a", "b"] }); },
  get: ({ uid }) => users.has(uid) ? structured({ name: users.get(uid), type: typeof uid })
    : { isError: true, content: [{ type: "text", text: "no user " + uid }] },
  crash: () => process.exit(3),
  hang: () => undefined,
  freeze: () => void (deaf = true),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (deaf || id === undefined) return;
  if (method === "initialize") {
    send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "f", version: "1" } } });
  } else if (method === "tools/list") send({ id, result: { tools: names.map((name) => ({ name, inputSchema })) } });
  else if (method === "ping") send({ id, result: {} });
  else if (method === "tools/call") {
    if (params.name === "slow") return setTimeout(() => send({ id, result: { content: [] } }), 1000);
    const result = tools[params.name](params.arguments);
    if (result) send({ id, result });
  } else send({ id, error: { code: -32601, message: "no such method" } });
});
`;

t.test("a crash, a hang and a deaf server fail their step alone; state lives over the steps of a test", async (t) => {
  const { folder } = await makePlace(t);
  const server = join(folder, "faulty.mjs");
  await writeTextFile(server, faulty);
  const ran = await runTests(
    t,
    server,
    `
- name: one call
  tool: create
  input: { name: zero }
- name: another call
  tool: create
  input: { name: zero }
- name: numbers stay numbers
  steps:
    - tool: create
      input: { name: Ada }
      capture: { id: "$.output.uid", tags: "$.output.tags[*]" }
    - tool: get
      input: { uid: $id }
      expect: { output_json: { name: Ada, type: number } }
    - tool: get
      input: { uid: "no $id and $tags" }
      expect: { error_contains: 'no [' , success: false }
- name: crashes in its second step
  steps:
    - tool: create
      input: { name: x }
    - tool: crash
    - tool: create
      input: { name: never }
- name: hangs in its first step
  timeout_seconds: 1
  steps:
    - tool: hang
    - tool: create
      input: { name: never }
- name: cancelled, and lives on
  steps:
    - tool: slow
      cancel: { after_ms: 50 }
    - tool: create
      input: { name: after }
- name: cancelled, and deaf from then on
  steps:
    - tool: freeze
      cancel: { after_ms: 50 }
- name: a step's own command fails
  steps:
    - tool: create
      input: { name: y }
      verify: [{ exec: "false" }]
- name: a tool sequence with a checklist
  tier: 3
  tool_sequence:
    - tool: create
      input: { name: z }
  checklist: [the user is there]
  verify: [{ exec: "true" }]
- name: a prompt
  tier: 3
  prompt: Make a user.
  checklist: [the user is there]
`,
    ["--workers", "2"],
  );
  t.equal(ran.code, 1);
  t.same(statuses(ran), {
    "one call": "passed",
    "another call": "passed",
    "numbers stay numbers": "wrong-output",
    "crashes in its second step": "runtime-exception",
    "hangs in its first step": "timeout",
    "cancelled, and lives on": "passed",
    "cancelled, and deaf from then on": "timeout",
    "a step's own command fails": "missing-side-effect",
    "a tool sequence with a checklist": "passed",
    "a prompt": "skipped",
  });
  t.match(messageOf(ran, "numbers stay numbers"), /^step 3 \(get\)/, "the first two hold");
  t.match(messageOf(ran, "numbers stay numbers"), 'no user no 1 and [\\"a\\",\\"b\\"]');
  t.match(messageOf(ran, "crashes in its second step"), /^step 2 \(crash\) ended the server.*exited with 3/);
  t.match(messageOf(ran, "hangs in its first step"), /^step 1 \(hang\) gave no answer within 1 s/);
  t.match(messageOf(ran, "cancelled, and deaf from then on"), /hangs: it was cancelled/);
  const notes = Object.fromEntries(ran.report.tests.map(({ name, note }) => [name, note]));
  t.match(
    notes["a tool sequence with a checklist"],
    /to be judged by a person or an agent:\n {2}- the user is there/,
  );
  t.match(notes["a prompt"], /a prompt test needs an agent: run it by its id/);
});
