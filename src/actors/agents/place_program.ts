/** Brings the program of an agent into the environment, and the Node that it asks for. */
import { basename, dirname, posix, relative } from "node:path";
import type { InstalledAgent } from "../../agents/adapters/agents.ts";
import { PthError } from "../../core/errors.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { accessTo } from "../../plugin/environment_access.ts";
import { fittingNode } from "../../plugin/installed_trees/fitting_node.ts";
import { readPlaceFacts } from "../../plugin/installed_trees/place_facts.ts";
import { treeWays } from "../../plugin/installed_trees/tree_access.ts";
import { openTreeStore } from "../../plugin/installed_trees/tree_store.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";

interface PlacedProgram {
  /** Path inside; empty where there is none. */
  program: string;
  /** Program of the Node that runs it; absent: it starts by itself. */
  node?: string;
  /** Tells that no Node that fits could be brought in. */
  note?: string;
}

/** Version of what is not there. */
const noNode = "0.0.0";

/** One at a time for each environment: sessions that begin side by side would replace the program that another one runs. */
const turns = new WeakMap<LiveEnvironment, Promise<unknown>>();

/**
 * A program of a known version is brought in once for each environment: it may be large, and a suite has a session for each
 * test.
 * @param folder Folder inside that is the agent's
 */
export async function placeProgram(
  environment: LiveEnvironment,
  name: string,
  agent: InstalledAgent,
  folder: string,
  signal: AbortSignal,
): Promise<PlacedProgram> {
  const turn = (turns.get(environment) ?? Promise.resolve()).then(() => {
    signal.throwIfAborted();
    return place(environment, name, agent, folder, signal);
  });
  turns.set(environment, turn.catch(() => {})); // the caller gets the error
  return await turn;
}

async function place(
  environment: LiveEnvironment,
  name: string,
  { program, root, version, node }: InstalledAgent,
  folder: string,
  signal: AbortSignal,
): Promise<PlacedProgram> {
  const { runtime, info: { handle } } = environment;
  if (program === undefined || root === undefined) return { program: "" };
  const home = version === undefined
    ? posix.join(folder, "program")
    : posix.join(dirname(folder), "agent-programs", `${name}-${version}`);
  const placed = runtime.abilities.isolated
    ? posix.join(home, basename(root), relative(root, program))
    : program;
  if (placed !== program) await bringIn(environment, root, posix.join(home, basename(root)), signal);
  if (node === undefined) return { program: placed };
  const env = accessTo(runtime, handle);
  const facts = await readPlaceFacts(env, dirname(folder));
  const brought = await fittingNode({
    env,
    facts: { ...facts, node: facts.node ?? noNode },
    name,
    range: node,
    signal,
    trees: {
      store: openTreeStore(),
      ...treeWays(runtime, handle),
      source: openConfined(dirname(root)),
      reads: true,
      keeps: false,
    },
  });
  if (brought?.bin !== undefined) return { program: placed, node: `${brought.bin}/node` };
  return { program: placed, ...(brought === undefined ? {} : { note: brought.note }) };
}

/** Copies a file or folder to a path where it is not yet. */
async function bringIn(
  { runtime, info: { handle } }: LiveEnvironment,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  if ((await runtime.exec(handle, ["test", "-e", to], { signal })).code === 0) return;
  // What was cut short counts for nothing.
  const part = `${to}.${crypto.randomUUID().slice(0, 8)}`;
  await runtime.exec(handle, ["mkdir", "-p", dirname(to)], { signal });
  await runtime.copyIn(handle, from, part, signal);
  const { code, stderr } = await runtime.exec(handle, ["mv", "-T", part, to], { signal });
  if (code !== 0) throw new PthError("COPY_FAILED", `Cannot bring in the agent: ${stderr.trim()}`);
}
