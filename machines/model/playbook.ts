/** Playbooks: scripted turns of a model, as a file holds them. Keys are those of the file. */

/** Comparison with a text. A text alone must be contained; all that is given must hold. */
export type TextRule = string | {
  contains?: string | string[] | undefined;
  lacks?: string | string[] | undefined;
  glob?: string | undefined;
  regex?: string | undefined;
};

/** Comparison with the latest result of a tool that the request brings. */
export interface ResultRule {
  /** Glob for the tool's name; absent: the latest result of any tool. */
  tool?: string | undefined;
  is_error?: boolean | undefined;
  text?: TextRule | undefined;
  /** JSONPath that must find something in the result. */
  path?: string | undefined;
  /** First value at the path. */
  equals?: unknown;
}

/** Comparison with a request to the model: all that is given must hold. */
export interface RequestRule {
  /** Globs, each of which must fit a tool that is offered. */
  tools?: string[] | undefined;
  /** Globs that must fit no tool that is offered. */
  no_tools?: string[] | undefined;
  /** Names of skills, commands and agents that are listed to the model. */
  lists?: string[] | undefined;
  no_lists?: string[] | undefined;
  model?: TextRule | undefined;
  system?: TextRule | undefined;
  /** The last message of the user. */
  prompt?: TextRule | undefined;
  /** All messages. */
  messages?: TextRule | undefined;
  result?: ResultRule | undefined;
  /** JSON Schema for the request's body. */
  schema?: Record<string, unknown> | undefined;
}

export interface ToolCall {
  tool: string;
  input?: Record<string, unknown> | undefined;
}

/** Value out of an earlier result; exactly one of path and regex is there. */
export interface Binding {
  /** Glob for the tool's name; absent: any tool. */
  tool?: string | undefined;
  path?: string | undefined;
  regex?: string | undefined;
}

export interface Usage {
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  cache_read_tokens?: number | undefined;
  cache_write_tokens?: number | undefined;
}

export const streamErrors = ["cut", "stall", "malformed"] as const;

/** Error in place of an answer, or in the midst of it; exactly one of status and stream is there. */
export interface ScriptedError {
  status?: number | undefined;
  message?: string | undefined;
  retry_after?: number | undefined;
  stream?: (typeof streamErrors)[number] | undefined;
}

export interface Turn {
  text?: string | undefined;
  thinking?: string | undefined;
  calls?: ToolCall[] | undefined;
  usage?: Usage | undefined;
  error?: ScriptedError | undefined;
  /** Milliseconds before the answer begins. */
  delay_ms?: number | undefined;
  /** Variables for this turn and later ones of its lane. */
  bind?: Record<string, Binding> | undefined;
  /** Condition without which the turn is left out. */
  when?: RequestRule | undefined;
  /** Requests that the turn waits for, while later turns may go before it. */
  match?: RequestRule | undefined;
  /** Requirement on the request that is answered. */
  expect?: RequestRule | undefined;
  repeat?: { until: RequestRule; at_most?: number | undefined } | undefined;
  optional?: boolean | undefined;
  /** Recorded request that the turn answered, by its name in `recorded`. */
  request?: string | undefined;
}

/** Requests of a recorded session, to see later whether they are still like this. Texts are without what changes each time. */
export interface RecordedRequests {
  agent: string;
  /** Absent: the agent has none. */
  version?: string | undefined;
  /** Name of the model that it asks for; absent: its own. */
  model?: string | undefined;
  prompt: string;
  /** By the names that turns give. */
  requests: Record<string, RecordedModelRequest>;
  /** Sets of tools that were offered, by their names in `requests`. */
  tool_sets: Record<string, string[]>;
  /** Tools by their names. */
  tools: Record<string, RecordedTool>;
  /** Texts by their names in `requests`. */
  texts: Record<string, string>;
}

export interface RecordedModelRequest {
  /** Name of a text. */
  system: string;
  /** Name of a set. */
  tools: string;
  /** Names of the texts that were new: those of the user and of the agent itself. */
  messages: string[];
}

export interface RecordedTool {
  description?: string | undefined;
  schema?: Record<string, unknown> | undefined;
}

/** Calls that agents make by themselves, in addition to their conversation. */
export const sidePurposes = ["title", "summary"] as const;
export type SidePurpose = (typeof sidePurposes)[number];

/** Conversation with its turns; the main one has neither subagent, side nor match. */
export interface Lane {
  name: string;
  /** Glob for the type of a subagent, or its number in the order of their first requests, from 1. */
  subagent?: string | number | undefined;
  side?: SidePurpose | undefined;
  match?: RequestRule | undefined;
  turns: Turn[];
}

export interface Playbook {
  name?: string | undefined;
  description?: string | undefined;
  lanes: Lane[];
  /** Turns of the session that judges a test's checklist. */
  judge?: Turn[] | undefined;
  recorded?: RecordedRequests | undefined;
}

/** A playbook as it is written, in a file or for `definePlaybook`. */
export interface PlaybookText {
  name?: string | undefined;
  description?: string | undefined;
  /** Turns of the main conversation. */
  turns?: Turn[] | undefined;
  /** Other conversations. */
  lanes?: (Omit<Lane, "name"> & { name?: string | undefined })[] | undefined;
  judge?: Turn[] | undefined;
  recorded?: RecordedRequests | undefined;
}

/** Request to the model in so far as the choice of a turn depends on it. */
export interface JudgedRequest {
  requestId: string;
  /** Id of the subagent that asks; absent: the main conversation. */
  agent?: string | undefined;
  /** Begin of a subagent's conversation, by which its type is found. */
  opening?: string | undefined;
  side?: SidePurpose | undefined;
  /** Lanes whose `match` holds, by their index. */
  lanes: number[];
  /** Conditions of turns that hold, as `lane.turn.when`, `.match` and `.until`. */
  holds: string[];
  /** Summary of the request for messages. */
  summary: string;
}

export interface PlaybookFailure {
  kind: "ran-dry" | "no-turn" | "no-lane" | "repeats" | "binding" | "expectation" | "left-over" | "upstream";
  message: string;
}

/** Turn that was chosen for a request; `time` counts its repetitions from 1. */
export interface ChosenTurn {
  requestId: string;
  lane: number;
  turn: number;
  time: number;
}

export interface PlaybookEnd {
  failures: PlaybookFailure[];
  /** Number of turns that were played, repetitions included. */
  played: number;
}
