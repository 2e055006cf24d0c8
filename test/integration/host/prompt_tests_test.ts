// test: timeout=240
/** `pth run --agent`: tests with a prompt, worked on by an agent, judged with evidence and proved by commands. */
import { join } from "node:path";
import t from "tap";
import { serveModel } from "../../../src/agents/model_api/serve_model.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { makePlace, namesIn, root, runPth } from "../../support/pth_run.ts";
import { smallServer } from "../../support/small_server.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());
const place = await makePlace(t);
const plugin = join(place.folder, "notes");
const books = join(place.folder, "books");

const schema = '{ type: "object", properties: { text: { type: "string", description: "t" } } }';
const server = smallServer({
  name: "notes",
  head: `import { writeFileSync } from "node:fs";
const tools = { write: ({ text }) => (writeFileSync("note.txt", text), "written") };`,
  tools: `Object.keys(tools).map((name) => ({ name, description: name, inputSchema: ${schema} }))`,
  text: "tools[call.name](call.arguments)",
});

const item = "the note says milk";
const test = (name: string, more = "") =>
  `name: ${name}
tier: 3
prompt: Leave the note "milk" behind.
checklist: [${item}]
setup: [{ exec: rm -f note.txt }]
verify: [{ exec: cat note.txt, expect_stdout: milk }]
${more}`;

const writes = (text = "milk") => `  - calls: [{ tool: write, input: { text: ${text} } }]\n  - text: Done.\n`;
const judgement = { checklist: [{ item, met: true, evidence: "write answered: written" }] };
const judged = `judge:\n  - text: '${JSON.stringify(judgement)}'\n`;

/** Each test with its playbook, and what is expected of it. */
const cases: Record<string, { book?: string; more?: string; status: string; message: RegExp }> = {
  proved: { book: `turns:\n${writes()}${judged}`, status: "passed", message: /^$/ },
  "not proved": {
    book: `turns:\n${writes("bread")}${judged}`,
    status: "failed",
    message: /^verify "cat note.txt"/,
  },
  idle: {
    book: `turns:\n  - text: It is done.\n${judged}`,
    status: "failed",
    message: /got an answer of none of the plugin's tools/,
  },
  "without a playbook": { status: "failed", message: /has no without-a-playbook\.yaml/ },
  "without a judge": { book: `turns:\n${writes()}`, status: "failed", message: /no turns under `judge`/ },
  "too slow": {
    book: `turns:\n  - { text: Late., delay_ms: 60000 }\n${judged}`,
    more: "timeout_seconds: 2\n",
    status: "failed",
    message: /^the agent was not done within 2 s/,
  },
};

t.before(async () => {
  await mkdir(join(plugin, ".pth/tests"), { recursive: true });
  await mkdir(books, { recursive: true });
  await writeTextFile(join(plugin, "package.json"), JSON.stringify({ name: "notes", version: "1.0.0" }));
  const config = { mcpServers: { notes: { command: "node", args: ["server.mjs"] } } };
  await writeTextFile(join(plugin, ".mcp.json"), JSON.stringify(config));
  await writeTextFile(join(plugin, "server.mjs"), server);
  for (const [name, { book, more }] of Object.entries(cases)) {
    const id = name.replaceAll(" ", "-");
    await writeTextFile(join(plugin, `.pth/tests/${id}.yaml`), test(name, more));
    if (book !== undefined) await writeTextFile(join(books, `${id}.yaml`), book);
  }
});

const small = join(root, "test/fixtures/agents/small");
const agent = [
  "--agent",
  "command",
  "--agent-command",
  'node "$PTH_AGENT/agent.mjs" chat',
  "--agent-folder",
  small,
];
const run = (...args: string[]) =>
  runPth(place, [plugin, "--env", "host", "--tests", join(plugin, ".pth/tests"), ...args], {}, turns.run);

t.test("only what was done, proved and judged with evidence passes", async (t) => {
  const { code, report, stderr } = await run(...agent, "--playbook", books);
  t.equal(code, 1, stderr);
  for (const [name, { status, message }] of Object.entries(cases)) {
    const result = report.tests.find((test) => test.name === name);
    t.equal(result?.status, status, `${name}: ${result?.message}`);
    if (status === "failed") t.match(result?.message, message, name);
  }
  t.strictSame(await namesIn(join(place.folder, "worktrees")), [], "nothing is left");
});

t.test("without an agent these tests are skipped, and never pass", async (t) => {
  const { report } = await run("--tier", "3");
  t.ok(report.tests.every(({ status }) => status === "skipped"));
});

t.test("what is missing for an agent is told before anything starts", async (t) => {
  const outcome = (...args: string[]) =>
    turns.run(["run", plugin, "--env", "host", ...args], { env: place.env });
  for (
    const [args, message] of [
      [["--playbook", books], /--playbook needs an agent/],
      [["--agent", "nobody", "--playbook", books], /--agent: expected one of claude, .*, not "nobody"/],
      [["--agent", "command", "--playbook", books], /--agent-command: give the program/],
      [agent, /--playbook: name a file of turns/],
      [[...agent, "--playbook", small], /several files|INVALID|Cannot read playbook/],
      [[...agent, "--playbook", join(books, "none.yaml")], /there is no file .*none\.yaml/],
    ] as const
  ) {
    const { code, stderr } = await outcome(...args);
    t.equal(code, 2, stderr);
    t.match(stderr, message);
  }
});

t.test("a real model is asked with a key by name, and a budget stops the run", async (t) => {
  const asked: number[] = [];
  const model = await serveModel(({ results, messages }) => {
    asked.push(messages.length);
    const judges = JSON.stringify(messages).includes("Judge each item");
    return Promise.resolve({
      turn: judges
        ? { text: JSON.stringify(judgement) }
        : results.length > 0
        ? { text: "Done." }
        : { calls: [{ tool: "write", input: { text: "milk" }, id: "call-1" }] },
    });
  });
  t.teardown(() => model.close());
  const real = [...agent, "--upstream", model.url, "--upstream-key", "TEST_MODEL_KEY", "--model", "m"];
  const ask = (...args: string[]) =>
    runPth(
      place,
      [plugin, "--env", "host", "--tests", join(plugin, ".pth/tests"), ...real, ...args],
      { TEST_MODEL_KEY: "key-of-the-vendor" },
      turns.run,
    );
  const { code, report, stderr, stdout } = await ask("--grep", "^proved$", "--budget-tokens", "1000");
  t.equal(code, 0, `${stderr}${stdout}`);
  t.match(report.tests, [{ status: "passed" }]);
  t.notMatch(JSON.stringify(report) + stdout + stderr, "key-of-the-vendor");

  asked.length = 0;
  // Each answer counts 15 tokens.
  const spent = await ask("--grep", "^(proved|idle)$", "--budget-cost", "0.0001", "--prices", "3/15");
  t.equal(spent.code, 1);
  t.match(spent.report.tests.map(({ message }) => message), [
    /upstream: the budget is spent: 0\.0001 of 0\.0001|the budget is spent/,
    /the budget is spent/,
  ]);
  t.equal(asked.length, 1, "the model is asked no more");

  const problems = await turns.run([
    ...[
      "run",
      plugin,
      ...agent,
      "--upstream",
      "https://api.example.com",
      "--budget-cost",
      "5",
      "--playbook",
      books,
    ],
  ], { env: place.env });
  t.equal(problems.code, 2);
  t.match(
    problems.stderr,
    /--upstream-key: name the environment variable that holds the key of api\.example\.com/,
  );
  t.match(problems.stderr, /--budget-cost cannot be counted without prices/);
  t.match(problems.stderr, /a model is one or the other/);
});
