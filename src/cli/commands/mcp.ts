/** `pth mcp`: PTH as an MCP server on stdin and stdout. */
import { defineCommand } from "../command.ts";

import { choiceOption, textValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { readStately } from "../options/read_stately.ts";
import { chosenToolsets } from "../../tools/toolset.ts";
import { definedOnly } from "../../core/values.ts";

export default defineCommand({
  configure(command) {
    command
      .option("--tools <mode>", "dynamic: tools follow the session (default); static: all from the start")
      .option(
        "--toolset <names>",
        "tools to list beside core: testing,fixing,… (default: PTH_TOOLSET, else all)",
      )
      .option(
        "--structured",
        "answers also as structured content with schemas, for clients that are programs",
      )
      .option("--record <file>", "write every event of every actor as JSON lines")
      .option("--stately <url>", "also show them to Stately's inspector, at a ws:// address of this machine")
      .option("--allow-send", "events may be sent from the page that pth_start_session gives the address of");
  },
  async run({ options }) {
    const problems = new Problems();
    const tools = choiceOption("--tools", options.tools, ["dynamic", "static"], problems) ?? "dynamic";
    const stately = readStately(options.stately, problems);
    problems.throwIfAny("Cannot serve");
    const toolsets = chosenToolsets(textValue(options.toolset));
    const recordFile = textValue(options.record);
    const { serveMcp: serve } = await import("../../server/main.ts");
    return await serve({
      tools,
      toolsets,
      structured: options.structured === true,
      allowSend: options.allowSend === true,
      ...definedOnly({ recordFile, stately }),
    });
  },
});
