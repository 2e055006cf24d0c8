/** The package of pi that a test's project has, with what test sessions use of it. */
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { errorMessage, PthError } from "../core/errors.ts";
import { isObject } from "../core/values.ts";
import { isNotFound, readTextFile } from "../platform/files.ts";

/** Names of the package, the current one first. */
export const piPackages = ["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"] as const;

export interface PiContent {
  type: string;
  text?: string;
  [field: string]: unknown;
}

export interface PiToolResult {
  content: PiContent[];
  details?: unknown;
}

export interface PiTool {
  name: string;
  execute(id: string, input: unknown, ...rest: unknown[]): Promise<PiToolResult>;
}

/** Event of a session, as `AgentSession.subscribe` tells it. */
export interface PiEvent {
  type: string;
  [field: string]: unknown;
}

export interface PiMessage {
  role: string;
  content?: unknown;
  [field: string]: unknown;
}

interface PiToolCheck {
  toolCall: { id: string; name: string; arguments: unknown };
  args: unknown;
  context: { tools?: PiTool[] };
}

/** `AgentSession` of pi in so far as test sessions use it. */
export interface PiSession {
  readonly messages: PiMessage[];
  readonly systemPrompt: string;
  readonly agent: {
    beforeToolCall?: (
      check: PiToolCheck,
      signal?: AbortSignal,
    ) => Promise<{ block?: boolean; reason?: string } | undefined>;
  };
  prompt(text: string): Promise<void>;
  abort(): Promise<void>;
  dispose(): void;
  subscribe(listener: (event: PiEvent) => void): () => void;
  bindExtensions(bindings: object): Promise<void>;
  getAllTools(): { name: string }[];
  getActiveToolNames(): string[];
  readonly extensionRunner?: { hasHandlers(event: string): boolean; emit(event: object): Promise<unknown> };
}

interface ExtensionsResult {
  errors: { path: string; error: string }[];
}

/** Exports of the package that test sessions use. */
export interface PiModule {
  createAgentSession(options: object): Promise<{ session: PiSession; extensionsResult: ExtensionsResult }>;
  DefaultResourceLoader: new (options: object) => { reload(): Promise<void> };
  SessionManager: { inMemory(cwd?: string): object };
  SettingsManager: { inMemory(settings?: object): object };
}

/**
 * Imports pi from the project: the first of its packages that is in a `node_modules` of the folder or above.
 * @throws {PthError} `TOOLCHAIN_MISSING` where there is none, or it cannot be imported by this runtime
 */
export async function importPi(folder: string): Promise<PiModule> {
  for (let at = resolve(folder);; at = dirname(at)) {
    for (const name of piPackages) {
      const place = join(at, "node_modules", name);
      const entry = await entryOf(place);
      if (entry === undefined) continue;
      try {
        return await import(pathToFileURL(join(place, entry)).href) as PiModule;
      } catch (cause) {
        throw new PthError(
          "TOOLCHAIN_MISSING",
          `Cannot import ${name} from ${place}: ${errorMessage(cause)}`,
          { next: ["Check that its engines fit this Node; pi 0.87 needs 22.19"] },
          { cause },
        );
      }
    }
    if (dirname(at) === at) break;
  }
  throw new PthError(
    "TOOLCHAIN_MISSING",
    `Cannot find pi: no node_modules above ${folder} has ${piPackages.join(" or ")}`,
    {
      next: [`npm install --save-dev ${piPackages[0]}`],
    },
  );
}

/** Path of the package's entry for `import`; undefined where there is no such package. */
async function entryOf(place: string): Promise<string | undefined> {
  const text = await readTextFile(join(place, "package.json")).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { exports, main } = JSON.parse(text) as { exports?: unknown; main?: unknown };
  const root = isObject(exports) ? exports["."] : exports;
  const entry = isObject(root) ? root.import ?? root.default : root;
  return typeof entry === "string" ? entry : typeof main === "string" ? main : "index.js";
}
