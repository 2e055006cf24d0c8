/** Process entry of PTH's MCP server: `main.ts [--tools dynamic|static|test] [--toolset SETS] [--structured] [--record FILE] [--stately URL] [--allow-send]`. */
import { parseArgs } from "node:util";
import { readServeOptions } from "./cli/options/read_serve_options.ts";
import { asPthError } from "./core/errors.ts";
import { exitProcess, processArgs, requireOpenFiles } from "./platform/host.ts";
import { log } from "./platform/log.ts";
import { serveMcp, type ServeOptions } from "./server/main.ts";

/** @throws {TypeError} for what is no option @throws {PthError} as `readServeOptions` */
function readArguments(given: string[]): ServeOptions {
  const { values: { "allow-send": allowSend, ...others } } = parseArgs({
    args: given,
    options: {
      tools: { type: "string" },
      toolset: { type: "string" },
      structured: { type: "boolean" },
      record: { type: "string" },
      stately: { type: "string" },
      "allow-send": { type: "boolean" },
    },
  });
  return readServeOptions({ ...others, allowSend });
}

function readArgumentsOrExit(): ServeOptions {
  try {
    requireOpenFiles();
    return readArguments(processArgs);
  } catch (error) {
    log.error(asPthError(error, "Cannot start the MCP server").message);
    return exitProcess(2);
  }
}

exitProcess(await serveMcp(readArgumentsOrExit()));
