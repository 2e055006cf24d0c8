/** Schema of the JSON that hooks answer with, as Claude Code 2.1.330 checks it. */
import * as z from "zod";

const text = z.string().optional();
const flag = z.boolean().optional();
const map = z.record(z.string(), z.unknown()).optional();
const paths = z.array(z.string()).optional();
const reply = z.enum(["accept", "decline", "cancel"]).optional();

const of = <Shape extends z.ZodRawShape>(event: string, shape: Shape) =>
  z.object({ hookEventName: z.literal(event), ...shape });
const withContext = (...events: string[]) => events.map((event) => of(event, { additionalContext: text }));

const outputs = [
  of("PreToolUse", {
    permissionDecision: z.enum(["allow", "deny", "ask", "defer"]).optional(),
    permissionDecisionReason: text,
    updatedInput: map,
    additionalContext: text,
  }),
  of("UserPromptSubmit", { additionalContext: text, sessionTitle: text, suppressOriginalPrompt: flag }),
  of("UserPromptExpansion", { additionalContext: text, suppressOriginalPrompt: flag }),
  of("SessionStart", {
    additionalContext: text,
    initialUserMessage: text,
    sessionTitle: text,
    watchPaths: paths,
    reloadSkills: flag,
  }),
  of("PreModelSwitch", {
    permissionDecision: z.enum(["allow", "deny", "ask"]).optional(),
    permissionDecisionReason: text,
  }),
  of("PostToolUse", {
    additionalContext: text,
    classifierContext: text,
    updatedToolOutput: z.unknown().optional(),
    updatedMCPToolOutput: z.unknown().optional(),
  }),
  of("PermissionDenied", { retry: flag }),
  of("PermissionRequest", {
    decision: z.union([
      z.object({
        behavior: z.literal("allow"),
        updatedInput: map,
        updatedPermissions: z.array(z.unknown()).optional(),
      }),
      z.object({ behavior: z.literal("deny"), message: text, interrupt: flag }),
    ]),
  }),
  of("Elicitation", { action: reply, content: map }),
  of("ElicitationResult", { action: reply, content: map }),
  of("CwdChanged", { watchPaths: paths }),
  of("FileChanged", { watchPaths: paths }),
  of("WorktreeCreate", { worktreePath: z.string() }),
  of("MessageDisplay", { displayContent: text }),
  ...withContext(
    "Setup",
    "PostModelSwitch",
    "SubagentStart",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "SubagentStop",
    "Notification",
  ),
];

/** Keys that are not known are left out, as Claude Code ignores them. */
export const answerSchema = z.object({
  continue: flag,
  suppressOutput: flag,
  stopReason: text,
  decision: z.enum(["approve", "block"]).optional(),
  reason: text,
  systemMessage: text,
  terminalSequence: text,
  hookSpecificOutput: z.discriminatedUnion(
    "hookEventName",
    outputs as unknown as [z.ZodObject<{ hookEventName: z.ZodLiteral<string> }>],
  ).optional(),
});

/** Answer of a hook that goes on in the background. */
export const backgroundSchema = z.object({ async: z.literal(true), asyncTimeout: z.number().optional() });

/** A checked answer. */
export type HookAnswer = Omit<z.infer<typeof answerSchema>, "hookSpecificOutput"> & {
  hookSpecificOutput?: { hookEventName: string } & Record<string, unknown>;
};
