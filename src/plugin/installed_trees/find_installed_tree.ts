/** Decides whether an install may come from the store, and gathers what its key is made of. */
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { npmInstall } from "../build_system.ts";
import type { EnvironmentAccess } from "../environment_access.ts";
import type { LoadStepOptions } from "../run_step.ts";
import {
  askedVersion,
  type BroughtTree,
  type InstalledTree,
  installedTree,
  type RestoredTree,
  unpackEarly,
} from "./installed_tree.ts";
import { readPlaceFacts } from "./place_facts.ts";
import { nodeOf, resolveVersion } from "./resolve_version.ts";
import type { InstallFacts, TreeAccess } from "./tree_access.ts";
import { isObject, jsonIn } from "../../core/values.ts";

/** Facts for an install, and a tree that was brought in meanwhile: whoever has it drops it in the end. */
export interface EarlyFacts extends InstallFacts {
  /** True where they were read for this install. */
  isNew?: boolean;
  early?: BroughtTree | undefined;
}

/** Facts from the environment and the registry; an environment is asked once. */
export async function readInstallFacts(
  plan: PluginPlan,
  env: EnvironmentAccess,
  trees: TreeAccess,
  { variables = {}, signal }: Pick<LoadStepOptions, "variables" | "signal">,
): Promise<EarlyFacts> {
  if (trees.known !== undefined) return trees.known;
  const isPackage = plan.source.startsWith("npm:");
  const asked = isPackage ? await askedVersion(trees.source, plan.name) : undefined;
  const place = readPlaceFacts(env, plan.folder);
  if (asked === undefined) {
    return { ...noted(trees, { facts: await place, resolved: undefined }), isNew: true };
  }
  const early = place.then((facts) =>
    trees.reads && !facts.hasPackages && plan.build?.install === npmInstall
      ? unpackEarly({ plan, env, trees, facts, variables, signal })
      : undefined
  );
  try {
    const [facts, resolved, brought] = await Promise.all([
      place,
      resolveVersion(env, plan.name, asked, signal),
      early,
    ]);
    return { ...noted(trees, { facts, resolved }), early: brought, isNew: true };
  } catch (error) {
    // Not swallowed: the first error is told.
    await early.then((tree) => tree?.drop(), () => {});
    throw error;
  }
}

/** Tells the facts to the environment. */
function noted(trees: TreeAccess, facts: InstallFacts): InstallFacts {
  trees.noteFacts?.(facts);
  return facts;
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
  { facts, resolved, early }: EarlyFacts,
): Promise<InstalledTree | undefined> {
  if (trees === undefined || (!trees.reads && !trees.keeps) || plan.build?.install !== npmInstall) {
    return undefined;
  }
  if (facts.hasPackages) return undefined;
  return await installedTree({ plan, env, trees, facts, variables, resolved, early, signal });
}

/** Outcome of the step for people. */
export function restoredText({ name, unconfirmed, incomplete }: RestoredTree, command: string): string {
  const told = unconfirmed
    ? `${name} installed from cache, the newest that is kept: the registry was not reached`
    : `${name} installed from cache`;
  return incomplete ? `${told}, then ${command}` : told;
}
