/** Slots `plugin.plan`, `plugin.install` and `plugin.build` of dependency plugins. */
import { posix } from "node:path";
import type { DependencyPlugin } from "../../../machines/model/environment.ts";
import type { PluginPlan, ServerTransport } from "../../../machines/model/plugin.ts";
import type { SessionTarget } from "../../../machines/model/session.ts";
import type { PlannedInput, PluginInput } from "../../../machines/plugin_machine.ts";
import { PthError } from "../../core/errors.ts";
import { freePortFrom } from "../../platform/sockets.ts";
import { buildPlugin } from "../../plugin/build_plugin.ts";
import { isSecretName } from "../../plugin/declared_variables.ts";
import { accessTo, type EnvironmentAccess } from "../../plugin/environment_access.ts";
import { installPlugin } from "../../plugin/install_plugin.ts";
import type { LoadReport } from "../../plugin/run_step.ts";
import { planPlugin } from "../../plugin/plan_plugin.ts";
import { expandDependencies, nameDependencies } from "../../plugin/dependency_names.ts";
import { definedOnly } from "../../core/values.ts";
import { dependencyFailed, type DependencyStep } from "./dependency_failed.ts";
import { LiveDependency } from "./live_dependency.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, promiseActor, withRetriedSource } from "../promise_actor.ts";
import { prepareDependency } from "../../session/prepare_source.ts";
import { announcedBefore } from "./announced_before.ts";

/** Path of dependencies inside the environment; all below it counts as scratch when drift is determined. */
const insideFolder = "/var/tmp/pth-dependencies";
/** Left in the folder of a dependency once it is built. */
const mark = ".pth-dependency";
/** HTTP dependencies have ports above those of the plugin under test, and each so many of its own. */
const [portsOfPlugin, portsEach] = [200, 20];

export const planDependency = (stage: GetSession) =>
  promiseActor<PluginPlan, PluginInput>(stage, async (live, { load }, signal) => {
    const dependency = dependencyOf(live, load.dependency!);
    await told(
      live,
      dependency,
      "copy",
      `copying ${dependency.wanted.source}`,
      () => bring(live, dependency, signal),
    );
    return await attempt(dependency, "plan", async () => {
      const access = accessOf(live, dependency);
      const planned = await planPlugin(dependency.source!, targetOf(live, dependency), access);
      dependency.variables = {};
      for (const { name, value, secret } of planned.variables ?? []) {
        if (secret) live.secrets.hide(value);
        dependency.variables[name] = value;
      }
      const server = await withPort(live, planned.server, dependency);
      for (const note of planned.notes ?? []) live.progress.note(`Dependency ${dependency.name}: ${note}`);
      return keep(live, dependency, { ...planned, server });
    });
  });

export const installDependency = (stage: GetSession) =>
  promiseActor<PluginPlan, PlannedInput>(stage, async (live, { plan }, signal) => {
    const dependency = loaded(live, plan);
    const access = accessOf(live, dependency);
    const options = stepOptions(live, dependency, signal);
    live.environment.require().ranPlugin = true;
    const install = () => installPlugin(dependency.plan!, access, options);
    return await told(live, dependency, "install", plan.build?.install, async () => {
      const report = await withRetriedSource(live, "dependency", install, signal);
      return keep(live, dependency, report.plan);
    });
  });

export const buildDependency = (stage: GetSession) =>
  promiseActor<PluginPlan, PlannedInput>(stage, async (live, { plan }, signal) => {
    const dependency = loaded(live, plan);
    const command = plan.build?.build;
    return await told(live, dependency, "build", dependency.proven ? undefined : command, async () => {
      const report = await withRetriedSource(
        live,
        "dependency",
        () => build(live, dependency, signal),
        signal,
      );
      return keep(live, dependency, report.plan);
    });
  });

/** Builds a dependency plugin; once it has worked it is not built again, since dependencies do not change. */
async function build(
  live: SessionResources,
  dependency: LiveDependency,
  signal: AbortSignal,
): Promise<LoadReport> {
  const plan = dependency.plan!;
  const access = accessOf(live, dependency);
  const options = stepOptions(live, dependency, signal);
  if (!dependency.proven) {
    const report = await buildPlugin(plan, access, options);
    dependency.buildOutput = live.secrets.redact.text(report.output);
    await access.exec(["touch", `${access.sourcePath}/${mark}`]);
    return report;
  }
  const { build: command, ...rest } = plan.build ?? { system: "", evidence: "", toolchains: [] };
  const report = await buildPlugin({ ...plan, ...(plan.build && { build: rest }) }, access, options);
  const known = plan.build && { build: { ...rest, ...(command === undefined ? {} : { build: command }) } };
  return { ...report, plan: { ...report.plan, ...known } };
}

/** The dependency as the environment's configuration has it now. */
function dependencyOf(live: SessionResources, name: string): LiveDependency {
  const all = nameDependencies(live.environment.require().info.config.dependencyPlugins ?? []);
  const index = all.findIndex((dependency) => dependency.name === name);
  const wanted = all[index];
  if (wanted === undefined) {
    throw new PthError("INTERNAL", `Cannot start dependency ${name}: it is not configured`);
  }
  const known = live.plugin.dependencies.get(name);
  if (known && known.index === index && sameWish(known.wanted, wanted)) return known;
  const dependency = new LiveDependency(wanted, index);
  // Its copy is in the register, and is removed with the session or written over.
  dependency.source = known?.source;
  live.plugin.dependencies.set(name, dependency);
  return dependency;
}

const sameWish = (one: DependencyPlugin, other: DependencyPlugin): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function loaded(live: SessionResources, plan: PluginPlan): LiveDependency {
  const dependency = live.plugin.dependencies.get(plan.dependency!);
  if (dependency?.plan) return dependency;
  throw new PthError("INTERNAL", `Cannot go on with dependency ${plan.dependency}: it was not planned`);
}

/** Into the environment, unless it has worked there before and is there still. */
async function bring(live: SessionResources, dependency: LiveDependency, signal: AbortSignal): Promise<void> {
  const { runtime, info } = live.environment.require();
  const folder = dependency.plan?.folder;
  if (dependency.proven && folder !== undefined) {
    const found = await runtime.exec(info.handle, ["test", "-e", `${folder}/${mark}`], { cwd: "/" });
    if (found.code === 0) return;
  }
  dependency.proven = false;
  dependency.buildOutput = "";
  const { sessionId, register } = live;
  dependency.source = await prepareDependency(dependency.wanted, { sessionId, register, signal });
  // On the host itself all of an environment lies in one folder, which goes with it.
  const parent = runtime.abilities.isolated
    ? insideFolder
    : posix.join(posix.dirname(info.handle.sourcePath), "dependencies");
  dependency.folder = posix.join(parent, dependency.name);
  await runtime.exec(info.handle, ["rm", "-rf", dependency.folder], { cwd: "/" });
  await runtime.copyIn(info.handle, dependency.source.worktree, dependency.folder);
}

function accessOf(live: SessionResources, dependency: LiveDependency): EnvironmentAccess {
  const { runtime, info } = live.environment.require();
  const sourcePath = dependency.folder!;
  const access = accessTo(runtime, info.handle);
  return {
    ...access,
    sourcePath,
    exec: (command, options) => access.exec(command, { cwd: sourcePath, ...options }),
  };
}

function targetOf(live: SessionResources, { name, wanted, given }: LiveDependency): SessionTarget {
  const announced = announcedBefore(live, name);
  const values = { ...expandDependencies(wanted.configValues ?? {}, announced), ...given };
  const pick = (secret: boolean) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => isSecretName(key) === secret));
  return definedOnly({
    target: wanted.source,
    command: wanted.command,
    args: wanted.args,
    server: wanted.server,
    build: wanted.buildCommand,
    install: wanted.installCommand,
    url: wanted.url,
    variables: { ...announced, ...pick(false) },
    secrets: pick(true),
  });
}

/** A port that PTH chooses is chosen once: others are told it. */
async function withPort(
  live: SessionResources,
  server: ServerTransport,
  dependency: LiveDependency,
): Promise<ServerTransport> {
  if (server.type !== "http" || server.command === undefined || server.port !== undefined) return server;
  dependency.port ??= await freePortFrom(
    live.connections.firstPort + portsOfPlugin + dependency.index * portsEach,
  );
  const { port } = dependency;
  return { ...server, port, url: server.url.replaceAll("{port}", String(port)) };
}

/** Machines get the plan without secrets; the session keeps the real one. */
function keep(live: SessionResources, dependency: LiveDependency, plan: PluginPlan): PluginPlan {
  dependency.plan = { ...plan, dependency: dependency.name };
  return live.secrets.redact.value(dependency.plan);
}

const stepOptions = (live: SessionResources, { wanted, variables }: LiveDependency, signal: AbortSignal) => ({
  onOutput: live.progress.output("dependency"),
  args: wanted.args ?? [],
  variables,
  signal,
});

/** One step that the person sees, if there is anything to see, and whose failure is the dependency's. */
const told = <T>(
  live: SessionResources,
  dependency: LiveDependency,
  step: DependencyStep,
  message: string | undefined,
  work: () => Promise<T>,
): Promise<T> =>
  message === undefined
    ? attempt(dependency, step, work)
    : live.progress.step("dependency", `${dependency.name}: ${message}`, () =>
      attempt(dependency, step, work));

async function attempt<T>(
  dependency: LiveDependency,
  step: DependencyStep,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw dependencyFailed(dependency, step, error);
  }
}
