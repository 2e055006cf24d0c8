/** Agents that PTH's server and skill are installed in: where each has its configuration and skills, and how entries look. */
import { join } from "node:path";
import type { ConfigFormat } from "./config_format.ts";
import type { Entry } from "./entry_editor.ts";
import type { ServerCommand } from "./server_command.ts";

/** Folders of this machine, absolute. */
export interface MachineFolders {
  home: string;
  env(name: string): string | undefined;
  isMacOS: boolean;
}

/** Places of an agent in one scope. */
export interface AgentScope {
  /** The agent is here where one of these exists; in a project, relative to it. */
  signs: string[];
  /** Configuration files, of which the first that exists is used, else the first. */
  config: string[];
  /** Folder of skills; absent where the agent has none. */
  skills?: string;
}

export interface KnownAgent {
  name: string;
  title: string;
  /** Program on PATH by which it is found, too. */
  program: string;
  format: ConfigFormat;
  /** Key of the configuration under which servers stand. */
  table: string;
  /** Keys that say how the server is started; `env` is joined with what the person has added. */
  entry(server: ServerCommand): Entry;
  /** Name of the entry's key that holds variables. */
  variables: "env" | "environment";
  /** Keys that are set once: later ones are the person's. */
  defaults: Entry;
  user(folders: MachineFolders): AgentScope;
  /** Paths relative to the project. */
  project: AgentScope;
  /** Note on what is left to the person in a project. */
  projectNote?: string;
}

/** Longest run of tests, with time for a build before it. */
const longestCallSeconds = 900;

const stdioEntry = ({ command, args }: ServerCommand): Entry => ({ type: "stdio", command, args });

const claude: KnownAgent = {
  name: "claude",
  title: "Claude Code",
  program: "claude",
  format: "json",
  table: "mcpServers",
  entry: stdioEntry,
  variables: "env",
  defaults: {},
  user({ home, env }) {
    const own = env("CLAUDE_CONFIG_DIR");
    const folder = own ?? join(home, ".claude");
    const file = join(own ?? home, ".claude.json");
    return { signs: [folder, file], config: [file], skills: join(folder, "skills") };
  },
  project: { signs: [".claude", ".mcp.json", "CLAUDE.md"], config: [".mcp.json"], skills: ".claude/skills" },
  projectNote: "Claude Code asks once whether it may start the servers of a project",
};

const opencode: KnownAgent = {
  name: "opencode",
  title: "OpenCode",
  program: "opencode",
  format: "jsonc",
  table: "mcp",
  entry: ({ command, args }) => ({ type: "local", command: [command, ...args] }),
  variables: "environment",
  defaults: { enabled: true, timeout: longestCallSeconds * 1000 },
  user({ home, env }) {
    const folder = join(env("XDG_CONFIG_HOME") ?? join(home, ".config"), "opencode");
    const config = ["opencode.json", "opencode.jsonc"].map((name) => join(folder, name));
    return { signs: [folder], config, skills: join(folder, "skills") };
  },
  project: {
    signs: [".opencode", "opencode.json", "opencode.jsonc"],
    config: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json"],
    skills: ".opencode/skills",
  },
};

const codex: KnownAgent = {
  name: "codex",
  title: "Codex",
  program: "codex",
  format: "toml",
  table: "mcp_servers",
  entry: ({ command, args }) => ({ command, args }),
  variables: "env",
  // Codex gives up after a minute, else.
  defaults: { tool_timeout_sec: longestCallSeconds },
  user({ home, env }) {
    const folder = env("CODEX_HOME") ?? join(home, ".codex");
    return { signs: [folder], config: [join(folder, "config.toml")], skills: join(folder, "skills") };
  },
  project: { signs: [".codex"], config: [".codex/config.toml"], skills: ".codex/skills" },
  projectNote: "Codex reads .codex/config.toml of projects that it was told to trust",
};

const gemini: KnownAgent = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  format: "jsonc",
  table: "mcpServers",
  entry: ({ command, args }) => ({ command, args }),
  variables: "env",
  defaults: { timeout: longestCallSeconds * 1000 },
  user({ home }) {
    const folder = join(home, ".gemini");
    return { signs: [folder], config: [join(folder, "settings.json")], skills: join(folder, "skills") };
  },
  project: { signs: [".gemini", "GEMINI.md"], config: [".gemini/settings.json"], skills: ".gemini/skills" },
  projectNote: "Gemini CLI starts servers in folders that it was told to trust",
};

const cursor: KnownAgent = {
  name: "cursor",
  title: "Cursor",
  program: "cursor",
  format: "jsonc",
  table: "mcpServers",
  entry: stdioEntry,
  variables: "env",
  defaults: {},
  user({ home }) {
    const folder = join(home, ".cursor");
    return { signs: [folder], config: [join(folder, "mcp.json")], skills: join(folder, "skills") };
  },
  project: { signs: [".cursor"], config: [".cursor/mcp.json"], skills: ".cursor/skills" },
};

const vscode: KnownAgent = {
  name: "vscode",
  title: "VS Code",
  program: "code",
  format: "jsonc",
  table: "servers",
  entry: stdioEntry,
  variables: "env",
  defaults: {},
  user({ home, env, isMacOS }) {
    const settings = isMacOS
      ? join(home, "Library/Application Support")
      : env("XDG_CONFIG_HOME") ?? join(home, ".config");
    const folder = join(settings, "Code/User");
    return { signs: [folder], config: [join(folder, "mcp.json")], skills: join(home, ".copilot/skills") };
  },
  project: { signs: [".vscode"], config: [".vscode/mcp.json"], skills: ".github/skills" },
};

export const knownAgents: readonly KnownAgent[] = [claude, opencode, codex, gemini, cursor, vscode];
