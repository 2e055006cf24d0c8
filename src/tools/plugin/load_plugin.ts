import { z } from "zod";
import { definedOnly } from "../../values.ts";
import { contractText } from "../contract_text.ts";
import { detail, retries, variables } from "../fields.ts";
import { dependencyRows, planData, pluginText, toolsData } from "../plugin_text.ts";
import { lines } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Load the plugin",
  description:
    "Install, build and start the plugin in the environment and read its tools; its dependency plugins start before it. Needs " +
    "pth_provision_environment first. Answers build " +
    "system, server and tools; a failed install, build or start answers its raw output. Next: pth_generate_tests({}) and " +
    "pth_run_test_suite({}), or pth_call_plugin_tool.",
  core: true,
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  input: z.strictObject({
    build: z.string().exactOptional().describe('Build command in place of the detected one; "" for none.'),
    install: z.string().exactOptional()
      .describe('Install command in place of the detected one; "" for none.'),
    command: z.array(z.string()).min(1).exactOptional()
      .describe("Command that starts the server, as a list."),
    server: z.string().min(1).exactOptional().describe(
      "Which one, where the plugin has several MCP servers.",
    ),
    configValues: variables.exactOptional()
      .describe("Environment variables for the server; their values are treated as secrets and never shown."),
    secrets: z.array(z.string().min(1)).exactOptional()
      .describe("Names of variables that PTH's own environment holds; their values are never shown."),
    secretsFile: z.string().min(1).exactOptional()
      .describe(
        "File of NAME=value lines on this machine, where the person named one; values are never shown.",
      ),
    startTimeoutSeconds: z.number().positive().exactOptional()
      .describe("Limit for the server's start and handshake. Default: 60."),
    retries,
    detail,
  }),
  async run({ detail, retries, ...load }, context) {
    const info = await context.harness.session().load(load, {
      ...requestOptions(context),
      ...definedOnly({ retries }),
    });
    const { dependencies = [] } = info;
    return {
      text: lines(
        pluginText(info),
        ...dependencyRows(dependencies),
        info.contract && contractText(info.contract),
        "Next: pth_generate_tests({}), then pth_run_test_suite({}).",
      ),
      data: {
        plan: planData(info.plan),
        server: info.server,
        tools: toolsData(info.tools, detail),
        ...(dependencies.length > 0 ? { dependencies } : {}),
        ...(info.contract ? { contract: info.contract } : {}),
      },
    };
  },
});
