/** Requests about tests with a prompt, which the client's model carries out. */
import type { AgentRun } from "./requests.ts";
import type { CallOutcome } from "../../machines/model/plugin.ts";
import type { SuiteOptions } from "../../machines/model/suite_options.ts";
import type { TestResult } from "../../machines/model/test_result.ts";
import type { JudgedItem } from "../../machines/model/verdict.ts";
import type { RequestOptions } from "./request_options.ts";

export interface AgentRunCommands {
  /**
   * Begins a test with a prompt: prepares it and holds a server for it until it is closed, given up, or its time is up. A run
   * that could not begin is a result.
   * @throws {PthError} `NOT_NOW` while another run or a suite is under way, `INVALID_INPUT` for a test without a prompt
   */
  begin(
    id: string,
    suite: Pick<SuiteOptions, "timeoutSeconds">,
    options?: RequestOptions,
  ): Promise<{ run: AgentRun } | { result: TestResult }>;
  /** A tool call on the run's own server. @throws {PthError} `NOT_NOW` for a run that has ended, `NO_SUCH_TOOL` */
  call(
    runId: string,
    tool: string,
    input: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<CallOutcome>;
  /** Runs `verify` and judges. @throws {PthError} `INVALID_INPUT` for a checklist that is not judged item by item */
  close(runId: string, checklist: JudgedItem[], options?: RequestOptions): Promise<TestResult>;
  /** Ends a run without a judgement: the test counts as skipped. */
  abandon(runId: string, reason: string): Promise<TestResult>;
}
