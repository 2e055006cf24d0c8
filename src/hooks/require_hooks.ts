/** Refuses events at which nothing would be fired, before anything starts. */
import { PthError } from "../core/errors.ts";
import { problemLine } from "../core/problems.ts";
import type { ReadHooks } from "./read_hooks.ts";

/**
 * A report on the hooks of a plugin that Claude Code does not load would say that they guard.
 * @throws {PthError} `INVALID_CONFIG` where Claude Code loads none of the hooks, `INVALID_INPUT` where none is for the event
 */
export function requireHooks({ hooks, problems, refused }: ReadHooks, event: string): void {
  const mistakes = problems.map(problemLine);
  if (refused) {
    const state = "Claude Code loads none of the plugin's, for a guard or a file has mistakes";
    throw new PthError("INVALID_CONFIG", [`Cannot fire hooks: ${state}`, ...mistakes].join("\n"), {
      problems,
      next: ["Correct the places named"],
    });
  }
  if (hooks.some((each) => each.event === event)) return;
  const events = [...new Set(hooks.map((each) => each.event))];
  throw new PthError(
    "INVALID_INPUT",
    [`Cannot fire ${event}: the plugin has no hook for it`, ...mistakes].join("\n"),
    {
      problems,
      next: [
        events.length === 0
          ? "Hooks stand in hooks/hooks.json of the plugin, or where plugin.json says"
          : `It has hooks for ${events.join(", ")}`,
      ],
    },
  );
}
