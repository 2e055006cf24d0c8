/** `pth fuzz`: drawn inputs for a plugin's tools; exits with 1 when one of them brought a fault out. */
import { addDestructiveOptions, readDestructive } from "../options/destructive_options.ts";
import { countFinds } from "../../testing/fuzz/found_test.ts";
import type { FuzzFind, FuzzReport, FuzzRequest } from "../../../machines/model/fuzz.ts";
import { folderProblem } from "../../platform/writable.ts";
import { fuzzText } from "../../tools/text/fuzz_text.ts";
import { againLine } from "../again_line.ts";
import { definedOnly } from "../../core/values.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart, type StartRequest } from "../options/start_options.ts";
import { collectValues, listValue, positiveOption, textValue } from "../options/option_values.ts";
import { withLoadedPlugin } from "../with_loaded_plugin.ts";

export default defineCommand({
  configure(command) {
    addDestructiveOptions(addStartOptions(command))
      .option("--output <folder>", "write a test for each failure to this folder (default: YAML on stdout)")
      .option("--tool <name>", "only this tool (repeatable)", collectValues)
      .option("--seed <number>", "random seed, to reproduce an earlier run (default: a new one)")
      .option("--runs <number>", "inputs per tool (default: 100)")
      .option("--time <seconds>", "limit of the whole search, shared among the tools (default: none)")
      .option(
        "--timeout <seconds>",
        "seconds without response or progress before a call counts as hung (default: 5)",
      )
      .option("--sequences", "also generate sequences of calls");
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const request = readRequest(line, problems);
    const output = textValue(line.options.output);
    const outputProblem = output === undefined ? undefined : await folderProblem(output);
    if (outputProblem !== undefined) problems.add(`--output: cannot write to ${output}: ${outputProblem}`);
    problems.throwIfAny("Cannot fuzz");
    const asked = output === undefined ? request : { ...request, output };
    return await fuzz(await withAskedSecrets(start, context), asked, line, context);
  },
});

function readRequest({ options }: CommandLine, problems: Problems): FuzzRequest {
  const tools = listValue(options.tool);
  return definedOnly({
    tools: tools.length === 0 ? undefined : tools,
    seed: readSeed(options.seed, problems),
    runs: positiveOption("--runs", options.runs, problems, "whole number"),
    timeSeconds: positiveOption("--time", options.time, problems, "number"),
    timeoutSeconds: positiveOption("--timeout", options.timeout, problems, "number"),
    sequences: options.sequences === true ? true : undefined,
    includeHeldBack: readDestructive(options),
  });
}

function readSeed(value: unknown, problems: Problems): number | undefined {
  if (value === undefined) return undefined;
  const seed = Number(value);
  if (String(value).trim() !== "" && Number.isSafeInteger(seed)) return seed;
  problems.add(`--seed expects a whole number, not "${value}"`);
  return undefined;
}

async function fuzz(
  start: StartRequest,
  request: FuzzRequest & { output?: string },
  line: CommandLine,
  context: CommandContext,
): Promise<number> {
  let failures = 0;
  const ended = await withLoadedPlugin(start, context, async (session, { signal, race }) => {
    const report = await race(session.tests.fuzz(request, { signal }));
    failures = countFinds(report.finds).faults + Number(report.startFailed !== undefined);
    tell(report, againLines(line, report, start), context);
  });
  return ended === 0 && failures > 0 ? 1 : ended;
}

interface AgainLines {
  search: string;
  test: (file: string) => string;
}

/** Lines that search again, and that run one of the tests: with all that was asked for, and no secret. */
function againLines(line: CommandLine, { seed, runs }: FuzzReport, { target }: StartRequest): AgainLines {
  const secrets = target.secrets ?? {};
  const own = Object.fromEntries(ownOptions.map((name) => [name, undefined]));
  return {
    search: againLine(line, { secrets, replaced: { seed: String(seed), runs: String(runs) } }),
    test: (file) => againLine({ ...line, command: "run" }, { secrets, replaced: { ...own, tests: [file] } }),
  };
}

/** Options that `pth run` of a test has no use for. */
const ownOptions = [
  ...["output", "tool", "seed", "runs", "time", "timeout", "sequences"],
  ...["includeDestructive", "excludeDestructive"],
];

/** The tests belong to stdout where they are in no file; what is said about them then goes beside it. */
function tell(report: FuzzReport, again: AgainLines, { stdout, stderr }: CommandContext): void {
  const inFiles = report.finds.some(({ file }) => file !== undefined);
  const unwritten = report.finds.filter(({ file, yaml }) => file === undefined && yaml !== undefined);
  const rerun = ({ file }: FuzzFind) => file === undefined ? undefined : again.test(file);
  const says = `${fuzzText(report, rerun, { again: again.search })}\n`;
  if (inFiles || unwritten.length === 0) return void stdout.write(says);
  stdout.write(unwritten.map(({ yaml }) => yaml).join("---\n"));
  stderr.write(`${says}Save the tests with --output DIR\n`);
}
