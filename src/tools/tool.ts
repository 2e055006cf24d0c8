/**
 * Defines what one MCP tool of PTH is.
 *
 * A tool is a file `src/tools/<category>/<name>.ts` whose default export is `defineTool({ … })`. Its name over MCP is
 * `pth_<name>`, its category the folder. `deno task gen` writes `src/tools/_registry.ts` from these files, sorted by
 * path: `import t0 from "./environment/…ts"; … export const registry = [{ name, category, definition: t0 }, …]`.
 *
 * Tool files stay light (zod, types, small pure helpers): all of them are loaded when tools are listed.
 */
import type { z } from "zod";
import type { AskConfig, Harness, ProgressStep, RequestOptions } from "../api/harness.ts";

/** Context of a tool call. */
export interface ToolContext {
  readonly harness: Harness;
  /** Aborts when the caller cancels or PTH ends. */
  readonly signal: AbortSignal;
  /** Tells the caller about a step of long work. */
  progress(step: ProgressStep): void;
  /** Asks the person for configuration; absent where nobody can be asked. */
  readonly askConfig?: AskConfig;
  /** A new address at which a person can watch the session; absent or undefined where nobody can. */
  readonly watchAddress?: () => Promise<string | undefined>;
  /** Goes on with an answer that was too long for one page. */
  nextPage(cursor: string): Promise<string>;
  /** The answer of an earlier call that was given a handle, or that it still runs. */
  answerOf(call: string, cancel: boolean): Promise<ToolAnswer>;
}

/** Text for a model, which is all that it gets; the facts as plain data, for programs that ask for them. */
export interface ToolAnswer<Data = Record<string, unknown>> {
  text: string;
  data: Data;
}

/**
 * Hints for hosts, as MCP defines them; they must be true, also of what an argument turns on. What can be taken back by
 * another tool of the session (a commit, a started server) is not destructive; whatever runs the plugin's code, installs
 * or downloads reaches an open world.
 */
interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** The hints of a tool that only looks at the session. */
export const readsOnly: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

interface HarnessToolDefinition<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  title: string;
  /** Tells a model that drives when to use it, what comes back, what comes next. */
  description: string;
  input: Input;
  /** Schema of an answer's `data`: the `outputSchema` of structured answers. */
  output: Output;
  /** Listed also while no session is active: always, or once there is an answer to ask for. */
  dormant?: boolean | "answers";
  /** Belongs to the toolset `core`, whatever its folder: no session does without it. */
  core?: boolean;
  annotations: ToolAnnotations;
  run(input: z.output<Input>, context: ToolContext): Promise<ToolAnswer<z.input<Output>>>;
}

/** Tool definition with an erased input type; `run` takes what `input` has parsed. */
export interface AnyToolDefinition extends Omit<HarnessToolDefinition, "run"> {
  run(input: never, context: ToolContext): Promise<ToolAnswer>;
}

export interface RegisteredTool {
  name: string;
  category: string;
  definition: AnyToolDefinition;
}

/** Identity with types: the default export of a tool file. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: HarnessToolDefinition<Input, Output>,
): HarnessToolDefinition<Input, Output> => definition;

/** The options that every request to the harness takes. */
export const requestOptions = (
  { signal, askConfig, ...context }: ToolContext,
): Required<Pick<RequestOptions, "signal" | "onProgress">> & RequestOptions => ({
  signal,
  onProgress: (step) => context.progress(step),
  ...(askConfig === undefined ? {} : { askConfig }),
});
