/** Slots `plugin.plan`, `plugin.install` and `plugin.build`. */
import type { PluginPlan, ResolvedVariable } from "../../../machines/model/plugin.ts";
import type { PlannedInput, PluginInput } from "../../../machines/plugin_machine.ts";
import { buildPlugin as build } from "../../plugin/build_plugin.ts";
import { accessTo } from "../../plugin/environment_access.ts";
import { installPlugin as install } from "../../plugin/install_plugin.ts";
import type { LoadReport } from "../../plugin/run_step.ts";
import { planPlugin as plan } from "../../plugin/plan_plugin.ts";
import { redacted } from "../../core/redact.ts";
import type { CoverageRun } from "../../testing/coverage/coverage_run.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, promiseActor, withRetriedSource } from "../promise_actor.ts";
import { expandDependencies } from "../../plugin/dependency_names.ts";
import { announcedBefore } from "./announced_before.ts";
import type { TreeAccess } from "../../plugin/installed_trees/tree_access.ts";
import { definedOnly } from "../../core/values.ts";

export const planPluginActor = (stage: GetSession) =>
  promiseActor<PluginPlan, PluginInput>(stage, async (live, { load }) => {
    const { runtime, info } = live.environment.require();
    // From here on the files are read: what is committed meanwhile is behind again.
    live.code.line.noteRead();
    await runtime.mountSource(info.handle, live.code.source!.worktree, info.handle.sourcePath);
    const configured = info.config.targetPlugin ?? {};
    const target = {
      ...live.target,
      ...(configured.buildCommand === undefined ? {} : { build: configured.buildCommand }),
      variables: givenVariables(live, configured.configValues),
      secrets: givenSecrets(live),
      ...load,
    };
    const planned = await plan(live.code.source!, target, accessTo(runtime, info.handle));
    for (const { value, secret } of planned.variables ?? []) if (secret) live.secrets.hide(value);
    tellNotes(live, planned);
    return keep(live, planned);
  });

/** @param treesOf Without it nothing is taken from earlier sessions. */
export const installPluginActor = (stage: GetSession, treesOf?: (live: SessionResources) => TreeAccess) =>
  promiseActor<PluginPlan, PlannedInput>(stage, async (live, _input, signal) => {
    const plan = draftOf(live);
    const trees = treesOf?.(live);
    const report = await step(live, "install", plan.build?.install, async (options) => {
      const { runtime, info } = live.environment.require();
      const access = accessTo(runtime, info.handle);
      return await install(plan, access, { ...options, signal, ...definedOnly({ trees }) });
    }, signal);
    tellNotes(live, report.plan, plan.notes);
    return keep(live, report.plan);
  });

/** Starts to measure what is about to be built, where that is wanted and possible. */
type Measure = (
  live: SessionResources,
  plan: PluginPlan,
  wanted: boolean,
) => Promise<CoverageRun | undefined>;

/** @param measure Without it no coverage is measured. */
export const buildPluginActor = (stage: GetSession, measure?: Measure) =>
  promiseActor<PluginPlan, PlannedInput>(stage, async (live, { coverage: wanted }, signal) => {
    live.plugin.lastBuildOutput = "";
    const plan = draftOf(live);
    const coverage = await measure?.(live, plan, wanted);
    const report = await step(live, "build", plan.build?.build, async (options) => {
      const { runtime, info } = live.environment.require();
      const variables = { ...options.variables, ...coverage?.buildVariables };
      const report = await build(plan, accessTo(runtime, info.handle), { ...options, variables, signal });
      await coverage?.built(report.plan);
      live.plugin.lastBuildOutput = live.secrets.redact.text(report.output);
      return report;
    }, signal);
    // A reload that was given up meanwhile leaves the running server its plan.
    signal.throwIfAborted();
    const adopted = adopt(live, report.plan);
    await adoptCoverage(live, coverage);
    return adopted;
  });

/** Publishes the notes that neither this plan nor the one that runs had before. */
function tellNotes(live: SessionResources, { notes = [] }: PluginPlan, told: readonly string[] = []): void {
  for (const note of notes) {
    if (!told.includes(note) && !live.plugin.plan?.notes?.includes(note)) live.progress.note(note);
  }
}

/** Plan that is being prepared; the one that was made beforehand, if there is one. */
const draftOf = (live: SessionResources): PluginPlan => live.plugin.draft ?? live.plugin.requirePlan();

/** Machines get the plan without secrets; the session keeps the real one. */
function keep(live: SessionResources, plan: PluginPlan): PluginPlan {
  live.plugin.draft = plan;
  return live.secrets.redact.value(plan);
}

/** A plan that was built takes the place of the one before, and so does what measures its server. */
async function adoptCoverage(live: SessionResources, run: CoverageRun | undefined): Promise<void> {
  const before = live.coverage.run;
  live.coverage.run = run;
  await before?.close();
}

/** Makes servers start from this plan from now on; their tools are listed again. */
function adopt(live: SessionResources, plan: PluginPlan): PluginPlan {
  live.plugin.plan = plan;
  live.plugin.draft = undefined;
  live.code.line.noteLoaded();
  live.plugin.tools = [];
  live.plugin.era = "auto";
  if (plan.variables !== undefined) adoptVariables(live, plan.variables);
  return live.secrets.redact.value(plan);
}

function adoptVariables(live: SessionResources, variables: readonly ResolvedVariable[]): void {
  live.plugin.variables = {};
  live.secrets.dropDeclared();
  for (const { name, value, source, secret } of variables) {
    if (!secret) {
      live.plugin.variables[name] = value;
      continue;
    }
    live.secrets.add(name, value);
    if (source !== "given as a secret") live.secrets.declared.add(name);
  }
  const announced = announcedBefore(live);
  live.plugin.config = variables.map(({ name, value, source, secret }) => ({
    name,
    value: secret ? redacted : value,
    source: name in announced
      ? (name.startsWith("PTH_SERVICE_") ? "service" : "dependency")
      : live.questions.answered.has(name)
      ? "asked for"
      : source,
  }));
}

/** Variables from dependencies and from the user; the user's may refer to those of dependencies. */
function givenVariables(
  live: SessionResources,
  configured: Record<string, string> | undefined,
): Record<string, string> {
  const announced = announcedBefore(live);
  return {
    ...announced,
    ...expandDependencies({ ...configured, ...live.target.variables, ...live.questions.answers }, announced),
  };
}

/** Secrets without those that the plugin's own files declared the last time: the files may differ by now. */
const givenSecrets = ({ secrets: { values, declared } }: SessionResources): Record<string, string> =>
  Object.fromEntries([...values].filter(([name]) => !declared.has(name)));

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
    onOutput: live.progress.output(phase),
    hide: (text: string) => live.secrets.redact.text(text),
    args: live.target.args ?? [],
    variables: planned === undefined
      ? { ...live.plugin.variables, ...Object.fromEntries(live.secrets.values) }
      : Object.fromEntries(planned.map(({ name, value }) => [name, value])),
  };
  return await live.progress.step(
    phase,
    command ?? `nothing to ${phase}`,
    () => withRetriedSource(live, phase, () => work(options), signal),
    ({ skipped }) => skipped ?? command ?? phase,
  );
}
