/** Process entry of PTH's MCP server: `main.ts [--tools dynamic|static] [--record FILE]`. */
import { parseArgs } from "node:util";
import { args, exit } from "./platform/host.ts";
import { log } from "./platform/log.ts";
import { serve, type ServeOptions } from "./server/main.ts";

/** @throws {TypeError} for what is no option */
function readArguments(given: string[]): ServeOptions {
  const { values: { tools, record } } = parseArgs({
    args: given,
    options: { tools: { type: "string" }, record: { type: "string" } },
  });
  if (tools !== undefined && tools !== "dynamic" && tools !== "static") {
    throw new TypeError(`--tools is dynamic or static, not ${tools}`);
  }
  return { ...(tools ? { tools } : {}), ...(record ? { recordFile: record } : {}) };
}

function readArgumentsOrExit(): ServeOptions {
  try {
    return readArguments(args);
  } catch (error) {
    log.error(`Cannot start the MCP server: ${(error as Error).message}`);
    return exit(2);
  }
}

exit(await serve(readArgumentsOrExit()));
