/** Slots `plugin.plan`, `plugin.install` and `plugin.build`. */
import type { PluginPlan, ResolvedVariable } from "../../../machines/model/plugin.ts";
import type { PlannedInput, PluginInput } from "../../../machines/plugin_machine.ts";
import { buildPlugin as build } from "../../plugin/build_plugin.ts";
import { expandDependencies } from "../../plugin/expand_dependencies.ts";
import { accessTo } from "../../plugin/environment_access.ts";
import { installPlugin as install } from "../../plugin/install_plugin.ts";
import type { LoadReport } from "../../plugin/run_step.ts";
import { planPlugin as plan } from "../../plugin/plan_plugin.ts";
import { redacted } from "../../core/redact.ts";
import type { CoverageRun } from "../../testing/coverage/coverage_run.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, promiseActor, withRetriedSource } from "../promise_actor.ts";

export const planPluginActor = (stage: GetSession) =>
  promiseActor<PluginPlan, PluginInput>(stage, async (live, { load }) => {
    const { runtime, info } = live.requireEnvironment();
    // From here on the files are read: what is committed meanwhile is behind again.
    live.code.noteRead();
    await runtime.mountSource(info.handle, live.source!.worktree, info.handle.sourcePath);
    const configured = info.config.targetPlugin ?? {};
    const target = {
      ...live.target,
      ...(configured.buildCommand === undefined ? {} : { build: configured.buildCommand }),
      variables: givenVariables(live, configured.configValues),
      secrets: givenSecrets(live),
      ...load,
    };
    const planned = await plan(live.source!, target, accessTo(runtime, info.handle));
    for (const { value, secret } of planned.variables ?? []) if (secret) live.hide(value);
    for (const note of planned.notes ?? []) if (!live.plan?.notes?.includes(note)) live.note(note);
    return keep(live, planned);
  });

export const installPluginActor = (stage: GetSession) =>
  promiseActor<PluginPlan, PlannedInput>(stage, async (live, _input, signal) => {
    const plan = draftOf(live);
    const report = await step(live, "install", plan.build?.install, async (options) => {
      const { runtime, info } = live.requireEnvironment();
      return await install(plan, accessTo(runtime, info.handle), { ...options, signal });
    }, signal);
    return keep(live, report.plan);
  });

/** Starts to measure what is about to be built, where that is wanted and possible. */
type Measure = (live: SessionResources, plan: PluginPlan) => Promise<CoverageRun | undefined>;

/** @param measure Without it no coverage is measured. */
export const buildPluginActor = (stage: GetSession, measure?: Measure) =>
  promiseActor<PluginPlan, PlannedInput>(stage, async (live, _input, signal) => {
    live.lastBuildOutput = "";
    const plan = draftOf(live);
    const coverage = await measure?.(live, plan);
    const report = await step(live, "build", plan.build?.build, async (options) => {
      const { runtime, info } = live.requireEnvironment();
      const variables = { ...options.variables, ...coverage?.buildVariables };
      const report = await build(plan, accessTo(runtime, info.handle), { ...options, variables, signal });
      await coverage?.built(report.plan);
      live.lastBuildOutput = live.redact.text(report.output);
      return report;
    }, signal);
    // A reload that was given up meanwhile leaves the running server its plan.
    signal.throwIfAborted();
    const adopted = adopt(live, report.plan);
    await adoptCoverage(live, coverage);
    return adopted;
  });

/** What is being prepared; where the plan was laid beforehand, that one. */
const draftOf = (live: SessionResources): PluginPlan => live.draft ?? live.requirePlan();

/** Machines get the plan without secrets; the session keeps the real one. */
function keep(live: SessionResources, plan: PluginPlan): PluginPlan {
  live.draft = plan;
  return live.redact.value(plan);
}

/** A plan that was built takes the place of the one before, and so does what measures its server. */
async function adoptCoverage(live: SessionResources, run: CoverageRun | undefined): Promise<void> {
  const before = live.coverage;
  live.coverage = run;
  await before?.close();
}

/** From now on servers start from this plan, and their tools are asked for anew. */
function adopt(live: SessionResources, plan: PluginPlan): PluginPlan {
  live.plan = plan;
  live.draft = undefined;
  live.code.noteLoaded();
  live.tools = [];
  live.era = "auto";
  if (plan.variables !== undefined) adoptVariables(live, plan.variables);
  return live.redact.value(plan);
}

function adoptVariables(live: SessionResources, variables: readonly ResolvedVariable[]): void {
  live.variables = {};
  for (const name of live.declaredSecrets) live.secrets.delete(name);
  live.declaredSecrets.clear();
  for (const { name, value, source, secret } of variables) {
    if (!secret) {
      live.variables[name] = value;
      continue;
    }
    live.addSecret(name, value);
    if (source !== "given as a secret") live.declaredSecrets.add(name);
  }
  const announced = live.announcedBefore();
  live.config = variables.map(({ name, value, source, secret }) => ({
    name,
    value: secret ? redacted : value,
    source: name in announced
      ? (name.startsWith("PTH_SERVICE_") ? "service" : "dependency")
      : live.askedFor.has(name)
      ? "asked for"
      : source,
  }));
}

/** What dependencies announce, and what the user says, who may refer to it. */
function givenVariables(
  live: SessionResources,
  configured: Record<string, string> | undefined,
): Record<string, string> {
  const announced = live.announcedBefore();
  return {
    ...announced,
    ...expandDependencies({ ...configured, ...live.target.variables, ...live.asked }, announced),
  };
}

/** Without those that the plugin's own files told the last time: they may tell something else by now. */
const givenSecrets = ({ secrets, declaredSecrets }: SessionResources): Record<string, string> =>
  Object.fromEntries([...secrets].filter(([name]) => !declaredSecrets.has(name)));

interface StepOptions {
  onOutput: (text: string) => void;
  hide: (text: string) => string;
  args: string[];
  variables: Record<string, string>;
}

async function step(
  live: SessionResources,
  phase: string,
  command: string | undefined,
  work: (options: StepOptions) => Promise<LoadReport>,
  signal: AbortSignal,
): Promise<LoadReport> {
  const planned = draftOf(live).variables;
  const options = {
    onOutput: live.output(phase),
    hide: (text: string) => live.redact.text(text),
    args: live.target.args ?? [],
    variables: planned === undefined
      ? { ...live.variables, ...Object.fromEntries(live.secrets) }
      : Object.fromEntries(planned.map(({ name, value }) => [name, value])),
  };
  return await live.step(
    phase,
    command ?? `nothing to ${phase}`,
    () => withRetriedSource(live, phase, () => work(options), signal),
    ({ skipped }) => skipped ?? command ?? phase,
  );
}
