/** Test sessions that end with the test: for vitest, node:test and tap. */
import { PthError } from "../core/errors.ts";
import {
  type AgentSessionOptions,
  type AgentTestSession,
  createAgentSession,
} from "./create_agent_session.ts";
import { createTestSession, type TestSession, type TestSessionOptions } from "./create_test_session.ts";

type Cleanup = (work: () => Promise<void>) => unknown;

/** Context of a test as its runner gives it: of vitest, of node:test, or of tap. */
export type RunningTest = { onTestFinished: Cleanup } | { after: Cleanup } | { teardown: Cleanup };

/**
 * Starts a session of pi that is disposed of when the test ends; turns that are left then fail the test.
 * @param t Argument of the test's function.
 * @throws {PthError} as `createTestSession`
 */
export async function testSession(t: RunningTest, options?: TestSessionOptions): Promise<TestSession> {
  const atEnd = cleanupOf(t);
  const session = await createTestSession(options);
  atEnd(session.dispose);
  return session;
}

/** Starts a session of an agent's program, such as Claude Code, that ends with the test. @throws {PthError} as `createAgentSession` */
export async function agentSession(t: RunningTest, options: AgentSessionOptions): Promise<AgentTestSession> {
  const atEnd = cleanupOf(t);
  const session = await createAgentSession(options);
  atEnd(session.dispose);
  return session;
}

function cleanupOf(t: RunningTest): Cleanup {
  const test = t as Partial<Record<"onTestFinished" | "teardown" | "after", Cleanup>>;
  const cleanup = test.onTestFinished ?? test.teardown ?? test.after;
  if (typeof cleanup !== "function") {
    throw new PthError("INVALID_INPUT", "Cannot end the session with the test: this is no test context", {
      next: ["Give the argument of the test's function: test('…', async (t) => …)"],
    });
  }
  return cleanup.bind(t);
}
