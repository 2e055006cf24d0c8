import * as z from "zod";
import { definedOnly } from "../../core/values.ts";
import { detailField, hostPathField, testFilterFields, testOrderFields, testRunFields } from "../fields.ts";
import { limitItems } from "../limit_items.ts";
import { omittedRows } from "../output/test_result_schema.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { agentFields, programChoice } from "./agent_fields.ts";

const { agent: _, ...programFields } = agentFields;

export default defineTool({
  title: "Run agent tests",
  description:
    "Run the plugin's fixtures of agent tests (fixture.yaml, test_*.yaml). Answers how many passed, and of the others what was not met, " +
    "with the nearest miss; a test that fails is no error.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    places: z.array(z.string().min(1)).min(1).default(["."]).describe(
      "Folders, or test files, relative to the plugin's folder.",
    ),
    grep: testFilterFields.grep.describe("Regular expression on names and ids."),
    tag: testFilterFields.tag,
    lastFailed: testOrderFields.lastFailed.describe("Only what failed in the latest run; all if none did."),
    retries: testRunFields.retries.describe("Of a test that is not passed."),
    bail: z.number().int().min(1).exactOptional().describe("Stop after so many failures."),
    agents: z.array(z.string().min(1)).default([]).describe(
      "In place of the tests' own; of tests that name several, these of them.",
    ),
    ...programFields,
    out: hostPathField.exactOptional().describe("Folder for reports (JSON, HTML)."),
    detail: detailField,
  }),
  output: z.object({
    passed: z.number(),
    partial: z.number(),
    failed: z.number(),
    notRun: z.number(),
    tests: z.array(z.object({
      fixture: z.string(),
      id: z.string(),
      status: z.enum(["pass", "partial", "fail", "not_run"]),
      met: z.string().exactOptional(),
      attempts: z.number().exactOptional(),
      reason: z.string().exactOptional(),
      failed: z.array(z.object({ id: z.string(), reason: z.string() })).exactOptional(),
    })).describe("Those that passed last."),
    notes: z.array(z.string()),
    lints: z.array(z.string()),
    report: z.string().exactOptional(),
    leftOut: omittedRows,
  }),
  async run({ places, grep, tag, lastFailed, retries, bail, agents, out, detail, ...program }, context) {
    const [{ testInSession }, { agentTestRows, agentTestsText }] = await Promise.all([
      import("../../agent_fixtures/run/test_in_session.ts"),
      import("../text/agent_tests_text.ts"),
    ]);
    const session = context.harness.session();
    const options = requestOptions(context);
    let total = 0;
    let before = 0;
    const result = await testInSession({
      places,
      suite: definedOnly({ grep, tag, lastFailed, retries, bail }),
      agents,
      ...definedOnly({ out }),
      ...programChoice(program),
    }, {
      source: session.info().source,
      signal: context.signal,
      begin: (tests) => void (total = tests),
      async test(request) {
        const ran = await session.agents.test(request, {
          ...options,
          onProgress: ({ done, ...step }) =>
            options.onProgress(done === undefined ? step : { ...step, done: before + done, total }),
        });
        before += ran.results.length;
        return ran;
      },
      async place() {
        const { config } = await session.environment.inspect(options);
        const { runtime, baseImage: image, network } = config;
        return { runtime, ...definedOnly({ image, network }) };
      },
    });
    const { rows, ...counts } = agentTestRows(result.ran);
    const { rows: shown, leftOut } = limitItems(rows, detail);
    return {
      text: agentTestsText(result, detail),
      data: {
        ...counts,
        tests: shown,
        notes: result.notes,
        lints: result.lints,
        ...definedOnly({ report: result.report, leftOut }),
      },
    };
  },
});
