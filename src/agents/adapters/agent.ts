/** An agent behind one interface: how it is found, started and read. */
import type {
  AgentCommandLine,
  AgentEvaluation,
  AgentTrace,
  ModelExchange,
} from "../../../machines/model/agent_session.ts";
import type { PluginPart, PluginParts } from "./plugin_parts.ts";

/** Folders and addresses that an agent is given, as it sees them. */
export interface AgentPlace {
  /** Folder that holds all that the agent is given and leaves. */
  folder: string;
  home: string;
  temporary: string;
  /** Folder in which it works. */
  project: string;
  plugin: string;
  /** Program of the agent; of a command the folder of its files, empty where it has none. */
  program: string;
  /** Address of the model. */
  url: string;
  prompt: string;
  /** Parts of the plugin, for agents that do not read plugins themselves. */
  parts: PluginParts;
  command?: AgentCommandLine;
  evaluation?: AgentEvaluation;
  /** Name of the model to ask for; absent: the agent's own. */
  model?: string;
  /** Names of the agent's own tools that it is given; absent: all. */
  tools?: string[];
  /** Whether it asks for permissions; otherwise all tools are allowed. */
  asksPermission?: boolean;
  /** The plugin's server, where PTH has loaded it; `declared`: the plugin's own files name its servers, too. */
  server?: { name: string; entry: McpServerEntry; declared: boolean };
}

/** One server in the form of `.mcp.json`. */
export type McpServerEntry =
  | { command: string; args: string[]; env: Record<string, string> }
  | { type: "http"; url: string; headers?: Record<string, string> };

/** Text of an `.mcp.json` with the plugin's server. */
export const mcpConfig = ({ server }: Pick<AgentPlace, "server">): string =>
  JSON.stringify({ mcpServers: server === undefined ? {} : { [server.name]: server.entry } });

export interface AgentStart {
  words: string[];
  /** Variables that it has in addition to PATH and the labels of its environment; nothing else is inherited. */
  env: Record<string, string>;
  /** Absent: there is none. */
  stdin?: string;
}

/** Records of a session, as they were read. */
export interface AgentRecords {
  /** Lines of stdout. */
  output: string[];
  /** Texts of files below the folder, by their path in it. */
  files: Record<string, string>;
  exchanges: ModelExchange[];
  /** Result that a request brought for a call of an exchange, by their numbers; none for an agent with a transcript. */
  resultOf(exchange: number, call: number): { text: string; isError?: boolean } | undefined;
}

/** Program of an agent that is installed on this machine. */
export interface AgentInstallation {
  /** Name on PATH. */
  program: string;
  /** Variable of PTH's that names another one. */
  variable: string;
  /** Packages of npm that hold it, by their order. */
  packages: readonly string[];
  /**
   * Program of the platform's own package, by its path in `node_modules`; absent: it is a program for Node.
   * @param system Such as `linux-x64`
   */
  native?: (system: string) => string;
}

export interface AgentDefinition {
  /** Name as written after `--agent`. */
  name: string;
  /** Description of it, for people. */
  summary: string;
  abilities: {
    /** Parts of a plugin that it is given. */
    loads: readonly PluginPart[];
    /** Model API by which it asks; absent: any. */
    api?: string;
    transcript: boolean;
    /** Whether it asks the model by itself for titles and summaries, which are no part of the conversation. */
    sideCalls: boolean;
  };
  /** Whether it can be given some of its tools alone, and asks for permissions where that is wanted. */
  restricts?: true;
  /** Absent: the user gives a command line. */
  installation?: AgentInstallation;
  /** Files that it needs, by their path in the folder. */
  files(place: AgentPlace): Record<string, string>;
  /** Files and folders of the plugin that it needs, by their paths in the plugin and in the folder. */
  copies?(place: AgentPlace): readonly (readonly [from: string, to: string])[];
  /** Observations about what it is not given as the plugin has it. */
  notes?(place: AgentPlace): string[];
  command(place: AgentPlace): AgentStart;
  /** Whether a line of its output is its last word. */
  isLastLine(line: string): boolean;
  /** Id of the session, as a line of its output tells it. */
  sessionOf?(line: string): string | undefined;
  /** Names of the plugin's hooks that have started and not ended, by its output; absent: it does not tell. */
  pendingHooks?(output: readonly string[]): string[];
  /** Globs of `find -path` for the records that it leaves in the folder. */
  records: string[];
  /** Puts all that happened into one order. */
  trace(
    records: AgentRecords,
    place: TracedPlace,
  ): Omit<AgentTrace, "changes">;
}

/** Parts of the place that a trace names. */
export type TracedPlace = Pick<AgentPlace, "folder" | "project" | "plugin" | "url" | "prompt">;

/** Identity with types: the export of a file in this folder. */
export const defineAgent = (definition: AgentDefinition): AgentDefinition => definition;
