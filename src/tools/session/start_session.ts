import * as z from "zod";
import type { SessionTarget } from "../../../machines/model/session.ts";
import { variablesField } from "../fields.ts";
import { sessionSchema, watchSchema } from "../output/session_schema.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { sessionData, sessionText, withWatchAddress } from "../text/session_text.ts";

export default defineTool({
  title: "Start a test session",
  description:
    "Start here to test a Claude Code plugin or MCP server: copies its source to a worktree on a session branch (the original is " +
    "never written to) and adds the other pth_ tools. One session at a time. Next: pth_provision_environment({}).",
  dormant: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    pluginPath: z.string().min(1).exactOptional()
      .describe("Folder (absolute path) or npm:<package>[@version]."),
    command: z.array(z.string()).min(1).exactOptional()
      .describe(
        "Starts the MCP server, instead of the plugin's own command; {port}: the HTTP port.",
      ),
    args: z.array(z.string()).exactOptional()
      .describe("Appended to the server's command."),
    server: z.string().min(1).exactOptional().describe("Which one, where there are several."),
    variables: variablesField.exactOptional().describe("For the server; no secrets."),
    build: z.string().exactOptional()
      .describe('In place of the detected command; "": none.'),
    install: z.string().exactOptional()
      .describe("Likewise."),
    url: z.string().min(1).exactOptional()
      .describe("Of an HTTP server; {port}: its port."),
    branch: z.string().min(1).exactOptional()
      .describe("Session branch. Default: pth/<plugin>-<date>-<session>."),
    uncommitted: z.boolean().exactOptional()
      .describe("true: include uncommitted changes, as the first commit."),
    force: z.boolean().exactOptional()
      .describe("true: take over the lock of a running session."),
  }).refine((given) => given.pluginPath ?? given.command ?? given.url, {
    message: "give pluginPath, or command or url where there is no plugin folder",
  }),
  output: z.object({ session: sessionSchema, watch: watchSchema }),
  async run({ pluginPath, force, ...rest }, context) {
    const target: SessionTarget = { ...rest, ...(pluginPath === undefined ? {} : { target: pluginPath }) };
    const started = await context.harness.startSession(target, {
      ...requestOptions(context),
      mode: "session",
      force: force ?? false,
    });
    return withWatchAddress(
      { text: sessionText(started), data: { session: sessionData(started) } },
      await context.watchAddress?.(),
    );
  },
});
