/** Tools that need what another tool made: create, read, remove. */
import type { ErrorBranch } from "./error_branches.ts";
import type { FoundHandler } from "./handlers.ts";
import type { StateUse } from "./state_use.ts";
import { isNoSuch } from "./values.ts";

/** What is known of one tool, for chains. */
export interface ToolFacts {
  handler: FoundHandler;
  use: StateUse;
  branches: readonly ErrorBranch[];
  input: Record<string, unknown>;
  required: readonly string[];
  properties: readonly string[];
  /** Keys that its `outputSchema` promises. */
  promised: readonly string[];
}

export interface ChainLink {
  facts: ToolFacts;
  /** The parameter that names what the maker made. */
  parameter: string;
  missing: ErrorBranch;
}

export interface PropertyChain {
  maker: ToolFacts;
  /** How the others are told what was made: the maker's input under the same name, or a key of its answer. */
  by: { input: string } | { output: string };
  readers: ChainLink[];
  removers: ChainLink[];
}

/** One chain for each tool that makes what others look up in the same collection. */
export function chainsOf(all: readonly ToolFacts[]): PropertyChain[] {
  return all.flatMap((maker) => {
    const links = all.filter((each) => each !== maker).flatMap((each) => linkTo(maker, each) ?? []);
    for (const by of waysOf(maker, links.map(({ parameter }) => parameter))) {
      const fitting = links.filter(({ parameter }) => fits(by, parameter));
      if (fitting.length === 0) continue;
      const removers = fitting.filter(({ facts }) => facts.use.removes.size > 0);
      return [{ maker, by, readers: fitting.filter((link) => !removers.includes(link)), removers }];
    }
    return [];
  });
}

/** How a tool looks up what another one made: with a name that nothing has, it fails at the look-up. */
function linkTo(maker: ToolFacts, facts: ToolFacts): ChainLink | undefined {
  const shared = [...maker.use.writes.keys()].some((state) =>
    facts.use.reads.has(state) || facts.use.removes.has(state)
  );
  // A tool that needs more than the name may refuse for other reasons.
  if (!shared || facts.use.writes.size > 0 || facts.required.length !== 1) return undefined;
  const [parameter] = facts.required;
  const missing = facts.branches.find(({ input }) => isNoSuch(input[parameter!]));
  return missing && { facts, parameter: parameter!, missing };
}

function waysOf(maker: ToolFacts, parameters: readonly string[]): PropertyChain["by"][] {
  const keys = [...maker.use.writes.values()].flat();
  const inputs = maker.properties.filter((name) =>
    keys.some((key) => RegExp(`(?:^|\\b)${name}\\b`).test(key))
  );
  const answered = [...new Set([...maker.promised, ...maker.use.answeredKeys])];
  const outputs = answered.filter((key) => parameters.some((parameter) => names(parameter, key)));
  return [...inputs.map((input) => ({ input })), ...outputs.map((output) => ({ output }))];
}

const fits = (by: PropertyChain["by"], parameter: string): boolean =>
  "input" in by ? by.input === parameter : names(parameter, by.output);

/** `note_id` is what an answer calls `note_id`, `noteId` or `id`. */
function names(parameter: string, key: string): boolean {
  const plain = (text: string) => text.replaceAll(/[-_]/g, "").toLowerCase();
  return plain(parameter) === plain(key) || (plain(key) === "id" && plain(parameter).endsWith("id"));
}
