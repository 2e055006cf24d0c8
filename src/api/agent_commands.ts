/** Requests about agents, such as Claude Code, that work with the plugin. */
import type { AgentSessionRequest, AgentSessionResult } from "../../machines/model/agent_session.ts";
import type { HookRunRequest, HookRunResult } from "../../machines/model/hook_run.ts";
import type { AgentCommandLine } from "../../machines/model/agent_session.ts";
import type { TokenPrices } from "../../machines/model/budget.ts";
import type { EvalRequest } from "../../machines/model/eval_request.ts";
import type { EvalReport } from "../../machines/model/eval_result.ts";
import type { FixtureRunRequest, FixtureRunResult } from "../../machines/model/fixture_run.ts";
import type { PlaybookFiles, PromptAgent } from "../../machines/model/prompt_agent.ts";
import type { RequestOptions } from "./request_options.ts";

/** An agent with the turns of its model. */
export interface AgentChoice {
  /** Name of the agent. */
  agent: string;
  /** File of turns on this machine, YAML or JSON, or a folder with `<test id>.yaml` for each test. */
  playbook: string;
  /** For the agent `command` alone. */
  command?: AgentCommandLine;
  /** Folder of the command's files. */
  folder?: string;
}

/** A session to be recorded, with the real model that it asks. */
export interface RecordRequest extends Omit<AgentChoice, "playbook"> {
  prompt: string;
  /** Address of the model's API. */
  upstream: string;
  /** Name of the variable of PTH's environment that holds the key; only an address of this machine goes without. */
  upstreamKey?: string;
  /** Model that the agent asks for; absent: its own. */
  model?: string;
  budgetTokens?: number;
  /** Needs prices, in whose currency it is. */
  budgetCost?: number;
  /** For a million tokens. */
  prices?: TokenPrices;
  /** New YAML file for the playbook, by its path in the plugin's folder of the session's copy; absent: none is written. */
  out?: string;
  project?: string;
  timeoutMs: number;
}

export interface ReplayRequest extends Partial<AgentChoice> {
  /** Recorded playbook: YAML or JSON of this machine by an absolute path, else in the plugin's folder of the session's copy. */
  playbook: string;
  acceptDrift?: boolean;
  /** Accepts the drift and writes how the requests are now into the playbook, which is in the session's copy. */
  update?: boolean;
  project?: string;
  timeoutMs: number;
}

/** The result of a session, and its playbook. */
export interface RecordedSession {
  result: AgentSessionResult;
  /** Absent: the model gave no answer; of a replay: nothing was to be updated. */
  playbook?: {
    yaml: string;
    turns: number;
    file?: string;
    /** Reason why it could not be written to a file. */
    problem?: string;
  };
}

/** An agent that PTH can run. */
export interface AgentState {
  name: string;
  summary: string;
  /** Absent where it is not here, or where the user gives a command line. */
  version?: string;
  program?: string;
  /** Reason why it is not here. */
  missing?: string;
  /** Abilities that agents differ in. */
  abilities: {
    /** Parts of a plugin that it is given. */
    loads: readonly string[];
    /** Model API by which it asks; absent: any. */
    api?: string;
    transcript: boolean;
    /** Whether it asks the model by itself for titles and summaries. */
    sideCalls: boolean;
  };
}

export interface AgentCommands {
  /** Lists the agents that PTH can run, with those of this machine. */
  list(): Promise<AgentState[]>;
  /**
   * Reads the playbooks and finds the agent. Programs that make a playbook are not run.
   * @throws {PthError} `INVALID_INPUT`, `INVALID_PLAYBOOK`, `TARGET_NOT_FOUND`, `TOOLCHAIN_MISSING`
   */
  choose(choice: AgentChoice): Promise<PromptAgent & { playbooks: PlaybookFiles }>;
  /** Has the agent work on tests with a prompt, where a request names none, until another one is named. */
  use(agent: PromptAgent | undefined): void;
  /** Agent in use; undefined while there is none. */
  inUse(): PromptAgent | undefined;
  /**
   * Runs an agent on a playbook in the environment, with a home and a project of its own. A session that does not go as
   * the playbook says is a result with its failures.
   * @throws {PthError} `NOT_NOW` without an environment, `TOOLCHAIN_MISSING` without the agent, `UNSUPPORTED` in an
   * environment that does not reach the model
   */
  run(request: AgentSessionRequest, options?: RequestOptions): Promise<AgentSessionResult>;
  /**
   * Runs hooks in the environment, side by side, with a home and a project of their own. It judges nothing: one that fails
   * or is ended at its limit is part of the result.
   * @throws {PthError} `NOT_NOW` without an environment
   */
  runHooks(request: HookRunRequest, options?: RequestOptions): Promise<HookRunResult>;
  /**
   * Runs the evals of the session's plugin as sessions of an agent on playbooks, and has them graded. A case that fails, or
   * cannot be run, is a result.
   * @throws {PthError} `TARGET_NOT_FOUND` without evals, `INVALID_TEST_FILE` with all mistakes in them, `NO_TESTS_MATCH`,
   * `NOT_NOW` without an environment or while tests run, and what no session at all could be run with
   */
  evaluate(request: EvalRequest, options?: RequestOptions): Promise<EvalReport>;
  /**
   * Runs an agent on a real model once, and makes a playbook of the session.
   * @throws {PthError} `INVALID_INPUT` for a model that cannot be asked, a budget that cannot be counted, and a file that is
   * there or leaves the plugin's folder, before anything starts; as `run`
   */
  record(request: RecordRequest, options?: RequestOptions): Promise<RecordedSession>;
  /**
   * Plays a recorded playbook with the recorded agent; differences from the recorded requests are in the result.
   * @throws {PthError} `INVALID_INPUT`, `INVALID_PLAYBOOK`, `TARGET_NOT_FOUND` for a playbook that was not recorded, cannot be
   * read, or is not there; as `run`
   */
  replay(request: ReplayRequest, options?: RequestOptions): Promise<RecordedSession>;
  /**
   * Runs the tests of a fixture one after the other, each in a session of its own, and judges them. A session that cannot
   * run fails its test. `agent_test.finished` tells of each as it ends.
   * @throws {PthError} `NOT_NOW` without an environment
   */
  test(request: FixtureRunRequest, options?: RequestOptions): Promise<FixtureRunResult>;
}
