/** One run of the exported runner: from arguments to an exit code. */
import { runOutcome } from "../testing/report/run_outcome.ts";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Interruption, listenForInterrupts } from "../cli/listen_for_interrupts.ts";
import type { ChosenReporter } from "../cli/options/choose_reporters.ts";
import { renderTerminalError } from "../cli/render_terminal_error.ts";
import { openReporters, type Reporters } from "../cli/open_reporters.ts";
import { asPthError, PthError } from "../core/errors.ts";
import { cwd, exitProcess, offSignal, onSignal, readEnv } from "../platform/host.ts";
import github from "../testing/reporters/github.ts";
import json from "../testing/reporters/json.ts";
import junit from "../testing/reporters/junit.ts";
import spec from "../testing/reporters/spec.ts";
import tap from "../testing/reporters/tap.ts";
import { definedOnly } from "../core/values.ts";
import { type CiSession, openCiSession } from "./open_ci_session.ts";
import { help, readOptions, type RunnerOptions } from "./options.ts";
import { type CiSettings, fillSettings } from "../export/ci/ci_settings.ts";
import type { CommandContext, Interrupt } from "../cli/command.ts";
import { standardOutputs } from "../platform/terminal.ts";

/** Exit code where the tests could not be run at all. */
const couldNotRun = 2;

/** Never throws: an error is printed on stderr. `runnerUrl` is the runner's own address: the tests are next to it. */
export async function runCi(
  settings: CiSettings,
  runnerUrl: string,
  args: string[],
  context: CiContext,
): Promise<number> {
  try {
    const options = readOptions(args);
    if (options.help) {
      context.stdout.write(help);
      return 0;
    }
    return await runTests(settings, dirname(fileURLToPath(runnerUrl)), options, context);
  } catch (error) {
    const { stderr } = context;
    stderr.write(
      renderTerminalError(asPthError(error), { colour: stderr.colour, debug: !!context.env("PTH_DEBUG") }),
    );
    return couldNotRun;
  }
}

async function runTests(
  settings: CiSettings,
  here: string,
  options: RunnerOptions,
  context: CiContext,
): Promise<number> {
  const secrets = readSecrets(settings.secrets, context.env);
  const folder = resolve(options.plugin ?? join(here, "../.."));
  const filled = fillSettings(options.noBuild ? withoutBuild(settings) : settings, folder, secrets);
  const reporters = await openReporters(
    {
      reporters: chosenReporters(options),
      suite: {},
      allowUnexercised: true,
      phases: [],
    },
    settings.plan.name,
    context,
  );
  const interruption = listenForInterrupts(context);
  let finished = false;
  const session = await openCiSession(filled, secrets, (fact) => finished || reporters.follow(fact));
  try {
    return await runSession(
      session,
      options,
      options.tests ?? relative(cwd(), join(here, "tests.yaml")),
      interruption,
      reporters,
    );
  } finally {
    finished = true;
    await session.end();
    interruption.stop();
  }
}

async function runSession(
  session: CiSession,
  { grep, retries, shard, failFast }: RunnerOptions,
  testsPath: string,
  interruption: Interruption,
  reporters: Reporters,
): Promise<number> {
  const { signal, race } = interruption;
  let error: PthError | undefined;
  try {
    await session.useTests(testsPath);
    await race(session.load(signal));
    const suite = definedOnly({ grep, retries, shard, bail: failFast ? 1 : undefined });
    await race(session.tests.runSuite(suite, { signal }));
  } catch (thrown) {
    error = asPthError(thrown, "Cannot finish the run");
  }
  const report = session.tests.report();
  const { exitCode } = runOutcome({
    summary: report.summary,
    error: error && { exitCode: couldNotRun },
    interrupted: interruption.exitCode(),
  });
  await reporters.finish(definedOnly({ exitCode, report, shard, error }), []);
  if (error !== undefined && interruption.exitCode() === undefined) throw error;
  return exitCode;
}

const chosenReporters = (options: RunnerOptions): ChosenReporter[] => [
  { definition: options.tap ? tap : options.github ? github : spec },
  ...(options.junit === undefined ? [] : [{ definition: junit, file: options.junit }]),
  ...(options.json === undefined ? [] : [{ definition: json, file: options.json }]),
];

function withoutBuild(settings: CiSettings): CiSettings {
  const { build: _done, ...plan } = settings.plan;
  return { ...settings, plan };
}

/** @throws {PthError} `CONFIG_MISSING` that names every secret without a value */
function readSecrets(names: readonly string[], env: CiContext["env"]): Map<string, string> {
  const missing = names.filter((name) => !env(name));
  if (missing.length > 0) {
    throw new PthError("CONFIG_MISSING", `Cannot run tests: secrets without a value: ${missing.join(", ")}`, {
      next: ["Set them as environment variables; in GitHub Actions as repository secrets of the same names"],
    });
  }
  return new Map(names.map((name) => [name, env(name)!]));
}

type CiContext = Omit<CommandContext, "createHarness" | "askHidden">;

const interrupts: readonly Interrupt[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Context of this process: its streams, variables and signals. */
export function ciContext(): CiContext {
  return {
    ...standardOutputs(),
    env: readEnv,
    onInterrupt(listener) {
      const listeners = interrupts.map((signal) => [signal, () => listener(signal)] as const);
      for (const [signal, listen] of listeners) onSignal(signal, listen);
      return () => {
        for (const [signal, listen] of listeners) offSignal(signal, listen);
      };
    },
    exit: exitProcess,
  };
}
