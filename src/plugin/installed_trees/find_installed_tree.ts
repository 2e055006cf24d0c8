/** Decides whether an install may come from the store, and gathers what its key is made of. */
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { npmInstall } from "../build_system.ts";
import type { EnvironmentAccess } from "../environment_access.ts";
import type { LoadStepOptions } from "../run_step.ts";
import { askedVersion, type InstalledTree, installedTree, type RestoredTree } from "./installed_tree.ts";
import { readPlaceFacts } from "./place_facts.ts";
import { nodeOf, resolveVersion } from "./resolve_version.ts";
import type { InstallFacts, TreeAccess } from "./tree_access.ts";
import { isObject, jsonIn } from "../../core/values.ts";

/** Facts from the environment and the registry; an environment is asked once. */
export async function readInstallFacts(
  plan: PluginPlan,
  env: EnvironmentAccess,
  trees: TreeAccess,
  signal: AbortSignal | undefined,
): Promise<InstallFacts> {
  if (trees.known !== undefined) return trees.known;
  const isPackage = plan.source.startsWith("npm:");
  const asked = isPackage ? await askedVersion(trees.source, plan.name) : undefined;
  const [facts, resolved] = await Promise.all([
    readPlaceFacts(env, plan.folder),
    asked === undefined ? undefined : resolveVersion(env, plan.name, asked, signal),
  ]);
  trees.noteFacts?.({ facts, resolved });
  return { facts, resolved };
}

/** Range of Node versions that a package or a folder asks for. */
export async function nodeRangeOf(
  plan: PluginPlan,
  { source }: TreeAccess,
  { resolved }: InstallFacts,
): Promise<string | undefined> {
  if (plan.source.startsWith("npm:")) return typeof resolved === "object" ? resolved.node : undefined;
  // A manifest that is a link, or no file, is left to npm's own words.
  const text = await source.readText("package.json", { followWithin: true }).catch(() => undefined);
  const manifest = jsonIn(text ?? "");
  return isObject(manifest) ? nodeOf(manifest.engines) : undefined;
}

/** Undefined where nothing of it may be kept, or where packages are there already, of whatever origin. */
export async function findInstalledTree(
  plan: PluginPlan,
  env: EnvironmentAccess,
  { trees, variables = {}, signal }: LoadStepOptions,
  { facts, resolved }: InstallFacts,
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
