/** Hooks and what came of them, for tests. */
import type { HookRunEnd } from "../../../machines/model/hook_run.ts";
import type { HookDefinition } from "../../../src/hooks/hook_definition.ts";

const place = { file: "hooks/hooks.json", line: 1, column: 1 };

/** A hook of a plugin; a text is its command. */
export function hookOf(
  event: string,
  hook: string | Partial<HookDefinition["hook"]> = "x",
  matcher?: string,
): HookDefinition {
  const given = typeof hook === "string" ? { command: hook } : hook;
  return {
    place,
    matcherPlace: place,
    event,
    ...(matcher === undefined ? {} : { matcher }),
    hook: { type: "command", command: "x", ...given } as HookDefinition["hook"],
  };
}

/** A command that ended with 0 and wrote nothing, unless it is told otherwise. */
export const runOf = (run: Partial<HookRunEnd> = {}): HookRunEnd => ({
  id: 0,
  durationMs: 1,
  timedOut: false,
  exitCode: 0,
  stdout: "",
  stderr: "",
  ...run,
});

/** stdout of a hook that answers with JSON. */
export const answers = (answer: object, rest: Partial<HookRunEnd> = {}): HookRunEnd =>
  runOf({ stdout: JSON.stringify(answer), ...rest });
