/** Defines checks of the server as a whole: one file each in `checks/`, run on a server instance of its own. */
import type { CallOutcome, ServerInfo, ToolDefinition } from "../../machines/model/plugin.ts";
import type { ServerEnd } from "../client/connection.ts";
import type { Incident } from "../client/incidents.ts";
import type { SchemaProblem } from "../client/schema_problems.ts";
import type { CallPlace } from "./generate/excluded_tools.ts";
import { asPthError, type ErrorCode } from "../core/errors.ts";
import { indentedTail } from "../core/text.ts";
import type { FailureCategory, Finding, Verdict } from "../../machines/model/verdict.ts";

/** Operations that a check may use on its server. */
export interface CheckContext {
  transport: "stdio" | "http";
  /** Program that starts the server and passes no signal on by itself (`npx`, `sh -c`); absent where the server is started directly. */
  launcher?: string;
  /** The server runs where nothing that its tools do reaches the user's machine or data. */
  isolated: boolean;
  /** Revision and capabilities that the server answered when it was initialized. */
  server: Pick<ServerInfo, "protocolVersion" | "capabilities">;
  /** All tools, as `tools/list` gave them. */
  tools(): Promise<ToolDefinition[]>;
  /**
   * Sends any request; a JSON-RPC error is an outcome.
   * @throws {PthError} `SERVER_SILENT` after the test's limit, `SERVER_LOST`
   */
  ask(method: string, params?: Record<string, unknown>): Promise<CallOutcome>;
  /**
   * Calls a tool. @throws {PthError} `SERVER_SILENT` after the limit (default: the test's), by which the call is cancelled,
   * `SERVER_LOST`; or the signal's reason, by which it is cancelled as well
   */
  call(
    tool: string,
    input: Record<string, unknown>,
    options?: { signal?: AbortSignal; timeoutMs?: number },
  ): Promise<CallOutcome>;
  /** Incidents since the start of the server, in order. */
  incidents(): readonly Incident[];
  /**
   * Calls tools with inputs that their schemas allow, so that what they start is there when the server ends; bounded in
   * number and time by the caller (`exerciseCalls`). May reject as a call does. Absent: the server is not exercised.
   */
  exercise?(): Promise<void>;
  /** Schemas that do not compile, leniently read, or for which no input can be made in time. */
  schemaProblems(tools: readonly ToolDefinition[]): Promise<SchemaProblem[]>;
  /** Ends this instance: closes stdin, waits, then signals, first its process alone. */
  stop(graceMs: number): Promise<ServerEnd>;
}

interface CheckDefinition {
  /** Name in a test's `check`; also the file's name. */
  name: string;
  /** Statement that is true when the check passes, as it reads in a test's name: "ends when its input ends". */
  summary: string;
  /** Kind of failure where the check does not say otherwise. */
  category: FailureCategory;
  /** The check asks, and leaves the server as it found it: the next one of this kind goes on with the same instance. */
  onlyAsks?: true;
  /**
   * The check calls tools: it runs while no test does but slow ones, as they share the environment's files, and no check that
   * relies on a server as it started goes on with its instance.
   */
  callsTools?: true;
  /** Whether there is something to check on a server with these tools, whose calls land there; default always. */
  appliesTo?(tools: readonly ToolDefinition[], place: CallPlace): boolean;
  run(context: CheckContext): Promise<Verdict>;
}

/** Identity with types: the default export of a file in `checks/`. */
export const defineCheck = (definition: CheckDefinition): CheckDefinition => definition;

export const checkPassed = (note?: string, findings: Finding[] = []): Verdict => ({
  status: "passed",
  findings,
  ...(note === undefined ? {} : { note }),
});

export const checkFailed = (
  category: FailureCategory,
  message: string,
  actual?: unknown,
  findings: Finding[] = [],
): Verdict => ({
  status: "failed",
  category,
  message,
  findings,
  ...(actual === undefined ? {} : { actual }),
});

/** Errors that say something about the server under test, not about the harness. */
const faults: Partial<Record<ErrorCode, FailureCategory>> = {
  PROTOCOL_VIOLATION: "protocol-error",
  SERVER_LOST: "runtime-exception",
  SERVER_SILENT: "timeout",
  START_FAILED: "runtime-exception",
};

/** True for an error by which the server under test failed, not the harness. */
export const isServerFault = (error: unknown): boolean => asPthError(error).code in faults;

/**
 * Runs a check; what the server did wrong meanwhile is a failure too. Other errors are thrown on.
 * With `strict` a warning fails the check.
 */
export async function runServerCheck(
  check: CheckDefinition,
  context: CheckContext,
  { strict = false }: { strict?: boolean } = {},
): Promise<Verdict> {
  try {
    const verdict = await check.run(context);
    const told = verdict.findings.filter(({ severity }) => severity !== "info").map(({ message }) => message);
    if (!strict || verdict.status === "failed" || told.length === 0) return verdict;
    return checkFailed(check.category, told.join("\n  "), undefined, verdict.findings);
  } catch (error) {
    const failure = asPthError(error);
    const category = faults[failure.code];
    if (category === undefined) throw error;
    const output = indentedTail(failure.context.output ?? "");
    return checkFailed(category, [`server: ${failure.message}`, output].filter(Boolean).join("\n"));
  }
}
