// test: timeout=400
/** Every example of docs/test-reference.md, run by the real engine: what it says of itself is what becomes of it. */
import { join } from "node:path";
import t, { type Test } from "tap";
import { type Example, examplesOf, testKeywords } from "../../../scripts/gen/test_keywords.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { readFoundTests } from "../../../src/testing/format/parse.ts";
import { root } from "../../support/pth.ts";
import { makePlace, runPth } from "../../support/pth_run.ts";

t.setTimeout(390_000);

const examples = (await Promise.all(
  testKeywords().map(async ({ path }) =>
    (await examplesOf(root, path)).map((example) => ({
      path,
      example,
      ...readFoundTests("x.yaml", example.yaml),
    }))
  ),
)).flat();

t.test("every keyword has an example that passes, and one that does not", (t) => {
  const passing = examples.filter(({ example }) => example.outcome === "passes").map(({ path }) => path);
  const others = new Set(examples.map(({ path }) => path).filter((path) => !passing.includes(path)));
  // Nobody drives a prompt here; test/integration/mcp/agent_run_test.ts does.
  t.same([...others], ["prompt"]);
  for (const { path } of testKeywords()) {
    t.equal(examples.filter((each) => each.path === path).length, 2, path);
  }
  t.end();
});

t.test("what is said to be refused is refused, at its place", (t) => {
  for (const { path, example: { outcome, message }, problems, tests } of examples) {
    const found = problems.map((problem) => `${problem.line}:${problem.column} ${problem.message}`);
    if (outcome !== "refused") t.same(found, [], path);
    else {
      t.ok(found.some((line) => line.startsWith(message)), `${path}: ${message}`, { found });
      t.same(tests, [], path);
    }
  }
  t.end();
});

t.test("the others pass, fail or are skipped as they say", async (t) => {
  const place = await makePlace(t);
  const folder = join(place.folder, "examples");
  await mkdir(folder);
  const runnable = examples.filter(({ example }) => example.outcome !== "refused");
  for (const [index, { path, example }] of runnable.entries()) {
    await writeTextFile(join(folder, `${String(index).padStart(3, "0")}-${path}.yaml`), example.yaml);
  }
  const server = `node '${join(root, "test/fixtures/notes_server/server.mjs")}'`;
  const ran = await runPth(place, ["--env", "host", "--strict", "--command", server, "--tests", folder]);
  const results = new Map(ran.report.tests.map((test) => [test.name, test]));
  for (const { path, example, tests } of runnable) {
    for (const { test: { name } } of tests) check(t, path, example, results.get(name));
  }
  t.equal(ran.report.tests.length, runnable.length);
});

const statuses = { passes: "passed", fails: "failed", skipped: "skipped", refused: "" } as const;

function check(
  t: Test,
  path: string,
  { outcome, message }: Example,
  result?: { status: string; message?: string | undefined; note?: string | undefined },
): void {
  const told = `${result?.message ?? ""}${result?.note ?? ""}`;
  t.equal(result?.status, statuses[outcome], `${path}: ${told}`);
  t.ok(told.includes(message), `${path}: ${message}`, { told });
}
