/** An agent behind one interface: how it is found, started and read. */
import type { AgentTrace, ModelExchange } from "../../../machines/model/agent_session.ts";

/** Folders and addresses that an agent is given, as it sees them. */
export interface AgentPlace {
  /** Folder that holds all that the agent is given and leaves. */
  folder: string;
  home: string;
  temporary: string;
  /** Folder in which it works. */
  project: string;
  plugin: string;
  program: string;
  /** Address of the model. */
  url: string;
  prompt: string;
}

export interface AgentStart {
  words: string[];
  /** Variables that it has in addition to PATH and the labels of its environment; nothing else is inherited. */
  env: Record<string, string>;
}

/** Records of a session, as they were read. */
export interface AgentRecords {
  /** Lines of stdout. */
  output: string[];
  /** Texts of files below the folder, by their path in it. */
  files: Record<string, string>;
  exchanges: ModelExchange[];
}

export interface AgentDefinition {
  /** Name as written after `--agent`. */
  name: string;
  /** Description of it, for people. */
  summary: string;
  abilities: {
    /** Whether it loads plugins: commands, skills, subagents, hooks. */
    plugins: boolean;
    hooks: boolean;
    transcript: boolean;
  };
  /** Name of the program on PATH. */
  program: string;
  /** Variable of PTH's that names another one. */
  variable: string;
  /** Command that installs it, for people. */
  install: string;
  /** Files that it needs, by their path in the folder. */
  files(place: AgentPlace): Record<string, string>;
  command(place: AgentPlace): AgentStart;
  /** Whether a line of its output is its last word. */
  isLastLine(line: string): boolean;
  /** Globs of `find -path` for the records that it leaves in the folder. */
  records: string[];
  /** Puts all that happened into one order. */
  trace(
    records: AgentRecords,
    place: Pick<AgentPlace, "folder" | "project" | "plugin" | "prompt">,
  ): Omit<AgentTrace, "changes">;
}

/** Identity with types: the export of a file in this folder. */
export const defineAgent = (definition: AgentDefinition): AgentDefinition => definition;
