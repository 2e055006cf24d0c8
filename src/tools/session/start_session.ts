import { z } from "zod";
import type { Target } from "../../../machines/model/session.ts";
import { variables } from "../fields.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { sessionText } from "../session_text.ts";
import { withWatchAddress } from "../watch_address.ts";

export default defineTool({
  title: "Start a test session",
  description:
    "Start here when a Claude Code plugin or MCP server is to be tested. Copies the source to a worktree on a session branch " +
    "(the original is never written to) and makes the other pth_ tools available. Answers session id, worktree and branch. " +
    "Next: pth_provision_environment({}), then pth_load_plugin({}). One session at a time.",
  dormant: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    pluginPath: z.string().min(1).exactOptional()
      .describe("Folder of the plugin (absolute path) or npm:<package>[@version]."),
    command: z.array(z.string()).min(1).exactOptional()
      .describe(
        "Command that starts the MCP server, in place of what the plugin says; {port} stands for the HTTP port.",
      ),
    args: z.array(z.string()).exactOptional()
      .describe("Appended to the server's command; paths are paths in the environment."),
    server: z.string().min(1).exactOptional().describe(
      "Which one, where the plugin has several MCP servers.",
    ),
    variables: variables.exactOptional().describe("Environment variables for the server. Not for secrets."),
    build: z.string().exactOptional()
      .describe('Build command in place of the detected one; "" for none.'),
    install: z.string().exactOptional()
      .describe('Install command in place of the detected one; "" for none.'),
    url: z.string().min(1).exactOptional()
      .describe("URL of an HTTP server; {port} stands for the port."),
    branch: z.string().min(1).exactOptional()
      .describe("Name of the session branch. Default: pth/<plugin>-<date>-<session>."),
    uncommitted: z.boolean().exactOptional()
      .describe("true: uncommitted changes of the checkout come along, as the session's first commit."),
    force: z.boolean().exactOptional()
      .describe("true: take over the lock of another session that is still alive."),
  }).refine((given) => given.pluginPath ?? given.command ?? given.url, {
    message: "give pluginPath, or command or url where there is no plugin folder",
  }),
  async run({ pluginPath, force, ...rest }, context) {
    const target: Target = { ...rest, ...(pluginPath === undefined ? {} : { target: pluginPath }) };
    const session = await context.harness.startSession(target, {
      ...requestOptions(context),
      mode: "session",
      force: force ?? false,
    });
    return withWatchAddress(
      { text: sessionText(session), data: { session } },
      await context.watchAddress?.(),
    );
  },
});
