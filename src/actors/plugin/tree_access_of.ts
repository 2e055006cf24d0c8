/** Says what a session's environment may have of the kept trees, and what of it may be kept. */
import { join } from "node:path";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { type TreeAccess, treeWays } from "../../plugin/installed_trees/tree_access.ts";
import { openTreeStore } from "../../plugin/installed_trees/tree_store.ts";
import type { SessionResources } from "../session_resources.ts";

/**
 * Asked once for each install. From then on code of a plugin has run in the environment, and nothing of it is kept any more.
 */
export function treeAccessOf(live: SessionResources): TreeAccess {
  const environment = live.environment.require();
  const { runtime, info: { handle, config } } = environment;
  const { files = [], setupScripts = [], services = [] } = config.fixtures ?? {};
  const asProvisioned = environment.touched !== true && (live.target.copies ?? []).length === 0 &&
    files.length === 0 && setupScripts.length === 0;
  const untouched = asProvisioned && services.length === 0 && environment.ranPlugin !== true;
  environment.ranPlugin = true;
  const { worktree, subfolder } = live.code.source!;
  // What lies above a folder within a repository has a part in what npm installs there.
  const whole = subfolder === "";
  // The way into a virtual machine takes longer than most installs.
  const usable = whole && !runtime.abilities.kernel;
  const known = environment.installFacts;
  return {
    store: openTreeStore(),
    ...treeWays(runtime, handle),
    source: openConfined(join(worktree, subfolder)),
    reads: usable && asProvisioned && known === undefined && live.target.installAnew !== true,
    keeps: usable && untouched,
    known,
    noteFacts: (facts) => environment.installFacts = facts,
  };
}
