/** One definition of each of five kinds with its test, as somebody would write them by docs/contributing.md. */
export interface AddedDefinition {
  /** Of its kind, as in the table there: "an MCP tool". */
  what: string;
  /** Its file and its test, as paths of the repository. */
  file: string;
  test: string;
  texts: { definition: string; test: string };
}

export const addedDefinitions: readonly AddedDefinition[] = [
  {
    what: "an MCP tool",
    file: "src/tools/testing/count_tests.ts",
    test: "test/src/tools/testing/count_tests_test.ts",
    texts: {
      definition: `import * as z from "zod";
import { defineTool, readsOnly } from "../tool.ts";

export default defineTool({
  title: "Count tests",
  description: "How many tests the session has. pth_list_tests({}) shows which ones they are.",
  annotations: readsOnly,
  input: z.strictObject({}),
  output: z.object({ total: z.number().int() }),
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run(_input, { harness }) {
    const total = harness.session().tests.list().length;
    return { text: \`\${total} tests\`, data: { total } };
  },
});
`,
      test: `import t from "tap";
import { checkAnswer } from "../../server/check_answer.ts";

t.test("tests are counted", (t) =>
  checkAnswer(t, {
    tool: "pth_count_tests",
    commands: { tests: { list: () => [] } },
    text: /^0 tests$/,
    data: { total: 0 },
  }));
`,
    },
  },
  {
    what: "an assertion",
    file: "src/testing/assertions/output_shorter_than.ts",
    test: "test/examples/expect.output_shorter_than.yaml",
    texts: {
      definition: `import * as z from "zod";
import { defineAssertion } from "../assertion.ts";

export default defineAssertion({
  key: "output_shorter_than",
  subject: "response",
  schema: z.int().positive(),
  summary: "Text of the answer has fewer characters than this",
  check: (expected, { outcome }) => ({
    pass: outcome.text.length < expected,
    expected,
    actual: outcome.text.length,
    message: () => \`output has \${outcome.text.length} characters, expected fewer than \${expected}\`,
  }),
});
`,
      test: `name: "output_shorter_than: holds"
tool: read_note
input: { id: 1 }
expect: { output_shorter_than: 1000 }
--- # fails: expected fewer than 2
name: "output_shorter_than: does not hold"
tool: read_note
input: { id: 1 }
expect: { output_shorter_than: 2 }
`,
    },
  },
  {
    what: "a reporter",
    file: "src/testing/reporters/dots.ts",
    test: "test/src/testing/reporters/dots_test.ts",
    texts: {
      definition: `import { defineReporter } from "../reporter.ts";

const signs = { passed: ".", failed: "F", skipped: "s", flaky: "f" };

export default defineReporter({
  name: "dots",
  summary: "a character for each test",
  writes: "stream",
  create: (output) => ({
    "test.finished": ({ result }) => output.write(signs[result.status]),
    end: () => output.write("\\n"),
  }),
});
`,
      test: `import t from "tap";
import dots from "../../../../src/testing/reporters/dots.ts";
import { facts, finished, written } from "./recorded_run.ts";

t.test("each test is one character", (t) => {
  t.match(written(dots, facts, finished), /^[.Fsf]{5}\\n$/);
  t.end();
});
`,
    },
  },
  {
    what: "a rule on tool definitions",
    file: "src/testing/lint/shouting_name.ts",
    test: "test/src/testing/lint/shouting_name_test.ts",
    texts: {
      definition: `import { defineLintRule } from "../lint_rule.ts";

export default defineLintRule({
  code: "shouting-name",
  summary: "Names in capitals alone.",
  check: ({ name }) =>
    /[A-Z]/.test(name) && name === name.toUpperCase()
      ? [{ severity: "info", message: \`the name \${name} is in capitals alone\` }]
      : [],
});
`,
      test: `import t from "tap";
import { lintTools } from "../../../../src/testing/lint_tools.ts";

const codesFor = async (name: string): Promise<string[]> => {
  const tool = { name, description: "Finds it", inputSchema: { type: "object" as const, properties: {} } };
  return (await lintTools([tool])).map(({ code }) => code);
};

t.test("a name in capitals is found, and another is not", async (t) => {
  t.same(await codesFor("FIND"), ["shouting-name"]);
  t.same(await codesFor("find"), []);
});
`,
    },
  },
  {
    what: "a runtime",
    file: "src/runtimes/nice.ts",
    test: "test/integration/nice/contract_test.ts",
    texts: {
      definition: `import { hostRuntime } from "./host/host_runtime.ts";
import { defineRuntime } from "./runtime.ts";

export default defineRuntime(hostRuntime({
  name: "nice",
  summary: "as \`host\`, but all other programs of the machine come first",
  needs: "\`nice\`",
  rank: 4,
  wrap: (command) => ["nice", "-n", "19", ...command],
}));
`,
      test: `import { randomUUID } from "node:crypto";
import t from "tap";
import nice from "../../../src/runtimes/nice.ts";
import { runtimeContract } from "../../contracts/runtime_contract.ts";

t.setTimeout(300_000);

await runtimeContract(t, "nice", () => ({
  runtime: nice.create(),
  leftovers: nice.leftovers,
  networks: nice.networks,
  spec: {
    environmentId: \`nice-\${randomUUID()}\`,
    sessionId: \`contract-\${randomUUID()}\`,
    tier: 1,
    env: { PTH_CONTRACT: "spec says" },
    resources: { cpus: 1, memoryMB: 512, diskGB: 1 },
  },
}));

t.test("commands give way to others", async (t) => {
  const runtime = nice.create();
  const ids = { environmentId: \`nice-\${randomUUID()}\`, sessionId: \`nice-\${randomUUID()}\` };
  const handle = await runtime.provision({ ...ids, tier: 1, env: {}, resources: {} });
  t.teardown(() => runtime.destroy(handle));
  t.match((await runtime.exec(handle, ["nice"])).stdout, /^19\\n$/);
});
`,
    },
  },
];
