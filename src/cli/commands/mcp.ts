/** `pth mcp`: PTH as an MCP server on stdin and stdout. */
import { defineCommand } from "../command.ts";

import { oneOf, text } from "../options/values.ts";
import { Problems } from "../options/problems.ts";

export default defineCommand({
  configure(command) {
    command
      .option("--tools <mode>", "dynamic: tools follow the session (default); static: all from the start")
      .option("--record <file>", "write every event of every actor as JSON lines");
  },
  async run({ options }) {
    const problems = new Problems();
    const tools = oneOf("--tools", options.tools, ["dynamic", "static"], problems) ?? "dynamic";
    problems.throwIfAny("Cannot serve");
    const recordFile = text(options.record);
    const { serve } = await import("../../server/main.ts");
    return await serve({ tools, ...(recordFile === undefined ? {} : { recordFile }) });
  },
});
