/** Hooks as plugins define them: their schema, and each with its place. */
import * as z from "zod";

const text = z.string();
const common = {
  if: text.optional(),
  timeout: z.number().positive().optional(),
  statusMessage: text.optional(),
  once: z.boolean().optional(),
};
const guarded = { ...common, onFailure: z.enum(["continue", "block"]).optional() };

/** Keys that are not known count for nothing, as with Claude Code. */
export const hookSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("command"),
    command: text,
    args: z.array(text).optional(),
    shell: z.enum(["bash", "powershell"]).optional(),
    async: z.boolean().optional(),
    asyncRewake: z.boolean().optional(),
    ...guarded,
  }),
  z.object({
    type: z.literal("http"),
    url: z.url(),
    headers: z.record(text, text).optional(),
    allowedEnvVars: z.array(text).optional(),
    ...guarded,
  }),
  z.object({ type: z.literal("prompt"), prompt: text, model: text.optional(), ...common }),
  z.object({ type: z.literal("agent"), prompt: text, model: text.optional(), ...common }),
  z.object({
    type: z.literal("mcp_tool"),
    server: text,
    tool: text,
    input: z.record(text, z.unknown()).optional(),
    ...guarded,
  }),
]);

export type Hook = z.infer<typeof hookSchema>;

/** Place in a file of the plugin; line and column count from 1. */
export interface HookPlace {
  /** Path below the plugin's folder. */
  file: string;
  line: number;
  column: number;
}

export interface HookDefinition {
  place: HookPlace;
  /** Place of the group's matcher, or of the group. */
  matcherPlace: HookPlace;
  event: string;
  /** Absent: every subject of the event. */
  matcher?: string;
  hook: Hook;
}

/** Text that says which hook it is: its command line, URL, prompt or tool. */
export function hookSubject(hook: Hook): string {
  switch (hook.type) {
    case "command":
      return [hook.command, ...hook.args ?? []].join(" ");
    case "http":
      return hook.url;
    case "mcp_tool":
      return `${hook.server}/${hook.tool}`;
    default:
      return hook.prompt;
  }
}
