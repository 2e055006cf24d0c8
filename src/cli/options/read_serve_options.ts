import type { ServeOptions } from "../../server/main.ts";
import { chosenToolsets } from "../../tools/toolset.ts";
import { definedOnly } from "../../core/values.ts";
import { choiceOption, readStately, textValue } from "./option_values.ts";
import { Problems } from "./problems.ts";

/**
 * Reads the options of PTH's MCP server, of `pth mcp` as of the server's own entry.
 * @throws {PthError} `INVALID_INPUT` for an address or a toolset that does not exist, and a word that is no mode
 */
export function readServeOptions(options: Record<string, unknown>): ServeOptions {
  const problems = new Problems();
  const tools = choiceOption("--tools", options["tools"], ["dynamic", "static", "test"], problems) ??
    "dynamic";
  const stately = readStately(options["stately"], problems);
  problems.throwIfAny("Cannot serve");
  return {
    tools,
    toolsets: chosenToolsets(textValue(options["toolset"])),
    structured: options["structured"] === true,
    allowSend: options["allowSend"] === true,
    ...definedOnly({ recordFile: textValue(options["record"]), stately }),
  };
}
