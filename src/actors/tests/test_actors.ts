/** Slots `test.prepare`, `test.verify` and `test.clean_up`, and those of `agent_run`: a test's shell commands, in the plugin's folder. */
import type { CommandObservation, PlannedTest } from "../../../machines/model/observation.ts";
import type { PreparationStep } from "../../../machines/model/test_case.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { ExecResult } from "../../../machines/model/environment_operations.ts";

interface Input {
  planned: PlannedTest;
  /** Index of a step whose commands they are; absent: the test's own. */
  step?: number;
}

/** Most output of one command that is kept. */
const maxBytes = 1024 * 1024;

/** Runs `setup`; throws a sentence for people where a step fails. */
export const prepareTest = (stage: GetSession) =>
  promiseActor<void, Input>(stage, (live, { planned }, signal) => prepare(live, planned, signal));

/** Like `prepareTest`; what ran before, of calls that belong to no test, does not count for the run. */
export const prepareAgentRun = (stage: GetSession) =>
  promiseActor<void, Input>(stage, async (live, { planned }, signal) => {
    await live.coverage.run?.mark();
    await prepare(live, planned, signal);
  });

async function prepare(live: SessionResources, { test }: PlannedTest, signal: AbortSignal): Promise<void> {
  const failure = await runSteps(live, test.setup, signal);
  if (failure !== undefined) throw new Error(failure);
}

/** Runs all `teardown` steps; resolves to what went wrong, if anything. */
export const cleanUpTest = (stage: GetSession) =>
  promiseActor<string | undefined, Input>(stage, async (live, { planned }, signal) => {
    const failures: string[] = [];
    for (const step of planned.test.teardown) {
      const failure = await runSteps(live, [step], signal);
      if (failure !== undefined) failures.push(`teardown failed: ${failure}`);
    }
    return failures.length === 0 ? undefined : failures.join("; ");
  });

export const verifyTest = (stage: GetSession) =>
  promiseActor<CommandObservation[], Input>(stage, async (live, { planned: { test }, step }, signal) => {
    const observations: CommandObservation[] = [];
    const commands = step === undefined ? test.verify : test.steps![step]!.verify;
    for (const command of commands) {
      const { code, stdout, stderr } = live.secrets.redact.value(await shell(live, command.exec, signal));
      observations.push({ command, result: { code, stdout, stderr } });
    }
    return observations;
  });

async function runSteps(
  live: SessionResources,
  steps: readonly PreparationStep[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const step of steps) {
    const result = "exec" in step ? await shell(live, step.exec, signal) : await shell(
      live,
      'mkdir -p "$(dirname "$1")" && cat > "$1"',
      signal,
      [step.file.path],
      step.file.content,
    );
    if (result.code === 0) continue;
    const what = "exec" in step ? `"${step.exec}"` : `file ${step.file.path}`;
    const output = live.secrets.redact.text(`${result.stdout}${result.stderr}`.trim()).slice(-2000);
    return `${what} exited with ${result.code ?? result.signal}${output === "" ? "" : `: ${output}`}`;
  }
  return undefined;
}

function shell(
  live: SessionResources,
  script: string,
  signal: AbortSignal,
  args: string[] = [],
  stdin?: string,
): Promise<ExecResult> {
  const { runtime, info } = live.environment.require();
  return runtime.exec(info.handle, ["sh", "-c", script, "sh", ...args], {
    cwd: live.plugin.folder ?? info.handle.sourcePath,
    env: live.plugin.plan?.server.env ?? {},
    signal,
    maxBytes,
    ...(stdin === undefined ? {} : { stdin }),
  });
}
