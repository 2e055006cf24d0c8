/** The real Claude Code in a home of its own, which knows nothing of the machine's; `PTH_CLAUDE` is its command. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { mkdir, readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { allEnv, imageDir, readEnv } from "../../../src/platform/host.ts";
import { runCommand, type RunResult } from "../../../src/platform/process.ts";
import { namesIn, type Place } from "../../support/pth_run.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import type { ModelServer } from "./model_server.ts";

const command = readEnv("PTH_CLAUDE");

/** Value for tap's `skip`: false where there is a Claude Code, else the reason. */
export const withoutClaude: string | false = command === undefined
  ? "PTH_CLAUDE does not name a Claude Code command"
  : false;

export interface Conversation {
  prompt: string;
  model: ModelServer;
  /** Arguments added to the command line. */
  args?: readonly string[];
  env?: Record<string, string>;
  /** Whether tools are only named until the model looks them up; by default it has all of them. */
  toolSearch?: boolean;
  timeoutMs?: number;
}

/** A folder that goes with the test, with a folder each for Claude Code, for PTH, and for what the test needs. */
export interface ClaudeCode extends Place {
  home: string;
  /** Folder in which Claude Code is started. */
  project: string;
  /** Runs `claude …` to its end. */
  claude(
    args: readonly string[],
    options?: { env?: Record<string, string>; timeoutMs?: number },
  ): Promise<RunResult>;
  /** Has the model answer one prompt, with every tool allowed. */
  converse(conversation: Conversation): Promise<RunResult>;
  /** Command lines of the processes that what was started here has left. */
  leftProcesses(): Promise<string[]>;
}

/** Variables that programs and the way to npm's registry need of the machine. */
const machines = /^(PATH|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO)_PROXY|npm_config_\w+)$/i;
const defaultTimeoutMs = 240_000;

/** Makes a home; nothing is installed in it yet. */
export async function openClaudeCode(t: Test): Promise<ClaudeCode> {
  const folder = await temporaryFolder(t);
  const home = join(folder, "home");
  const project = join(folder, "project");
  const temporary = { TMPDIR: join(folder, "tmp"), CLAUDE_CODE_TMPDIR: join(folder, "tmp of claude") };
  for (const each of [home, project, ...Object.values(temporary)]) await mkdir(each);
  const own = {
    PTH_HOME: join(folder, "pth"),
    PTH_WORKTREE_DIR: join(folder, "worktrees"),
    PTH_BASE_IMAGE_DIR: imageDir(),
  };
  // In the environment of everything that is started from here.
  const mark = `pth-test-${crypto.randomUUID()}`;
  const variables = {
    npm_config_userconfig: join(homedir(), ".npmrc"),
    ...Object.fromEntries(Object.entries(allEnv()).filter(([name]) => machines.test(name))),
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    ...temporary,
    ...own,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
    // Its first request waits for the servers, as one does that a person takes the time to type.
    MCP_CONNECTION_NONBLOCKING: "false",
    // Without it Claude Code lets nobody who is root allow every tool.
    IS_SANDBOX: "1",
    PTH_TEST_MARK: mark,
  };

  const claude: ClaudeCode["claude"] = async (args, { env = {}, timeoutMs = defaultTimeoutMs } = {}) =>
    await runCommand([command!, ...args], {
      cwd: project,
      clearEnv: true,
      env: { ...variables, ...env },
      signal: AbortSignal.timeout(timeoutMs),
      grace: 5_000,
    });

  return {
    folder,
    env: own,
    home,
    project,
    claude,
    converse: ({ prompt, model, args = [], env = {}, toolSearch = false, timeoutMs = defaultTimeoutMs }) =>
      claude(
        ["-p", prompt, "--model", "haiku", "--dangerously-skip-permissions", "--output-format", "stream-json"]
          .concat("--verbose", args),
        {
          env: {
            ANTHROPIC_BASE_URL: model.url,
            ANTHROPIC_API_KEY: "none",
            ENABLE_TOOL_SEARCH: String(toolSearch),
            ...env,
          },
          timeoutMs,
        },
      ),
    async leftProcesses() {
      const left: string[] = [];
      for (const pid of (await namesIn("/proc")).filter((name) => /^\d+$/.test(name))) {
        // A process may end while it is looked at.
        const [environment, line] = await Promise.all(
          ["environ", "cmdline"].map((file) => readTextFile(`/proc/${pid}/${file}`).catch(() => "")),
        );
        if (environment!.includes(mark)) left.push(`${pid} ${line!.replaceAll("\0", " ").slice(0, 200)}`);
      }
      return left;
    },
  };
}

/** Writes a `--mcp-config` with one server and answers the options that make it the only one. */
export async function onlyServer(
  { folder }: ClaudeCode,
  name: string,
  server: { command: string; args: readonly string[] },
): Promise<string[]> {
  const file = join(folder, "mcp.json");
  await writeTextFile(file, JSON.stringify({ mcpServers: { [name]: server } }));
  return ["--mcp-config", file, "--strict-mcp-config"];
}
