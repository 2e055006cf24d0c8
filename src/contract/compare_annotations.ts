/** What a tool says of itself to hosts, which ask for approval, run side by side and try again by it. */
import type { SurfaceChange } from "../../machines/model/contract.ts";
import type { ToolDefinition } from "../../machines/model/plugin.ts";

type Annotations = NonNullable<ToolDefinition["annotations"]>;
type Hint = Exclude<keyof Annotations, "title">;

/** MCP's defaults, and what is lost by the change that hurts. `safe` is the value that promises more. */
const hints: Record<Hint, { fallback: boolean; safe: boolean; why: string }> = {
  readOnlyHint: {
    fallback: false,
    safe: true,
    why: "hosts that ran it without asking must ask now, or run it side by side no more",
  },
  destructiveHint: { fallback: true, safe: false, why: "what was approved as additive may now destroy" },
  idempotentHint: { fallback: false, safe: true, why: "who tries again after a failure may now do it twice" },
  openWorldHint: { fallback: true, safe: false, why: "it now reaches beyond its own world" },
};

export function compareAnnotations(
  before: Annotations = {},
  after: Annotations = {},
  path: string,
): SurfaceChange[] {
  const changed = (Object.keys(hints) as Hint[]).flatMap((hint): SurfaceChange[] => {
    const { fallback, safe, why } = hints[hint];
    const [old, now] = [before[hint] ?? fallback, after[hint] ?? fallback];
    if (old === now || isIdle(hint, before, after)) return [];
    const message = `${hint} was ${words(before[hint], old)}, now it is ${words(after[hint], now)}`;
    const change = { code: "annotation-changed", path: `${path}/${hint}` };
    if (now === safe) return [{ ...change, impact: "compatible", message }];
    const impact = hint === "openWorldHint" ? "notice" : "breaking";
    return [{ ...change, impact, message: `${message}: ${why}` }];
  });
  const title: SurfaceChange[] = before.title === after.title ? [] : [{
    impact: "notice",
    code: "title-changed",
    path: `${path}/title`,
    message: "the title reads differently",
  }];
  return [...changed, ...title];
}

/** MCP gives these hints a meaning only for tools that change something: that one does now is told by its own hint. */
const isIdle = (hint: Hint, before: Annotations, after: Annotations): boolean =>
  (hint === "destructiveHint" || hint === "idempotentHint") &&
  (before.readOnlyHint === true || after.readOnlyHint === true);

const words = (said: boolean | undefined, meant: boolean): string =>
  said === undefined ? `${meant} (not said)` : String(meant);
