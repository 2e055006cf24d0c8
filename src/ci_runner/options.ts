/** Arguments of the exported runner. */
import { parseArgs } from "node:util";
import { PthError } from "../errors.ts";

export interface RunnerOptions {
  help: boolean;
  tap: boolean;
  junit?: string;
  /** Replaces the tests beside the runner. */
  tests?: string;
  /** Replaces the plugin's folder, two levels above the runner. */
  plugin?: string;
  grep?: string;
  /** The plugin is installed and built already. */
  noBuild: boolean;
}

export const help = `Usage: node run-tests.mjs [options]

  --junit FILE   also write JUnit XML
  --tap          TAP on stdout, in place of text
  --grep REGEX   only tests whose name matches
  --tests PATH   a file or folder of tests, in place of the one beside this file
  --plugin DIR   the plugin's folder (default: two levels above this file)
  --no-build     the plugin is installed and built already
  --help         this text

Exit codes: 0 passed, 1 tests failed, 2 the tests could not be run
`;

/** @throws {PthError} `INVALID_INPUT` for an unknown option or one without its value */
export function readOptions(args: string[]): RunnerOptions {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: "boolean", short: "h", default: false },
        tap: { type: "boolean", default: false },
        junit: { type: "string" },
        grep: { type: "string" },
        tests: { type: "string" },
        plugin: { type: "string" },
        "no-build": { type: "boolean", default: false },
      },
    });
    const { "no-build": noBuild, ...others } = values;
    return { ...others, noBuild };
  } catch (cause) {
    throw new PthError("INVALID_INPUT", `Cannot run tests: ${(cause as Error).message}`, {
      next: ["--help shows what there is"],
    }, { cause });
  }
}
