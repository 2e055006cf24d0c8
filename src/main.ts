/** Process entry of PTH's MCP server: `main.ts [--tools dynamic|static] [--toolset SETS] [--structured] [--record FILE] [--stately URL] [--allow-send]`. */
import { parseArgs } from "node:util";
import { exitProcess, processArgs, requireOpenFiles } from "./platform/host.ts";
import { log } from "./platform/log.ts";
import { serveMcp, type ServeOptions } from "./server/main.ts";
import { chosenToolsets } from "./tools/toolset.ts";
import { statelyAddress } from "./visualizer/live/stately.ts";

/** @throws {TypeError} for what is no option @throws {PthError} for an address or a toolset that there is not */
function readArguments(given: string[]): ServeOptions {
  const { values: { tools, toolset, structured = false, record, stately, "allow-send": allowSend = false } } =
    parseArgs({
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
  if (tools !== undefined && tools !== "dynamic" && tools !== "static") {
    throw new TypeError(`--tools is dynamic or static, not ${tools}`);
  }
  return {
    toolsets: chosenToolsets(toolset),
    structured,
    allowSend,
    ...(tools ? { tools } : {}),
    ...(record ? { recordFile: record } : {}),
    ...(stately ? { stately: statelyAddress(stately) } : {}),
  };
}

function readArgumentsOrExit(): ServeOptions {
  try {
    requireOpenFiles();
    return readArguments(processArgs);
  } catch (error) {
    log.error(`Cannot start the MCP server: ${(error as Error).message}`);
    return exitProcess(2);
  }
}

exitProcess(await serveMcp(readArgumentsOrExit()));
