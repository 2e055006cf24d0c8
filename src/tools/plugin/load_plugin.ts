import * as z from "zod";
import { definedOnly } from "../../core/values.ts";
import { contractData, contractText } from "../text/contract_text.ts";
import { detailField, retriesField, variablesField } from "../fields.ts";
import { contractCheck } from "../output/contract.ts";
import { dependenciesSchema, pluginPlan, pluginServer, pluginTools } from "../output/plugin.ts";
import { dependencyRows, planData, pluginText, testsText, toolsData } from "../text/plugin_text.ts";
import { joinLines } from "../text/join_lines.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Load the plugin",
  description:
    "Install, build and start the plugin in the environment, after pth_provision_environment. Answers build system, server, tools, and " +
    "tests that it brings; what fails answers its output. Next: pth_run_test_suite({}), before it pth_generate_tests({}) where there are " +
    "no tests.",
  core: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    build: z.string().exactOptional().describe('Build command; "" for none. Default: the detected one.'),
    install: z.string().exactOptional()
      .describe('Install command; "" for none. Default: the detected one.'),
    command: z.array(z.string()).min(1).exactOptional()
      .describe("Command that starts the server."),
    server: z.string().min(1).exactOptional().describe(
      "Which of several MCP servers.",
    ),
    configValues: variablesField.exactOptional()
      .describe("Environment variables of the server; values are never shown."),
    secrets: z.array(z.string().min(1)).exactOptional()
      .describe("Names of variables of PTH's own environment to pass on; values are never shown."),
    secretsFile: z.string().min(1).exactOptional()
      .describe(
        "File of NAME=value lines that the person named; values are never shown.",
      ),
    startTimeoutSeconds: z.number().positive().exactOptional()
      .describe("For start and initialization. Default: 60."),
    retries: retriesField,
    detail: detailField,
  }),
  output: z.object({
    plan: pluginPlan,
    server: pluginServer,
    tools: pluginTools,
    dependencies: dependenciesSchema.optional(),
    contract: contractCheck.optional(),
  }),
  async run({ detail, retries, ...load }, context) {
    const session = context.harness.session();
    const info = await session.plugin.load(load, {
      ...requestOptions(context),
      ...definedOnly({ retries }),
    });
    const { dependencies: beside = [], contract } = info;
    return {
      text: joinLines(
        pluginText(info, detail),
        ...dependencyRows(beside),
        contract && contractText(contract),
        testsText(session),
      ),
      data: {
        plan: planData(info.plan),
        server: info.server,
        tools: toolsData(info.tools, detail),
        ...(beside.length > 0 ? { dependencies: beside } : {}),
        ...(contract ? { contract: contractData(contract, detail) } : {}),
      },
    };
  },
});
