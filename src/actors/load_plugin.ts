/** Slots `plugin.plan`, `plugin.install` and `plugin.build` (PTH design §5.2). */
import type { PluginPlan } from "../../machines/model/plugin.ts";
import type { PlannedInput, PluginInput } from "../../machines/plugin_machine.ts";
import { buildPlugin as build } from "../plugin/build_plugin.ts";
import { accessTo } from "../plugin/environment_access.ts";
import { installPlugin as install } from "../plugin/install_plugin.ts";
import type { LoadReport } from "../plugin/load_step.ts";
import { planPlugin as plan } from "../plugin/plan_plugin.ts";
import { redacted } from "../session/redact.ts";
import type { LiveSession } from "./live_session.ts";
import { promiseActor, type Stage } from "./promise_actor.ts";

export const planPlugin = (stage: Stage) =>
  promiseActor<PluginPlan, PluginInput>(stage, async (live, { load }) => {
    const { runtime, info } = live.requireEnvironment();
    const configured = info.config.targetPlugin ?? {};
    const target = {
      ...live.target,
      ...(configured.buildCommand === undefined ? {} : { build: configured.buildCommand }),
      variables: { ...configured.configValues, ...live.target.variables },
      secrets: Object.fromEntries(live.secrets),
      ...load,
    };
    const planned = await plan(live.source!, target, accessTo(runtime, info.handle));
    live.variables = {};
    for (const { name, value, secret } of planned.variables ?? []) {
      if (secret) live.addSecret(name, value);
      else live.variables[name] = value;
    }
    live.config = (planned.variables ?? []).map(({ name, value, source, secret }) => ({
      name,
      value: secret ? redacted : value,
      source,
    }));
    for (const note of planned.notes ?? []) live.note(note);
    return keep(live, planned);
  });

export const installPlugin = (stage: Stage) =>
  promiseActor<PluginPlan, PlannedInput>(
    stage,
    (live, _input, signal) =>
      step(live, "install", live.requirePlan().build?.install, async (options) => {
        const { runtime, info } = live.requireEnvironment();
        return await install(live.requirePlan(), accessTo(runtime, info.handle), { ...options, signal });
      }),
  );

export const buildPlugin = (stage: Stage) =>
  promiseActor<PluginPlan, PlannedInput>(stage, async (live, _input, signal) => {
    live.lastBuildOutput = "";
    return await step(live, "build", live.requirePlan().build?.build, async (options) => {
      const { runtime, info } = live.requireEnvironment();
      const report = await build(live.requirePlan(), accessTo(runtime, info.handle), { ...options, signal });
      live.lastBuildOutput = live.redact.text(report.output);
      return report;
    });
  });

/** Machines get the plan without secrets; the session keeps the real one. */
function keep(live: LiveSession, plan: PluginPlan): PluginPlan {
  live.plan = plan;
  return live.redact.value(plan);
}

interface StepOptions {
  onOutput: (text: string) => void;
  args: string[];
  variables: Record<string, string>;
}

async function step(
  live: LiveSession,
  phase: string,
  command: string | undefined,
  work: (options: StepOptions) => Promise<LoadReport>,
): Promise<PluginPlan> {
  const options = {
    onOutput: live.output(phase),
    args: live.target.args ?? [],
    variables: { ...live.variables, ...Object.fromEntries(live.secrets) },
  };
  const report = await live.step(
    phase,
    command ?? `nothing to ${phase}`,
    () => work(options),
    ({ skipped }) => skipped ?? command ?? phase,
  );
  return keep(live, report.plan);
}
