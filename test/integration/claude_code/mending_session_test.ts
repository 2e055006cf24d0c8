// test: timeout=400
/** A whole session through the real Claude Code, from the marketplace to the mended plugin, as its model sees it. */
import { setTimeout as wait } from "node:timers/promises";
import t, { type Test } from "tap";
import { readTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { registry } from "../../../src/tools/_registry.ts";
import { usualTools } from "../../support/usual_tools.ts";
import { iteratePlace } from "../../support/iterate_place.ts";
import { differences, machineOf } from "../acceptance/machine.ts";
import { fixture } from "../../support/pth_run.ts";
import { readiness } from "../../support/readiness.ts";
import { openClaudeCode, withoutClaude } from "./claude_code.ts";
import { installFromMarketplace, pluginPrefix } from "./marketplace.ts";
import { fixTitles, mended, mendingLane } from "./mending_session.ts";
import { startModelServer } from "./model_server.ts";
import { type ModelRequest, offeredIn, seenIn, type ToolAnswer } from "./seen.ts";
import { sessionCost } from "./session_cost.ts";

t.setTimeout(400_000);
/** Tokens that the session may cost; while answers were JSON it took 109,000, and 4,127 for one answer. */
const most = { answer: 4_000, median: 400, session: 22_000 };

const { sandbox } = await readiness();
const skip = withoutClaude || sandbox;
const claude = skip === false ? await openClaudeCode(t) : undefined;
const own = (names: readonly string[]) =>
  names.filter((name) => name.startsWith(pluginPrefix)).map((name) => name.slice(pluginPrefix.length)).sort();
const namesOf = (tools: typeof registry) => tools.map(({ name }) => name).sort();
const dormant = namesOf(registry.filter(({ definition }) => definition.dormant === true));

t.test("installed from a marketplace, it answers the first call of its first start", { skip }, async (t) => {
  await installFromMarketplace(claude!);
  const model = await startModelServer(t, {
    turns: [{ calls: [{ tool: `${pluginPrefix}pth_preflight`, input: {} }] }, { text: "It is ready." }],
  });
  const { code, stderr } = await claude!.converse({ prompt: "Is PTH ready?", model });
  t.equal(code, 0, stderr);
  t.same(model.faults, []);
  t.same(own(offeredIn(model.requests[0]!)), dormant, "offered before anything is installed");
  const { last } = seenIn(model.requests.at(-1)!);
  t.notOk(last.isError, last.text);
  t.match(last.text, "sandbox");
  const plugins = `${claude!.home}/.claude/plugins/cache`;
  const [megabytes = ""] = (await runCommand(["du", "-sm", plugins])).stdout.split("\t");
  t.ok(Number(megabytes) < 120, `${megabytes} MB with the sources`);
  const listed = await claude!.claude(["plugin", "list"]);
  t.match(listed.stdout, /✔ enabled/);
  t.notMatch(listed.stdout, /Note:|not installed/);
});

for (const toolSearch of [false, true]) {
  const how = toolSearch ? "looked up by name" : "all in the model's context";
  t.test(`a plugin with ${mended.failing} failing tests is mended, tools ${how}`, { skip }, async (t) => {
    const { plugin, git, branch, commits } = await iteratePlace(t, mended.fixture);
    const watched = { place: claude!, repository: plugin, word: "shared_causes_plugin" };
    const before = await machineOf(watched, []);
    const model = await startModelServer(t, mendingLane(plugin, pluginPrefix, toolSearch));
    const { code, stderr } = await claude!.converse({ prompt: "Mend the plugin.", model, toolSearch });
    t.equal(code, 0, stderr);
    t.same(model.faults, []);

    const { requests } = model;
    const answers = seenIn(requests.at(-1)!).answers.filter(({ tool }) => tool.startsWith(pluginPrefix));
    const refused = answers.pop()!;
    for (const { tool, text, isError } of answers) t.notOk(isError, `${tool}: ${text}`);
    t.match(refused, {
      tool: /pth_load_plugin/,
      isError: true,
      text: /does not offer this tool|No such tool/,
    });

    const started = requests.findIndex((request) => answeredIn(request).some(of("pth_start_session")));
    t.same(own(offeredIn(requests[started - 1]!)), dormant);
    t.same(own(offeredIn(requests[started]!)), namesOf(usualTools), "there in the very next request");
    namesOnlyWhatIsOffered(t, requests);
    await saysWhatAModelNeeds(t, answers);

    const cost = sessionCost(requests, pluginPrefix);
    for (const { tool, tokens, text } of cost.answers) {
      t.ok(tokens <= most.answer, `${tool}: ${tokens} tokens`);
      t.notMatch(text, /persisted-output|exceeds maximum allowed/, "nothing that Claude Code cuts");
    }
    t.ok(cost.median < most.median, `median ${cost.median}`);
    t.ok(cost.added <= most.session, `${cost.added} in all`);
    t.comment(
      `tokens: ${cost.added} in all, of them ${cost.definitions} definitions and ${cost.total} answers ` +
        `(median ${cost.median}, longest ${cost.max})`,
    );

    t.same((await commits("fix")).sort(), [...fixTitles].sort(), "each fix is a commit");
    t.notMatch(await git("show", `${await branch()}:lib/money.mjs`), "rates");
    const session = answers[0]!.text.match(/Session (\w+)/)![1]!;
    const left = await eventually(async () => [
      ...await claude!.leftProcesses(),
      ...differences(before, await machineOf(watched, [session])).filter((line) =>
        !line.startsWith("branches: + ")
      ),
    ]);
    t.same(left, [], "nothing is left but the branch");
  });
}

const of = (name: string) => ({ tool }: ToolAnswer): boolean => tool === pluginPrefix + name;

/** Answers that the model sees for the first time. */
function answeredIn({ messages, ...request }: ModelRequest): ToolAnswer[] {
  const lastTurn = messages.findLastIndex(({ role }) => role === "assistant");
  const { answers } = seenIn({ ...request, messages });
  return answers.slice(seenIn({ ...request, messages: messages.slice(0, lastTurn) }).answers.length);
}

/** A model calls what a text names: it must be there in the request that has the text. */
function namesOnlyWhatIsOffered(t: Test, requests: readonly ModelRequest[]): void {
  for (const request of requests) {
    for (const { tool, text } of answeredIn(request)) {
      if (!tool.startsWith(pluginPrefix)) continue;
      const offered = of("pth_end_session")({ tool } as ToolAnswer) ? dormant : own(offeredIn(request));
      for (const name of text.match(/\bpth_[a-z_]+[a-z](?=\()/g) ?? []) {
        t.ok(offered.includes(name), `${tool} names ${name}`);
      }
    }
  }
}

/** The counts, each root cause with its place, and the next call. */
async function saysWhatAModelNeeds(t: Test, answers: readonly ToolAnswer[]): Promise<void> {
  const textOf = (name: string) => answers.find(of(name))!.text;
  t.match(textOf("pth_run_test_suite"), `${mended.tests} tests: 102 passed, ${mended.failing} failed`);
  const diagnosis = textOf("pth_diagnose_failure");
  for (const cause of ["money", "stock", "tables"]) t.match(diagnosis, await plantedIn(cause));
  const told = textOf("pth_run_test_suite") + diagnosis;
  for (const words of ["rates is not defined", "/lines must be integer", 'answers "2026-04-15"']) {
    t.match(told, words);
  }
  t.match(textOf("pth_run_iteration"), "158/163 passing");
  t.match(answers.findLast(of("pth_run_test_suite"))!.text, `${mended.tests} passed`);
  for (const { tool, text } of answers.filter((answer) => !/status|end_session/.test(answer.tool))) {
    t.match(text, /^Next: /m, `${tool} names the next call`);
  }
}

/** "lib/money.mjs:4". */
async function plantedIn(cause: string): Promise<string> {
  const lines = (await readTextFile(fixture(`${mended.fixture}/lib/${cause}.mjs`))).split("\n");
  return `lib/${cause}.mjs:${lines.findIndex((line) => line.endsWith(`// planted: ${cause}`)) + 1}`;
}

/** The list once it is empty; what it still has after some seconds. */
async function eventually(list: () => Promise<string[]>): Promise<string[]> {
  for (let tries = 0; tries < 50; tries++) {
    if ((await list()).length === 0) return [];
    await wait(200);
  }
  return await list();
}
