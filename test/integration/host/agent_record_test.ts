// test: timeout=180
/** A session recorded in front of a second model server, and replayed without it, by `pth agent record | replay`. */
import { join } from "node:path";
import t, { type Test } from "tap";
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import { readPlaybook } from "../../../src/agents/playbook/read_playbook.ts";
import { readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { openVendor, type VendorTurn } from "../../support/model_vendor.ts";
import { makePlace, type Place, root } from "../../support/pth_run.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

const key = "sk-planted-4f9a8b7c6d";

interface Session {
  code: number | null;
  stdout: string;
  stderr: string;
  result: AgentSessionResult;
}

/** Runs `pth agent …` with a small agent that asks by one of the APIs. */
async function agent(place: Place, api: string, ...args: string[]): Promise<Session> {
  const { code, stdout, stderr } = await turns.run([
    ...["agent", ...args, "--agent", "command", "--agent-command", `node "$PTH_AGENT/agent.mjs" ${api}`],
    ...["--agent-folder", join(root, "test/fixtures/agents/small"), "--env", "host", "--json"],
  ], { env: { ...place.env, PTH_TEST_KEY: key } });
  return { code, stdout, stderr, result: JSON.parse(stdout.startsWith("{") ? stdout : "{}") };
}

const course: VendorTurn[] = [
  { text: "I look. $5?", calls: [{ tool: "find", input: { name: "rose" } }], usage: { input_tokens: 90 } },
  // The vendor repeats the key that it was sent, as some do.
  ({ results }) => ({
    text: `With ${key}`,
    calls: [{ tool: "order", input: { id: JSON.parse(results[0]!.text).id } }],
  }),
  { text: "Ordered." },
];

async function recorded(t: Test, api: string, vendorTurns: readonly VendorTurn[] = course) {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  const vendor = await openVendor(t, vendorTurns);
  const file = join(place.folder, `${api}.yaml`);
  const session = await agent(place, api, "record", plugin, "a rose, $HOME", ...[
    ...["--upstream", vendor.url, "--upstream-key", "PTH_TEST_KEY", "--out", file],
    ...["--record", join(place.folder, "events.jsonl"), "--trace", join(place.folder, "trace.json")],
  ]);
  return { place, plugin, vendor, file, session };
}

t.test("a recorded session replays identically; drift is shown, and can be accepted", async (t) => {
  const { place, plugin, vendor, file, session } = await recorded(t, "gemini");
  t.equal(session.code, 0, session.stderr);
  t.match(session.stderr, `Wrote ${file}: 3 turns`);
  await vendor.close();
  const { stdout } = await runCommand(["grep", "-rlF", key, place.folder]);
  t.equal(
    `${stdout}${session.stdout}${session.stderr}`.includes(key) ? "shown" : stdout,
    "",
    "the key is nowhere",
  );

  const { lanes: [main] } = readPlaybook(file, await readTextFile(file));
  t.match(main!.turns, [
    { text: "I look. $$5?", usage: { input_tokens: 90 } },
    {
      text: "With [REDACTED]",
      bind: { id: { tool: "find", path: "$.id" } },
      calls: [{ tool: "order", input: { id: "$id" } }],
    },
    { text: "Ordered." },
  ]);

  const first = await agent(place, "gemini", "replay", plugin, file);
  const second = await agent(place, "gemini", "replay", plugin, file);
  t.strictSame([first.code, first.result.failures, first.result.drift], [0, [], []], first.stderr);
  t.strictSame(second.result.trace, first.result.trace);
  t.strictSame(first.result.trace, session.result.trace);

  const server = join(plugin, "server.mjs");
  await writeTextFile(server, (await readTextFile(server)).replace("Finds a flower", "Seeks a flower"));
  const drifted = await agent(place, "gemini", "replay", plugin, file);
  t.equal(drifted.code, 1);
  const drift = [{
    subject: "tool find: description",
    lines: ["- Finds a flower by its name", "+ Seeks a flower by its name"],
  }];
  t.strictSame(drifted.result.drift, drift);
  t.strictSame(drifted.result.failures, ["the requests are not as they were recorded (1 difference)"]);
  const accepted = await agent(place, "gemini", "replay", plugin, file, "--accept-drift", "--update");
  t.strictSame([accepted.code, accepted.result.drift], [0, drift]);
  t.match(accepted.stderr, `Wrote how the requests are now into ${file}`);
  t.match(await readTextFile(file), "description: Seeks a flower by its name");
});

t.test("a real model answers a run, which a budget stops; what was recorded until then is kept", async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  const file = join(place.folder, "part.yaml");
  let asked = 0;
  const open = () =>
    openVendor(
      t,
      course.map((turn) => (request) => {
        asked++;
        return typeof turn === "function" ? turn(request) : turn;
      }),
    );
  const session = async (...args: string[]) => {
    const [action = "", ...more] = args;
    const upstream = ["--upstream", (await open()).url, "--upstream-key", "PTH_TEST_KEY", "--model", "big"];
    return await agent(place, "gemini", action, plugin, "a rose", ...upstream, ...more);
  };
  // The first answer counts 95 tokens, the others 15.
  const whole = await session("run", "--budget-tokens", "126");
  t.strictSame([whole.code, whole.result.failures], [0, []], whole.stderr);
  t.match(whole.result, { played: 3, spent: { tokens: 125, cost: 0 } });
  t.equal(`${whole.stdout}${whole.stderr}`.includes(key), false, "the key is not shown");

  const costly = await session("run", "--budget-cost", "0.0003", "--prices", "3/15");
  t.equal(costly.code, 1);
  t.match(costly.result, {
    stopped: "over-budget",
    failures: [
      "upstream: the budget is spent: 0.0003 of 0.0003",
      "command was stopped before it could ask the model again",
    ],
    played: 1,
  });
  const part = await session("record", "--budget-tokens", "100", "--out", file);
  t.equal(part.code, 1);
  t.match(part.result, { stopped: "over-budget", spent: { tokens: 110 }, played: 2 });
  t.match(part.stderr, `Wrote ${file}: 2 turns`);
  t.match(await readTextFile(file), /model: big/);
  t.equal(asked, 6, "the model is asked no more than that");
});

t.test("answers that break off count for the budget, which cannot be kept where they do not tell their cost", async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  let asked = 0;
  const cut = () => ({ text: "I lo", error: { stream: "cut" as const }, usage: { input_tokens: asked++ } });
  const vendor = await openVendor(t, Array.from({ length: 9 }, () => cut));
  const body = JSON.stringify({
    model: "m",
    stream: true,
    messages: [{ role: "user", content: "go" }],
    tools: [{ type: "function", function: { name: "find", parameters: {} } }],
  });
  // It asks again for ever.
  const program =
    `const ask = () => fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", ` +
    `body: ${
      JSON.stringify(body)
    } }).then((r) => r.text()).catch(() => {}).then(() => setTimeout(ask, 50)); ask()`;
  const { code, stdout, stderr } = await turns.run([
    ...["agent", "run", plugin, "go", "--upstream", vendor.url, "--budget-tokens", "1000", "--json"],
    ...["--agent", "command", "--agent-command", `node -e '${program}'`, "--env", "host"],
  ], { env: place.env });
  t.equal(code, 1, stderr);
  t.match(JSON.parse(stdout), {
    stopped: "over-budget",
    failures: [/the budget cannot be kept: the model does not say what its answer has cost/, /was stopped/],
  });
  t.equal(asked, 1);
});

t.test("a key that is refused is recorded as the error that it is", async (t) => {
  const refusal = { error: { status: 401, message: `Incorrect API key provided: ${key}` } };
  const { file, session } = await recorded(t, "chat", [refusal]);
  t.equal(session.code, 1);
  t.match(session.result.failures, [
    /^command ended with exit code 1: 401 .*Incorrect API key provided: \[REDACTED\]/,
  ]);
  t.match(await readTextFile(file), /status: 401\n\s+message: .*Incorrect API key provided: \[REDACTED\]/);
});

t.test("a real model that cannot be reached is one clear failure, and nothing is written", async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  const file = join(place.folder, "none.yaml");
  const upstream = ["--upstream", "http://127.0.0.1:1", "--out", file];
  const { code, result, stderr } = await agent(place, "responses", "record", plugin, "go", ...upstream);
  t.equal(code, 1);
  t.match(result.failures[0], /^upstream: http:\/\/127\.0\.0\.1:1 cannot be reached: /);
  t.match(stderr, "Nothing was recorded: the model gave no answer");
  await t.rejects(readTextFile(file));
});
