/** Decides whether an install may come from the store, and gathers what its key is made of. */
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { npmInstall } from "../build_system.ts";
import { type EnvironmentAccess, insideFolder } from "../environment_access.ts";
import type { LoadStepOptions } from "../run_step.ts";
import { askedVersion, type InstalledTree, installedTree, type RestoredTree } from "./installed_tree.ts";
import { readPlaceFacts } from "./place_facts.ts";
import { isVersion, resolveVersion } from "./resolve_version.ts";

/** Undefined where nothing of it may be kept, or where packages are there already, of whatever origin. */
export async function findInstalledTree(
  plan: PluginPlan,
  env: EnvironmentAccess,
  { trees, variables = {}, signal }: LoadStepOptions,
): Promise<InstalledTree | undefined> {
  if (trees === undefined || (!trees.reads && !trees.keeps) || plan.build?.install !== npmInstall) {
    return undefined;
  }
  if (await insideFolder(env, plan.folder).exists("node_modules")) return undefined;
  const [facts, resolved] = await Promise.all([
    readPlaceFacts(env),
    plan.source.startsWith("npm:") ? resolvedVersion(plan, env, trees.source, signal) : undefined,
  ]);
  return await installedTree({ plan, env, trees, facts, variables, resolved, signal });
}

/** A whole version needs no registry. */
async function resolvedVersion(
  plan: PluginPlan,
  env: EnvironmentAccess,
  source: Parameters<typeof askedVersion>[0],
  signal: AbortSignal | undefined,
) {
  const asked = await askedVersion(source, plan.name);
  return asked === undefined || isVersion(asked)
    ? undefined
    : await resolveVersion(env, plan.name, asked, signal);
}

/** Outcome of the step for people. */
export function restoredText({ name, unconfirmed, incomplete }: RestoredTree, command: string): string {
  const told = unconfirmed
    ? `${name} installed from cache, the newest that is kept: the registry was not reached`
    : `${name} installed from cache`;
  return incomplete ? `${told}, then ${command}` : told;
}
