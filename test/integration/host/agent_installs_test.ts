/** The agents themselves read what `pth install` has written, in a new home, and connect to the server. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import type { AgentDefinition } from "../../../src/agents/adapters/agent.ts";
import { findAgent } from "../../../src/agents/adapters/agents.ts";
import { claude } from "../../../src/agents/adapters/claude.ts";
import { codex } from "../../../src/agents/adapters/codex.ts";
import { gemini } from "../../../src/agents/adapters/gemini.ts";
import { opencode } from "../../../src/agents/adapters/opencode.ts";
import { readEnv } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

interface AgentCase {
  agent: AgentDefinition;
  /** Folder in the home by which it is found. */
  folder: string;
  /** Command lines of the agent, and the answer to each. */
  asked: [args: string[], told: RegExp][];
}

const cases: AgentCase[] = [
  {
    agent: claude,
    folder: ".claude",
    asked: [
      [["mcp", "list"], /^pth: .*mcp --tools test - ✔ Connected$/m],
      [["plugin", "validate", "--strict", ".claude/skills"], /Validation passed/],
    ],
  },
  {
    agent: codex,
    folder: ".codex",
    // It names a server's tools only once it is connected.
    asked: [[["debug", "prompt-input", "hi"], /pth-tdd[^]*- mcp__pth: debug_test/]],
  },
  {
    agent: gemini,
    folder: ".gemini",
    asked: [
      [["mcp", "list"], /^✓ pth: .*mcp --tools test \(stdio\) - Connected$/m],
      [["skills", "list"], /pth-tdd \[Enabled\]/],
    ],
  },
  {
    agent: opencode,
    folder: ".config/opencode",
    asked: [[["mcp", "list"], /✓ pth \S*connected[^]*mcp --tools test/], [
      ["debug", "skill"],
      /"name": "pth-tdd"/,
    ]],
  },
];

/** Variables that keep agents from looking for updates and lists of models, and from asking whether the home is trusted. */
const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  GEMINI_CLI_TRUST_WORKSPACE: "true",
  NO_COLOR: "1",
  LANG: "C.UTF-8",
};

const present = cases.filter(({ agent }) => readEnv(agent.installation!.variable) !== undefined);
const skip = present.length === 0 && "no variable such as PTH_CODEX names an agent";

t.test("agents connect to the server and list the skill that were installed", { skip }, async (t) => {
  const home = await temporaryFolder(t);
  for (const { folder } of present) await mkdir(join(home, folder), { recursive: true });
  const run = (command: readonly string[], path: string) =>
    runCommand(command, { cwd: home, env: { ...quiet, HOME: home, PATH: path }, clearEnv: true });
  const pth = (...args: string[]) => run(pthCommandLine("cli", "install", "--yes", ...args), "/usr/bin:/bin");
  const installed = await pth();
  t.equal(installed.code, 0, installed.stderr);
  // Starting them takes most of the time.
  await Promise.all(present.map(async ({ agent, asked }) => {
    const { program } = await findAgent(agent);
    for (const [args, told] of asked) {
      const { stdout, stderr } = await run([program!, ...args], readEnv("PATH")!);
      t.match(stdout + stderr, told, `${agent.name} ${args.join(" ")}`);
    }
  }));
  const undone = await pth("--undo");
  t.equal(undone.code, 0, undone.stderr);
  t.equal(undone.stdout.match(/removed .*SKILL\.md/g)?.length, present.length);
});
