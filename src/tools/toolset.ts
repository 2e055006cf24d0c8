/**
 * Sets of tools, for hosts with little room for definitions: each tool is in one of them, by its folder, or in `core`.
 *
 * `core` is what a session from its start to its end needs at least. It is always listed; the others come on top.
 */
import { PthError } from "../core/errors.ts";
import { readEnv } from "../platform/host.ts";
import { didYouMean } from "../core/did_you_mean.ts";
import type { RegisteredTool } from "./tool.ts";

export const toolsets = [
  "core",
  "testing",
  "fixing",
  "environment",
  "plugin",
  "performance",
  "agents",
] as const;
export type Toolset = typeof toolsets[number];

/** Listed only where they are named: most sessions do without them. */
const onlyByName: readonly Toolset[] = ["agents"];
/** Sets that "all" stands for. */
export const usualToolsets: readonly Toolset[] = toolsets.filter((toolset) => !onlyByName.includes(toolset));

const ofCategory: Record<string, Toolset> = {
  session: "core",
  testing: "testing",
  diagnosis_and_fixes: "fixing",
  iteration: "fixing",
  environment: "environment",
  plugin: "plugin",
  performance: "performance",
  agents: "agents",
};

/** @throws {Error} for a folder of tools that no set has */
export function toolsetOf(
  { category, definition }: Pick<RegisteredTool, "category" | "definition">,
): Toolset {
  if (definition.core) return "core";
  const toolset = ofCategory[category];
  if (toolset === undefined) {
    throw new Error(
      `src/tools/${category}: its tools are in no toolset; name the folder in src/tools/toolset.ts`,
    );
  }
  return toolset;
}

/**
 * The sets that `--toolset` names, else `PTH_TOOLSET`; where neither does, all but those that are listed by name alone.
 * @throws {PthError} `INVALID_INPUT` for an unknown name
 */
export const chosenToolsets = (option: string | undefined): ReadonlySet<Toolset> =>
  option === undefined ? read("PTH_TOOLSET", readEnv("PTH_TOOLSET") ?? "") : read("--toolset", option);

/** Reads names with commas between them; "all" and no name at all stand for the usual sets. */
function read(option: string, text: string): ReadonlySet<Toolset> {
  const names = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const chosen = new Set<Toolset>(["core"]);
  const words = [...toolsets, "all"] as const;
  for (const name of names.length === 0 ? ["all"] : names) {
    const found = words.find((word) => word === name);
    if (found === undefined) throw unknown(option, name, words);
    for (const toolset of found === "all" ? usualToolsets : [found]) chosen.add(toolset);
  }
  return chosen;
}

function unknown(option: string, name: string, words: readonly string[]): PthError {
  const near = didYouMean(name, words);
  return new PthError(
    "INVALID_INPUT",
    `Cannot choose tools: ${option} expects one or more of ${words.join(", ")}, with commas, not "${name}"${
      near === undefined ? "" : ` (did you mean "${near}"?)`
    }`,
  );
}

/** Error of a call to a tool whose toolset this server was started without. */
export const notChosen = ({ name }: RegisteredTool, toolset: Toolset): PthError =>
  new PthError(
    "UNSUPPORTED",
    `Cannot run ${name}: it is in the toolset ${toolset}, which this server was started without`,
    {
      next: [
        `To list it, a person sets PTH_TOOLSET=${toolset} in the environment that the server is started in`,
      ],
    },
  );
