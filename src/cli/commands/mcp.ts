/** `pth mcp`: PTH as an MCP server on stdin and stdout. */
import { defineCommand } from "../command.ts";
import { readServeOptions } from "../options/read_serve_options.ts";

export default defineCommand({
  configure(command) {
    command
      .option(
        "--tools <mode>",
        "dynamic: list tools as the session allows (default); static: list all tools from the start; " +
          "test: serve debug_test alone",
      )
      .option(
        "--toolset <names>",
        "toolsets to list in addition to core: testing,fixing,… (default: PTH_TOOLSET, else all)",
      )
      .option(
        "--structured",
        "also return structured content with output schemas, for programs",
      )
      .option("--record <file>", "record all actor events as JSON lines")
      .option("--stately <url>", "also stream actor events to Stately Inspector (local ws:// URL)")
      .option("--allow-send", "allow the visualizer page of a session to send events to its actors");
  },
  async run({ options }) {
    const asked = readServeOptions(options);
    const { serveMcp: serve } = await import("../../server/main.ts");
    return await serve(asked);
  },
});
