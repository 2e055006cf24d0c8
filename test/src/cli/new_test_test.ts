import { join } from "node:path";
import t from "tap";
import { Ajv2020 } from "ajv/dist/2020.js";
import { runCli } from "../../../src/cli/main.ts";
import { makeTempDir, readTextFile, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import { loadTests } from "../../../src/testing/format/load.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

const folder = await makeTempDir({ prefix: "pth-new-test-" });
t.teardown(() => removeIfExists(folder));

async function newTest(...args: string[]) {
  const kept = keptContext(scriptedHarness());
  return { exitCode: await runCli(["new-test", ...args], kept.context), ...kept };
}

t.test("a template of each tier is a test that can be read, commented parts included", async (t) => {
  for (const tier of [1, 2, 3]) {
    const { exitCode, stdout } = await newTest(String(tier));
    t.equal(exitCode, 0);
    t.match(parseTests("new.yaml", stdout()), [{ tier }]);
    const at = stdout().indexOf("# setup:");
    const steps = stdout().slice(0, at).replace(/^( +)# /gm, "$1");
    const whole = `${steps}${stdout().slice(at).replace(/^# /gm, "")}`;
    t.match(
      parseTests("new.yaml", whole),
      [{ tier, tags: ["smoke"], setup: [{}, {}], teardown: [{}] }],
      whole,
    );
  }
});

t.test("a template is written where it is asked for, and over nothing", async (t) => {
  const file = join(folder, "tests", "new.yaml");
  t.equal((await newTest("2", "--output", file)).exitCode, 0);
  t.equal((await loadTests(file))[0]?.steps?.length, 2);
  await writeTextFile(file, "mine");
  const again = await newTest("1", "--output", file);
  t.equal(again.exitCode, 2);
  t.match(again.stderr(), "the file exists");
  t.equal(await readTextFile(file), "mine");
  t.equal((await newTest("4")).exitCode, 2);
});

t.test("the schema accepts the templates, and knows what they must not be", async (t) => {
  const { stdout } = await newTest("schema");
  t.equal(
    stdout().replaceAll(/\s/g, ""),
    (await readTextFile("docs/test.schema.json")).replaceAll(/\s/g, ""),
  );
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(stdout()));
  const call = { name: "a", tool: "x" };
  for (const good of [call, [call, { name: "b", steps: [{ tool: "x", capture: { id: "$.output" } }] }]]) {
    t.ok(validate(good), JSON.stringify(validate.errors));
  }
  const bad = [
    { tool: "x" },
    { ...call, tol: 1 },
    { ...call, prompt: "do" },
    { name: "a", steps: [{ expect: {} }] },
    { name: "a", steps: [{ tool: "x", read_resource: "a:b" }] },
    { ...call, expect: { success: "yes" } },
    [],
  ];
  for (const each of bad) t.notOk(validate(each), JSON.stringify(each));
});
