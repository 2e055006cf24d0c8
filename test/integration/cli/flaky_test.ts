// test: timeout=240
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { createHarness } from "../../../src/app/create_harness.ts";
import { listFolder, mkdir, readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { smallServer } from "../../support/small_server.ts";
import { makePlace, type Place, runPth, verdicts } from "../../support/pth_run.ts";

/** A plugin whose tool `roll` fails each third call, the first one too: it counts its calls in a file outside the plugin. */
async function plugin(
  t: Pick<Test, "teardown">,
): Promise<Place & { home: string; env: Record<string, string> }> {
  const place = await makePlace(t);
  const home = join(place.folder, "dice");
  await mkdir(join(home, ".pth/tests"), { recursive: true });
  const tool = (name: string) => `{ name: "${name}", inputSchema: { type: "object" } }`;
  await writeTextFile(
    join(home, "server.mjs"),
    smallServer({
      name: "dice",
      head: `import { appendFileSync, readFileSync } from "node:fs";
const counter = ${JSON.stringify(join(place.folder, "calls"))};
const thrown = () => { appendFileSync(counter, "x"); return readFileSync(counter, "utf8").length % 3 === 1; };
const words = { roll: () => (thrown() ? "broken die" : "four"), say: () => "hello", lie: () => "wrong" };`,
      tools: `[${["roll", "say", "lie"].map(tool).join(", ")}]`,
      text: "words[call.name]()",
    }),
  );
  const manifest = { name: "dice", version: "1.0.0", type: "module", bin: { dice: "server.mjs" } };
  await writeTextFile(join(home, "package.json"), JSON.stringify(manifest));
  const test = (tool: string, text: string) =>
    `name: ${tool} answers\ntool: ${tool}\ninput: {}\nexpect: { output_equals: ${text} }\n`;
  await writeTextFile(
    join(home, ".pth/tests/dice.yaml"),
    [test("roll", "four"), test("say", "hello"), test("lie", "right")].join("---\n"),
  );
  return { ...place, home, env: { ...place.env, PTH_HISTORY_DIR: join(place.folder, "history") } };
}

const byHand = ["--env", "host", "--grep", "^(roll|say|lie) answers$"];

t.test("a test that fails one time in three is flaky, not failed; a deterministic failure never is", async (t) => {
  const place = await plugin(t);
  const { code, report, stdout } = await runPth(place, [place.home, ...byHand, "--retries", "2"], place.env);
  t.equal(code, 1, "lie fails");
  t.same(verdicts(report), { "roll answers": "flaky", "say answers": "passed", "lie answers": "failed" });
  const [roll] = report.tests.filter(({ status }) => status === "flaky");
  t.match(roll!.note, "failed 1 of 3 runs");
  t.match(stdout, "1 flaky");
  t.match(report.summary, { flaky: 1, failed: 1 });

  const again = await runPth(
    place,
    [place.home, "--env", "host", "--grep", "^(roll|say) answers$", "--retries", "2"],
    place.env,
  );
  t.equal(again.code, 0, "flaky alone is no failure");
  const note = again.report.tests.find(({ name }) => name === "roll answers")!.note;
  t.match(note, "of the same source 2 of 6 (33 %); 95 % sure that it is no chance", "the history counts");
});

t.test("--last-failed runs what failed or was flaky, also in a run before the latest; without any, everything", async (t) => {
  const place = await plugin(t);
  const run = (...more: string[]) => runPth(place, [place.home, ...byHand, ...more], place.env);
  const first = await run("--last-failed", "--retries", "1");
  t.match(first.stdout, "No earlier run of this plugin is known");
  t.equal(first.report.tests.length, 3);
  const second = await run("--last-failed");
  t.same(Object.keys(verdicts(second.report)).sort(), ["lie answers", "roll answers"]);
  await writeTextFile(
    join(place.home, "server.mjs"),
    (await readTextFile(join(place.home, "server.mjs"))).replace("% 3 === 1", "% 3 > 3").replace(
      '"wrong"',
      '"right"',
    ),
  );
  const mended = await run("--last-failed");
  t.equal(mended.code, 0, mended.stdout);
  const after = await run("--last-failed");
  t.match(after.stdout, "No test failed last time: all tests run");
  t.equal(after.report.tests.length, 3);
  t.same(
    (await listFolder(join(place.home, ".pth"))).map(({ name }) => name),
    ["tests"],
    "nothing is written there",
  );
});

t.test("--shuffle says its seed, which brings the order again; parts are disjoint and the whole", async (t) => {
  const place = await plugin(t);
  const order = async (...more: string[]) => {
    const { report, stdout } = await runPth(place, [place.home, ...byHand, ...more], place.env);
    return { names: report.tests.map(({ name }) => name), stdout };
  };
  const drawn = await order("--shuffle");
  const seed = /drawn from seed (\d+)/.exec(drawn.stdout)?.[1];
  t.ok(seed, drawn.stdout);
  const part = async (shard: string) => (await order("--shuffle", "--seed", seed!, "--shard", shard)).names;
  const parts = [await part("1/2"), await part("2/2")];
  t.same([parts[0]![0], parts[1]![0], parts[0]![1]], drawn.names, "in turn, in the same order");
  t.same(parts.map(({ length }) => length), [2, 1]);
});

t.test("the loop hands no flaky test to a fixer, and tells one who asks where runs may differ", async (t) => {
  const { home, env } = await plugin(t);
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  t.teardown(() => {
    for (const [name, value] of before) {
      value === undefined ? delete process.env[name] : process.env[name] = value;
    }
  });
  const harness = await createHarness();
  t.teardown(() => harness.close());
  await harness.startSession({ target: home }, { mode: "session" });
  const session = harness.session();
  await session.environment.provision({ runtime: "host" });
  await session.plugin.load({});
  const run = { suite: { retries: 2, grep: " answers$" }, generate: false };
  const { state, diagnosis, standing } = await session.loop.run(run);
  t.equal(state, "awaiting_fixes");
  t.same(diagnosis!.diagnoses.map(({ testId }) => testId), ["lie-answers"]);
  t.match(standing, { passed: 2, failing: [{ id: "lie-answers" }] });

  const asked = await session.fixes.diagnose({ tests: ["roll-answers"] });
  t.match(asked.diagnoses[0]!.evidence[0], "It failed 1 of 3 runs of the same source: look at timing, races");

  const edits = [{ path: "server.mjs", find: '"wrong"', replace: '"right"' }];
  const mended = await session.loop.run({
    ...run,
    fixes: [{ tests: ["lie-answers"], title: "tell the truth", edits }],
  });
  t.equal(mended.state, "green", "a flaky test keeps nothing from being green");
});
