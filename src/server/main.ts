/** PTH as an MCP server on stdin and stdout, from its start to its end. */
import type { Readable, Writable } from "node:stream";
import { selfVersion as readVersion } from "../platform/self_version.ts";
import type { ExitCode } from "../core/errors.ts";
import type { Harness } from "../api/harness.ts";
import { exitProcess, offSignal, onSignal } from "../platform/host.ts";
import { log } from "../platform/log.ts";
import { outputFailed } from "../platform/terminal.ts";
import { type Toolset, usualToolsets } from "../tools/toolset.ts";
import { sessionFrontend } from "./session_frontend.ts";
import { lazyHarness } from "./lazy_harness.ts";
import type { McpServerParts } from "./mcp_server.ts";
import { preparedTestTools } from "./prepared_test_tools.ts";
import { preparedTools, type ToolMode } from "./prepared_tools.ts";
import { relisting } from "./relisting.ts";
import { runningCalls } from "./running_calls.ts";
import { StdioTransport } from "./stdio_transport.ts";
import { watchAddresses } from "./watch_addresses.ts";
import { stdin, stdout } from "../platform/streams.ts";

export interface ServeOptions {
  /**
   * `dynamic` (default) follows the session; `static` lists all tools, for hosts that ignore `list_changed`; `test` serves
   * `debug_test` and `debug_query` alone.
   */
  tools?: ToolMode;
  /** Tools that are listed and can be called; default: all. */
  toolsets?: ReadonlySet<Toolset>;
  /** Answers carry structured content for every client, with its schema; by default texts alone, for models. */
  structured?: boolean;
  /** File in which the harness records what its actors do, as JSON lines. */
  recordFile?: string;
  /** Address of a WebSocket that takes what Stately's inspector shows. */
  stately?: string;
  /** Events may be sent from the page at which a session is watched. */
  allowSend?: boolean;
  times?: Partial<CallTimes>;
}

/** Milliseconds. */
interface CallTimes {
  /** Time until a caller who asked for no progress gets a handle: hosts that give up do so after a minute. */
  handleAfter: number;
  /** Milliseconds without a step after which a caller that asked for progress is notified. */
  silence: number;
}

const usualTimes: CallTimes = { handleAfter: 45_000, silence: 5_000 };

/** Side effects of the server, as parameters. */
interface ServeParts {
  input: Readable;
  output: Writable;
  createHarness(options: HarnessOptions): Promise<Harness>;
}

interface HarnessOptions extends Pick<ServeOptions, "recordFile" | "stately"> {
  announce: { command: string };
}

const processParts = (): ServeParts => ({
  input: stdin(),
  output: stdout(),
  createHarness: async (options) => (await import("../app/create_harness.ts")).createHarness(options),
});

/** Milliseconds, the most that a timer takes. */
const longestTimer = 2 ** 31 - 1;

/** Milliseconds that answers under way may take after the host has closed its end. */
const graceMs = 1000;

/**
 * Serves until stdin closes or a signal comes, then ends the session.
 * @returns what the process is to exit with
 */
export async function serveMcp(
  {
    tools = "dynamic",
    toolsets: asked = new Set(usualToolsets),
    structured = false,
    allowSend = false,
    times = {},
    ...harnessOptions
  }: ServeOptions = {},
  parts: ServeParts = processParts(),
): Promise<ExitCode> {
  const version = await readVersion();
  const door = lazyHarness(() => parts.createHarness({ ...harnessOptions, announce: { command: "mcp" } }));
  // Its tools are there whatever sets are asked for, and no other could fetch an answer by its handle.
  const isTest = tools === "test";
  const toolsets = isTest ? new Set(usualToolsets) : asked;
  const { handleAfter, silence } = {
    ...usualTimes,
    ...(isTest ? { handleAfter: longestTimer } : {}),
    ...times,
  };
  const calls = runningCalls({ handleAfterMs: handleAfter });
  const { recordFile } = harnessOptions;
  const shared = { version, mode: tools, toolsets, recordFile, door, relisting: relisting(), calls };
  const desk = sessionFrontend({ ...shared, structured, tools: isTest ? preparedTestTools : preparedTools });
  const transport = new StdioTransport({ ...parts, desk });
  const watching = watchAddresses({ allowSend });
  const interruption = interrupted();
  const served = { ...shared, watching, desk, silenceMs: silence };
  void transport.libraryNeeded.then(() => connect(transport, served))
    .catch((error) => {
      log.error("Cannot start the MCP server", { error });
      exitProcess(3);
    });

  const hungUp = transport.hungUp.then(() => {
    const { unwritable } = transport;
    if (unwritable === undefined) return 0;
    outputFailed("stdout", unwritable);
    log.error(`Cannot write to stdout, so no answer reaches the client: ${unwritable.message}`);
    return 3;
  });
  const exitCode = await Promise.race([interruption.code, hungUp]);
  log.debug("ending", { exitCode });
  if (exitCode === 0) await transport.settled(graceMs);
  await transport.close();
  await watching.close();
  await door.end();
  interruption.stop();
  return exitCode;
}

async function connect(
  transport: StdioTransport,
  parts: Omit<McpServerParts, "tools">,
): Promise<void> {
  const { createMcpServer } = await import("./mcp_server.ts");
  const tools = async () =>
    parts.mode === "test"
      ? (await import("../tools/test_tools.ts")).testTools
      : (await import("../tools/_registry.ts")).registry;
  await createMcpServer({ ...parts, tools }).connect(transport);
}

/** The exit code of the first signal; a second one ends the process at once. */
function interrupted(): { code: Promise<130 | 143>; stop(): void } {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let listeners: (() => void)[] = [];
  let first = true;
  const code = new Promise<130 | 143>((resolve) => {
    listeners = names.map((name) => () => {
      if (!first) exitProcess(codes[name]);
      first = false;
      resolve(codes[name]);
    });
  });
  names.forEach((name, at) => onSignal(name, listeners[at]!));
  return { code, stop: () => names.forEach((name, at) => offSignal(name, listeners[at]!)) };
}
