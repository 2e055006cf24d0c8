/** Sessions of agents: what is asked of one, and what it leaves. */
import type { CheckCommand, CheckOutcome, ProjectStart } from "./agent_fixture.ts";
import type { Budget, Spending } from "./budget.ts";
import type { HangInspection } from "./stuck.ts";
import type { Playbook, PlaybookFailure, PlaybookText, Usage } from "./playbook.ts";

export interface AgentSessionRequest {
  /** Name of the agent: `claude` … */
  agent: string;
  prompt: string;
  /** Turns of the model; none where it is a real one. */
  playbook: Playbook;
  /** Real model to which requests are passed on; absent: the playbook answers. */
  upstream?: UpstreamAddress;
  /** Name of the model that the agent asks for; absent: its own. */
  model?: string;
  /** Limit of what the real model may cost. */
  budget?: Budget;
  /** Program on the host; absent: the agent's own on this machine. Of a command it is the folder of its files. */
  program?: string;
  /** Command line that is run as the agent; for the agent `command` alone. */
  command?: AgentCommandLine;
  /** Case of the plugin's evals; for the agent that is Claude Code's own runner of them alone. */
  evaluation?: AgentEvaluation;
  /** Host folder of which the agent works in a copy; absent: an empty one. */
  project?: string;
  /** Name of its folder in the environment, which no other session has; absent: a random one. */
  folder?: string;
  /** Files and commands that its project begins with, in place of a copy. */
  start?: ProjectStart;
  /** Names of the agent's own tools that it is given; absent: all. */
  tools?: string[];
  /** Whether the agent asks for permissions, which are not granted; otherwise all tools are allowed. */
  asksPermission?: boolean;
  /** Whether the result has the texts that the model was sent. */
  keepsModelInput?: boolean;
  /** Commands that are run in the project once the agent has ended. */
  checks?: CheckCommand[];
  /** Shell commands that are run at the end in a project with a start, however the session went. */
  teardown?: string[];
  /** Whether requests that are not as they were recorded leave the session passed. */
  acceptDrift?: boolean;
  /** Limit of the whole run. */
  timeoutMs: number;
}

/** Address of a real model API. */
export interface UpstreamAddress {
  /** `https://api.example.com`, without the path of an API. */
  url: string;
  /** Name of the variable of PTH's environment that holds the key; absent: none is sent. */
  key?: string;
}

export interface AgentEvaluation {
  /** Name of the case. */
  name: string;
  /** Tools that the case asks for, which are granted. */
  allowTools: string[];
  /** Whether the case's script that prepares its folder is run. */
  scaffold: boolean;
}

export interface AgentCommandLine {
  /** Line for a shell. */
  line: string;
  /** Whether the prompt comes on stdin; otherwise it is the last argument. */
  stdin: boolean;
}

/** An agent that is ready to start, in the environment. */
export interface PreparedAgent {
  /** Folder inside that holds all that the agent is given and leaves. */
  folder: string;
  words: string[];
  /** All variables that the agent has. */
  env: Record<string, string>;
  /** Absent: there is none. */
  stdin?: string;
  /** Folder in which it is started. */
  cwd: string;
  /** Address of the model. */
  url: string;
  /** Absent: it has none. */
  version: string | undefined;
  /** Observations about what the agent is not given as the plugin has it. */
  notes: string[];
  /** Factor of the time that it may take until its first request: machines may be emulated. Absent: 1. */
  slowness?: number;
  /** Files of the project before the session, by path, with a checksum each. */
  before: Record<string, string>;
  /** State of git in the project before the session; absent: it is no repository. */
  git?: ProjectGit;
}

/** State of git in a project. */
export interface ProjectGit {
  /** Absent: HEAD is on no branch. */
  branch?: string;
  /** Absent: there is none yet. One that was made in the session is `<commit>`. */
  commit?: string;
  /** Files that differ from the commit, without those that git ignores. */
  modified: AgentTrace["changes"];
}

/** End of the agent's process. */
export interface AgentExit {
  code: number | null;
  signal: string | null;
  /** Last part of what it wrote to stderr. */
  stderr: string;
}

/** Reason why an agent was stopped. */
export const agentStops = ["timed-out", "silent", "asking", "repeating", "lingering", "over-budget"] as const;
export type AgentStop = (typeof agentStops)[number];

/** Dialog for a person that an agent shows. */
export interface AgentDialog {
  kind: "login" | "trust" | "permission";
  /** Line of the output that shows it. */
  words: string;
}

/** One request to the model with what it was answered. */
export interface ModelExchange {
  /** Id of the subagent; absent: the main conversation. */
  agent?: string;
  /** Name of the lane; absent where the playbook refused. */
  lane?: string;
  /** Names of the tools that were offered. */
  tools: string[];
  text?: string;
  thinking?: string;
  calls: { tool: string; input: Record<string, unknown> }[];
  /** Scripted error in words. */
  error?: string;
  /** Reason why no turn was played. */
  refused?: string;
  /** Times of the request and of its answer, in ms since the epoch; no trace has them. */
  askedAt?: number;
  answeredAt?: number;
  /** Cost that the answer tells; no trace has it. */
  usage?: Usage;
}

/** Time of an entry of a timeline, in ms since the epoch. */
export interface EntryTime {
  at: number;
  /** End of it; absent: not known. */
  until?: number;
}

/** Facts about a session that are others each time, and so are no part of its trace. */
export interface SessionFacts {
  /** The agent's own id of its session; absent: it told none. */
  session?: string;
  /** Times of the timeline's entries, by their index; null where one has none of its own. */
  times: (EntryTime | null)[];
  /** Tokens by the model's answers; those of a playbook only where it says so. */
  tokens: { input: number; output: number };
  /** Whether commits, branches, tags or stashes of the project's repository changed. */
  gitChanged: boolean;
}

/** Hook that ran for an event. */
export interface HookRun {
  event: string;
  /** Absent unless it failed. */
  failed?: string;
}

export type TraceEntry =
  | {
    type: "session";
    tools: string[];
    commands: string[];
    agents: string[];
    servers: Record<string, string>;
  }
  | { type: "prompt"; text: string; hooks: HookRun[] }
  | ({ type: "turn"; lane: string; tools?: string[] } & Omit<ModelExchange, "tools" | "lane" | "agent">)
  | {
    type: "tool_call";
    lane: string;
    id: string;
    tool: string;
    input: unknown;
    result?: string;
    /** Absent where it is not known. */
    is_error?: boolean;
    /** Set where a permission was asked for it and denied; Claude Code alone tells it. */
    denied?: true;
    hooks: HookRun[];
  }
  | { type: "subagent"; lane: string; id: string; agent: string; hooks: HookRun[] }
  | { type: "end"; text?: string; hooks: HookRun[] };

/** One timeline of a session, the same for two sessions that went the same way. */
export interface AgentTrace {
  format: "pth-agent-trace/1";
  timeline: TraceEntry[];
  /** Files of the project that the agent changed. */
  changes: { path: string; change: "added" | "changed" | "removed" }[];
  /** State of git in the project; absent: it is no repository, or its state is not known. */
  git?: {
    before?: ProjectGit;
    after?: ProjectGit;
    /** Subjects of the commits that are new, oldest first. */
    commits: string[];
  };
  /** Observations that are no failure: hooks that failed, records that could not be read. */
  warnings: string[];
}

/** Difference between a recorded request and the one that came. */
export interface RequestDrift {
  /** Names what has changed, and where. */
  subject: string;
  /** Lines that are gone (`- …`) and new (`+ …`). */
  lines: string[];
}

/** Text that the model was sent, when it was new. */
export interface ModelInput {
  /** Id of the subagent; absent: the main conversation. */
  agent?: string;
  /** `tools`: names and descriptions of those that were offered, one a line; `messages`: one that is not the model's own. */
  in: "system" | "messages" | "tools";
  text: string;
}

/** Findings at the end of a session. */
export interface CollectedSession {
  trace: AgentTrace;
  drift: RequestDrift[];
  /** Playbook that was made of the session; of one on a real model alone. */
  recorded?: PlaybookText;
  facts?: SessionFacts;
  /** Names of the hooks that had not ended when the agent was stopped; absent: none. */
  pendingHooks?: string[];
  /** Absent unless it was to be kept, or where it was too much. */
  modelInput?: ModelInput[];
}

export interface AgentSessionResult {
  agent: string;
  version: string | undefined;
  exit: AgentExit | undefined;
  /** Absent: it ended by itself. */
  stopped: AgentStop | undefined;
  /** Inspection of its processes before it was stopped as silent or timed out. */
  inspection?: HangInspection;
  trace: AgentTrace;
  /** Reasons why the session failed; none: it went as the playbook says. */
  failures: string[];
  /** Differences from the requests that the playbook has recorded. */
  drift: RequestDrift[];
  /** Playbook that was made of a session on a real model. */
  recorded?: PlaybookText;
  /** Names of the hooks that had not ended when the agent was stopped; absent: none. */
  pendingHooks?: string[];
  /** Turns that were played. */
  played: number;
  playbook: PlaybookFailure[];
  /** Cost of a real model. */
  spent?: Spending;
  facts?: SessionFacts;
  /** Absent unless it was to be kept, or where it was too much. */
  modelInput?: ModelInput[];
  /** Outcomes of the checks by their names; absent where there were none. */
  checks?: Record<string, CheckOutcome>;
}
