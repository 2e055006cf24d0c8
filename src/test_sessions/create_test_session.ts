/** Test sessions of pi: its real session with the extensions under test, on a playbook in place of a model. */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { PlaybookText, Turn } from "../../machines/model/playbook.ts";
import type { ModelRequest } from "../agents/playbook/model_request.ts";
import { checkPlaybook } from "../agents/playbook/read_playbook.ts";
import { PthError } from "../core/errors.ts";
import { isObject } from "../core/values.ts";
import { makeTempDir, mkdir, removeIfExists, writeTextFile } from "../platform/files.ts";
import { cwd as workingFolder } from "../platform/host.ts";
import { type CollectedEvents, collectEvents } from "./collected_events.ts";
import {
  importPi,
  type PiContent,
  type PiEvent,
  type PiMessage,
  type PiModule,
  type PiSession,
} from "./pi_module.ts";
import { openPlayedModel } from "./played_model.ts";
import { playbookText } from "./playbook_text.ts";
import { scriptedUi, type UiCall, type UiScript } from "./scripted_ui.ts";
import { mockTools, type ToolMocks } from "./tool_mocks.ts";

/** Extension as a function of pi's `ExtensionAPI`. */
// deno-lint-ignore no-explicit-any -- its type is that of the package that the test has
export type PiExtension = (pi: any) => void | Promise<void>;

export interface TestSessionOptions {
  /** Extensions under test: files, by path or `file:` address, or functions. */
  extensions?: (string | URL | PiExtension)[];
  /** Turns of the model, or a whole playbook. Without it the model may not be asked. */
  playbook?: Turn[] | PlaybookText;
  /** Tools in addition to those of pi and of extensions, as pi's `ToolDefinition`. */
  tools?: object[];
  /** Results of tools that are not to run. */
  mockTools?: ToolMocks;
  /** Answers to dialogs of extensions. */
  mockUI?: UiScript;
  /** System prompt in place of pi's own. */
  systemPrompt?: string;
  /** Folder in which the agent works; by default an empty one, which is removed at the end. */
  cwd?: string;
  /** Files or folders of skills, or pi's `Skill` objects. */
  skills?: (string | object)[];
  /** Settings of pi. */
  settings?: Record<string, unknown>;
  /** pi itself, where it is not in a `node_modules` above the working folder of the process. */
  pi?: unknown;
  /** Milliseconds that one prompt may take; default 60,000. */
  timeoutMs?: number;
}

export interface TestSession {
  /** pi's `AgentSession`. */
  session: PiSession;
  /** Folder in which the agent works. */
  cwd: string;
  events: CollectedEvents<PiEvent, PiMessage> & {
    /** Calls of extensions to the user interface. */
    ui: UiCall[];
    /** Requests that the model was sent. */
    requests: readonly ModelRequest[];
  };
  /**
   * Asks the agent, and waits for its end.
   * @throws {PthError} `AGENT_SESSION_FAILED` where the playbook does not fit, an extension throws or a dialog has no answer
   */
  prompt(text: string): Promise<void>;
  /**
   * Ends the session, and removes what it made.
   * @throws {PthError} `AGENT_SESSION_FAILED` for turns that are left, unless a prompt has failed
   */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const usualTimeoutMs = 60_000;

/**
 * Starts a session. Nothing of the user's pi is read: no settings, extensions, skills, context files or keys.
 * @throws {PthError} `TOOLCHAIN_MISSING` without pi, `INVALID_PLAYBOOK`, `INVALID_INPUT`, and `AGENT_SESSION_FAILED` for
 * extensions that do not load
 */
export async function createTestSession(options: TestSessionOptions = {}): Promise<TestSession> {
  const { playbook, timeoutMs = usualTimeoutMs } = options;
  const checked = playbook === undefined
    ? { lanes: [{ name: "main", turns: [] }] }
    : checkPlaybook("playbook", playbookText(playbook));
  refuseSettings(options.settings);
  const pi = options.pi as PiModule | undefined ?? await importPi(workingFolder());
  const ends: (() => Promise<void> | void)[] = [];
  const endAll = async () => {
    const problems: unknown[] = [];
    for (const end of ends.splice(0).reverse()) {
      await Promise.resolve().then(end).catch((error) => problems.push(error));
    }
    if (problems.length > 0) throw problems[0];
  };
  try {
    const root = await makeTempDir({ prefix: "pth-pi-" });
    ends.push(() => removeIfExists(root));
    const [cwd, agentDir] = [resolve(options.cwd ?? join(root, "project")), join(root, "agent")];
    for (const folder of [cwd, agentDir]) await mkdir(folder, { recursive: true });
    const folders = { project: cwd, plugin: workingFolder(), home: agentDir, temporary: root };
    const model = await openPlayedModel(checked, folders);
    ends.push(() => model.close());
    await writeTextFile(join(agentDir, "models.json"), modelsText(model.url));
    const problems: string[] = [];
    const { session, extensionsResult } = await startPi(pi, options, cwd, agentDir);
    ends.push(() => session.dispose());
    const broken = extensionsResult.errors.map(({ path, error }) => `extension ${path}: ${error}`);
    if (broken.length > 0) throw sessionFailed("Cannot load extensions", broken);

    const ui: UiCall[] = [];
    const events = Object.assign(collectEvents<PiEvent, PiMessage>(() => session.messages), {
      ui,
      requests: model.requests,
    });
    collect(session, events, mockTools(options.mockTools ?? {}));
    await session.bindExtensions({
      uiContext: scriptedUi(
        options.mockUI ?? {},
        (call) => ui.push(call),
        (message) => problems.push(message),
      ),
      mode: "rpc",
      onError: ({ extensionPath, event, error }: Record<string, string>) =>
        problems.push(`extension ${extensionPath}: ${event}: ${error}`),
    });
    requireTools(session, options.mockTools ?? {});

    let failed = false;
    const fail = (message: string, reasons: string[]) => {
      failed = true;
      throw sessionFailed(message, reasons);
    };
    const dispose = async () => {
      if (ends.length === 0) return;
      const { extensionRunner } = session;
      if (extensionRunner?.hasHandlers("session_shutdown") === true) {
        await extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
      }
      const left = model.end().map(({ message }) => message);
      await endAll();
      if (!failed && left.length + problems.length > 0) {
        fail("The session did not go as planned", [...problems, ...left]);
      }
    };
    return {
      session,
      cwd,
      events,
      async prompt(text) {
        if (ends.length === 0) {
          throw new PthError("NOT_NOW", "Cannot prompt: the session has been disposed of");
        }
        await withinTime(session, session.prompt(text), timeoutMs, fail);
        const reasons = [...model.failures.map(({ message }) => message), ...problems.splice(0)];
        if (reasons.length > 0) fail("The session did not go as planned", reasons);
      },
      dispose,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await endAll();
    throw error;
  }
}

/** `packages` would be installed for the whole machine. @throws {PthError} `INVALID_INPUT` */
function refuseSettings(settings: Record<string, unknown> = {}): void {
  if ("packages" in settings) {
    throw new PthError("INVALID_INPUT", "Cannot use settings.packages: pi would install them globally", {
      next: ["Name the extensions of a package in `extensions`"],
    });
  }
}

const modelsText = (url: string): string =>
  JSON.stringify({
    providers: {
      pth: {
        baseUrl: url,
        api: "anthropic-messages",
        apiKey: "none",
        models: [{ id: "playbook", contextWindow: 200_000, maxTokens: 32_000 }],
      },
    },
  });

async function startPi(
  pi: PiModule,
  { extensions = [], tools, systemPrompt, skills = [], settings = {} }: TestSessionOptions,
  cwd: string,
  agentDir: string,
) {
  const settingsManager = pi.SettingsManager.inMemory({
    defaultProvider: "pth",
    defaultModel: "playbook",
    ...settings,
  });
  const files = extensions.filter((each) => typeof each !== "function");
  const given = skills.filter((each) => typeof each !== "string");
  const resourceLoader = new pi.DefaultResourceLoader({
    cwd,
    agentDir,
    settingsManager,
    ...{ noExtensions: true, noSkills: true, noPromptTemplates: true, noThemes: true, noContextFiles: true },
    additionalExtensionPaths: files.map(filePath),
    extensionFactories: extensions.filter((each) => typeof each === "function"),
    additionalSkillPaths: skills.filter((each) => typeof each === "string").map((each) => resolve(each)),
    ...(given.length === 0 ? {} : {
      skillsOverride: ({ skills, diagnostics }: { skills: object[]; diagnostics: object[] }) => ({
        skills: [...skills, ...given],
        diagnostics,
      }),
    }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  });
  await resourceLoader.reload();
  return await pi.createAgentSession({
    cwd,
    agentDir,
    settingsManager,
    resourceLoader,
    sessionManager: pi.SessionManager.inMemory(cwd),
    ...(tools === undefined ? {} : { customTools: tools }),
  });
}

const filePath = (file: string | URL): string =>
  String(file).startsWith("file:") ? fileURLToPath(file) : resolve(String(file));

/** Fills the collection: results from pi's events, calls where pi asks extensions whether they may run. */
function collect(
  session: PiSession,
  events: CollectedEvents<PiEvent, PiMessage>,
  mock: ReturnType<typeof mockTools>,
): void {
  const { agent } = session;
  const ask = agent.beforeToolCall?.bind(agent);
  const calls = new Map<unknown, CollectedEvents<PiEvent, PiMessage>["toolCalls"][number]>();
  agent.beforeToolCall = async (check, signal) => {
    const { toolCall, args, context } = check;
    const verdict = await ask?.(check, signal);
    const call = calls.get(toolCall.id);
    if (call !== undefined && isObject(args)) call.input = args;
    if (call !== undefined && verdict?.block === true) {
      call.blocked = true;
      if (verdict.reason !== undefined) call.blockReason = verdict.reason;
    }
    mock(context.tools?.find(({ name }) => name === toolCall.name));
    return verdict;
  };
  session.subscribe((event) => {
    events.all.push(event);
    const { type, toolCallId, toolName, args, result, isError } = event;
    if (type === "tool_execution_start") {
      const call = { toolName: String(toolName), input: isObject(args) ? args : {}, blocked: false };
      calls.set(toolCallId, call);
      events.toolCalls.push(call);
    } else if (type === "tool_execution_end") {
      const content = isObject(result) ? result.content : undefined;
      const text = Array.isArray(content) ? content.map(({ text = "" }: PiContent) => text).join("") : "";
      events.toolResults.push({ toolName: String(toolName), content, text, isError: isError === true });
    }
  });
}

/** @throws {PthError} `INVALID_INPUT` for mocks of tools that there are not */
function requireTools(session: PiSession, mocks: ToolMocks): void {
  const known = session.getAllTools().map(({ name }) => name);
  const unknown = Object.keys(mocks).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new PthError(
    "INVALID_INPUT",
    `Cannot mock ${unknown.join(", ")}: the session has ${known.join(", ")}`,
  );
}

async function withinTime(
  session: PiSession,
  work: Promise<void>,
  timeoutMs: number,
  fail: (message: string, reasons: string[]) => void,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeoutMs);
  });
  const done = await Promise.race([work.then(() => "done" as const), late]).finally(() =>
    clearTimeout(timer)
  );
  if (done === "done") return;
  // What it says then is about the abort.
  work.catch(() => {});
  await Promise.race([session.abort(), new Promise((resolve) => setTimeout(resolve, 1_000))]);
  fail(`The prompt did not end within ${timeoutMs} ms`, []);
}

function sessionFailed(message: string, reasons: string[]): PthError {
  return new PthError("AGENT_SESSION_FAILED", [message, ...reasons].join("\n- "), { reasons });
}
