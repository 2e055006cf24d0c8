/** Arguments of the exported runner. */
import { parseArgs } from "node:util";
import { Problems } from "../cli/options/problems.ts";
import { readRunOptions } from "../cli/options/run_options.ts";
import { PthError } from "../core/errors.ts";
import { definedOnly } from "../core/values.ts";

export interface RunnerOptions {
  help: boolean;
  tap: boolean;
  /** Annotations of GitHub Actions, and its job summary. */
  github: boolean;
  junit?: string;
  json?: string;
  /** Tests to run in place of those next to the runner. */
  tests?: string;
  /** Replaces the plugin's folder, two levels above the runner. */
  plugin?: string;
  grep?: string;
  /** Number of times that a failed test is repeated. */
  retries?: number;
  shard?: { index: number; of: number };
  failFast: boolean;
  /** The plugin is installed and built already. */
  noBuild: boolean;
}

export const help = `Usage: node run-tests.mjs [options]

  --junit FILE   also write JUnit XML
  --json FILE    also write a JSON report, which pth report merges with others
  --github       annotations for GitHub Actions, and its job summary
  --tap          TAP on stdout, in place of text
  --grep REGEX   only tests whose name matches
  --retries N    run what fails so many times more; what then passes at times is
                 flaky, and no failure
  --shard I/N    only a part of the tests: all parts together are the whole
  --fail-fast    stop after the first failure
  --tests PATH   a file or folder of tests, in place of the one beside this file
  --plugin DIR   the plugin's folder (default: two levels above this file)
  --no-build     the plugin is installed and built already
  --help         this text

Exit codes: 0 passed, 1 tests failed, 2 the tests could not be run
`;

/** @throws {Error} with what is wrong */
function numbers(
  asked: { retries: string | undefined; shard: string | undefined },
): Pick<RunnerOptions, "retries" | "shard"> {
  const problems = new Problems();
  const { retries, shard } = readRunOptions(asked, problems);
  problems.throwIfAny("Cannot run tests");
  return definedOnly({ retries, shard });
}

/** @throws {PthError} `INVALID_INPUT` for an unknown option or one without its value */
export function readOptions(args: string[]): RunnerOptions {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: "boolean", short: "h", default: false },
        tap: { type: "boolean", default: false },
        github: { type: "boolean", default: false },
        junit: { type: "string" },
        json: { type: "string" },
        grep: { type: "string" },
        tests: { type: "string" },
        plugin: { type: "string" },
        "no-build": { type: "boolean", default: false },
        "fail-fast": { type: "boolean", default: false },
        retries: { type: "string" },
        shard: { type: "string" },
      },
    });
    const { "no-build": noBuild, "fail-fast": failFast, retries, shard, ...others } = values;
    return { ...others, noBuild, failFast, ...numbers({ retries, shard }) };
  } catch (cause) {
    if (cause instanceof PthError) throw cause;
    throw new PthError("INVALID_INPUT", `Cannot run tests: ${(cause as Error).message}`, {
      next: ["--help shows what there is"],
    }, { cause });
  }
}
