/** Decides whether an install may come from the store, and gathers what its key is made of. */
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { npmInstall } from "../build_system.ts";
import type { EnvironmentAccess } from "../environment_access.ts";
import type { LoadStepOptions } from "../run_step.ts";
import { askedVersion, type InstalledTree, installedTree, type RestoredTree } from "./installed_tree.ts";
import { type PlaceFacts, readPlaceFacts } from "./place_facts.ts";
import { nodeOf, type ResolvedPackage, resolveVersion } from "./resolve_version.ts";
import type { TreeAccess } from "./tree_access.ts";
import { isObject, jsonIn } from "../../core/values.ts";

/** Facts about a package before anything of it is there. */
export interface InstallFacts {
  facts: PlaceFacts;
  /** Answer of the registry about an `npm:` target; undefined for folders, and where it was not reached. */
  resolved: ResolvedPackage | "unknown" | undefined;
  /** Range of Node versions that it asks for. */
  nodeRange: string | undefined;
}

export async function readInstallFacts(
  plan: PluginPlan,
  env: EnvironmentAccess,
  { source }: TreeAccess,
  signal: AbortSignal | undefined,
): Promise<InstallFacts> {
  if (!plan.source.startsWith("npm:")) {
    const manifest = jsonIn(await source.readText("package.json", { followWithin: true }) ?? "");
    const facts = await readPlaceFacts(env, plan.folder);
    return {
      facts,
      resolved: undefined,
      nodeRange: isObject(manifest) ? nodeOf(manifest.engines) : undefined,
    };
  }
  const asked = await askedVersion(source, plan.name);
  const [facts, resolved] = await Promise.all([
    readPlaceFacts(env, plan.folder),
    asked === undefined ? undefined : resolveVersion(env, plan.name, asked, signal),
  ]);
  return { facts, resolved, nodeRange: typeof resolved === "object" ? resolved.node : undefined };
}

/** Undefined where nothing of it may be kept, or where packages are there already, of whatever origin. */
export async function findInstalledTree(
  plan: PluginPlan,
  env: EnvironmentAccess,
  { trees, variables = {}, signal }: LoadStepOptions,
  { facts, resolved }: Pick<InstallFacts, "facts" | "resolved">,
): Promise<InstalledTree | undefined> {
  if (trees === undefined || (!trees.reads && !trees.keeps) || plan.build?.install !== npmInstall) {
    return undefined;
  }
  if (facts.hasPackages) return undefined;
  return await installedTree({ plan, env, trees, facts, variables, resolved, signal });
}

/** Outcome of the step for people. */
export function restoredText({ name, unconfirmed, incomplete }: RestoredTree, command: string): string {
  const told = unconfirmed
    ? `${name} installed from cache, the newest that is kept: the registry was not reached`
    : `${name} installed from cache`;
  return incomplete ? `${told}, then ${command}` : told;
}
