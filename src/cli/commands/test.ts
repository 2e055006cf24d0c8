/** `pth test`: a project's own tests, as its framework runs them. */
import { resolve } from "node:path";
import type { ProjectTestAnswer, ProjectTestRun } from "../../../machines/model/project_test_run.ts";
import { definedOnly } from "../../core/values.ts";
import { dispatch } from "../../testing/reporter.ts";
import { registry } from "../../testing/reporters/_registry.ts";
import { createProgress } from "../../testing/reporters/spec/spec_progress.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import { chooseReporters } from "../options/choose_reporters.ts";
import {
  choiceOption,
  collectValues,
  listValue,
  positiveOption,
  textValue,
  variablesOption,
} from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { readStart, type StartRequest } from "../options/start_options.ts";
import { followTests } from "../project_tests/follow_tests.ts";
import { renderTestAnswer } from "../project_tests/render_test_answer.ts";
import { reportOfTests } from "../project_tests/report_of_tests.ts";
import { withHarness } from "../with_harness.ts";
import { writeReport } from "../write_report.ts";

/** Exit code where there are no tests. */
const nothingToRun = 2;
const shownCalls = 40;

export default defineCommand({
  configure(command) {
    command
      .argument("[root]", "folder of the project (default: the current one)")
      .option("--framework <name>", "the test framework, in place of the one that fits best")
      .option("--level <level>", "unit, integration or e2e: only tests of that level")
      .option("--test <name>", "run this test alone")
      .option("--command <command>", "test program, or the command that runs the tests")
      .option(
        "--trace <pattern>",
        "follow calls of functions that fit, such as parser::* (repeatable)",
        collectValues,
      )
      .option(
        "--watch-variable <name[@pattern]>",
        "keep a variable's value at the calls of functions that fit; without a pattern, of all that are traced (repeatable)",
        collectValues,
      )
      .option("--env <name>", "run them in a copy in this environment: sandbox, docker … (default: in place)")
      .option("--image <name>", "base image of the environment, for example debian12")
      .option(
        "--network <mode>",
        "none (own loopback only) or host (this machine's network); default: the environment's own",
      )
      .option("--timeout <seconds>", "limit of the tests (default: 30, 120 or 300 by level)")
      .option("--var <name=value>", "variable for the tests (repeatable)", collectValues)
      .option(
        "--reporter <name[:file]>",
        `${registry.map(({ name }) => name).join(", ")}, on stdout or into a file (repeatable)`,
        collectValues,
      )
      .option("--json", "print the answer of debug_test as JSON")
      .option("--record <file>", "record all actor events as JSON lines")
      .addHelpText(
        "after",
        "\nThe tests run in the project's folder on this machine, as your own shell would run them. What they start is ended " +
          "with them.\nIn an environment they run in a copy, of which nothing comes back; what they need is installed there.\nExits with 1 if a test failed or was stuck, and with 2 if there are no tests.",
      );
  },
  async run(line, context) {
    const problems = new Problems();
    const run = readRun(line, problems);
    const start = await readEnvironment(line, context, problems);
    const asked = listValue(line.options.reporter);
    const chosen = await chooseReporters(asked, registry, problems);
    // Without one that writes to stdout, that is for the lines below.
    const isPlain = asked.every((text) => text.includes(":"));
    if (!isPlain && line.options.json === true) {
      problems.add("--json and --reporter cannot both write to stdout: give the reporter a file");
    }
    problems.throwIfAny("Cannot run the tests");
    const reporters = isPlain ? chosen.filter(({ file }) => file !== undefined) : chosen;
    const isQuiet = !isPlain || line.options.json === true;
    const startedAt = new Date();
    const answer = await runTests({ run, start, isQuiet }, line, context);
    if (typeof answer === "number") return answer;
    if (line.options.json === true) context.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
    else if (isPlain) {
      context.stdout.write(renderTestAnswer(answer, context.stdout));
      if (answer.sessionId !== undefined) await writeCalls(answer.sessionId, context);
    }
    const exitCode = exitCodeOf(answer);
    if (reporters.length > 0) {
      await writeReport(
        await reportOfTests(answer, { root: run.projectRoot, startedAt, exitCode }),
        reporters,
        context,
      );
    }
    return exitCode;
  },
});

function readRun({ operands: [root = "."], options }: CommandLine, problems: Problems): ProjectTestRun {
  const timeout = positiveOption("--timeout", options.timeout, problems, "number");
  const env = variablesOption("--var", listValue(options.var), problems);
  const patterns = listValue(options.trace);
  const watches = listValue(options.watchVariable).map((text) => {
    const [variable, on] = text.split("@", 2);
    return { variable: variable!, ...(on === undefined ? {} : { on: [on] }) };
  });
  if (patterns.length === 0 && watches.some(({ on }) => on === undefined)) {
    problems.add("--watch-variable needs the functions at which it is looked at: add @<pattern>, or --trace");
  }
  return {
    projectRoot: resolve(root),
    ...definedOnly({
      framework: textValue(options.framework),
      level: choiceOption("--level", options.level, ["unit", "integration", "e2e"], problems),
      test: textValue(options.test),
      command: textValue(options.command),
      timeoutMs: timeout === undefined ? undefined : timeout * 1000,
      env: Object.keys(env).length === 0 ? undefined : env,
      tracePatterns: patterns.length === 0 ? undefined : patterns,
      watches: watches.length === 0 ? undefined : watches,
    }),
  };
}

/** The environment that the options name; undefined for a run in place. */
async function readEnvironment(
  line: CommandLine,
  context: CommandContext,
  problems: Problems,
): Promise<StartRequest | undefined> {
  const { operands: [root = "."], options: { env, image, network } } = line;
  if ([env, image, network].every((option) => option === undefined)) return undefined;
  const place = { ...line, operands: [resolve(root)], options: { env, image, network } };
  return await readStart(place, context, problems);
}

interface AskedTests {
  run: ProjectTestRun;
  /** Absent: in place. */
  start: StartRequest | undefined;
  isQuiet: boolean;
}

/** The answer, or the exit code of an interruption. */
async function runTests(
  { run, start, isQuiet }: AskedTests,
  { options }: CommandLine,
  context: CommandContext,
): Promise<ProjectTestAnswer | number> {
  const progress = createProgress(context.stderr);
  const follow = isQuiet ? undefined : followTests(context.stdout);
  const harness = { keep: false, ...definedOnly({ recordFile: textValue(options.record) }) };
  return await withHarness(harness, context, async (harness, { signal, race, exitCode }) => {
    const stop = harness.on((fact) => {
      follow?.hear(fact);
      dispatch(progress.hooks, fact);
    });
    try {
      if (start === undefined) return await harness.runProjectTests(run, { signal });
      await race(harness.startSession(start.target, { signal, mode: "run" }));
      const { environment, projectTests } = harness.session();
      await race(environment.provision(start.config, { signal }));
      const { projectRoot: _root, ...asked } = run;
      return await projectTests.run(asked, { signal });
    } catch (error) {
      const interrupted = exitCode();
      if (interrupted === undefined) throw error;
      return interrupted;
    } finally {
      stop();
      progress.live.show(undefined);
      follow?.end();
    }
  });
}

/** Writes the first calls that were traced. */
async function writeCalls(sessionId: string, { stdout }: CommandContext): Promise<void> {
  const { queryTestTrace } = await import("../../test_traces/query_test_trace.ts");
  const { renderCalls } = await import("../../test_traces/render_calls.ts");
  stdout.write(`${renderCalls(await queryTestTrace({ sessionId, limit: shownCalls }), { tree: true })}\n`);
}

const exitCodeOf = ({ summary, stuck = [] }: ProjectTestAnswer): number =>
  summary === null ? nothingToRun : summary.failed > 0 || stuck.length > 0 ? 1 : 0;
