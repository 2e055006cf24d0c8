/** Tests that fail because their environment died, or is degraded, say little of the plugin. */
import type { TestResult } from "../../../machines/model/test_result.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { sendOperation } from "../send_request.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { count } from "../../core/text.ts";

const lost = ["ENVIRONMENT_LOST", "RUNTIME_UNAVAILABLE"];

/**
 * Looks, where tests failed, whether the environment is still there. If not, a session forgets those results.
 * @returns what is wrong with it, for whoever reads the results
 * @throws {PthError} `ENVIRONMENT_LOST`, `RUNTIME_UNAVAILABLE`
 */
export async function attributeToEnvironment(
  { actor, live, results }: SessionParts,
  ran: readonly TestResult[],
): Promise<string[]> {
  const failed = ran.filter(({ status }) => status === "failed");
  if (failed.length === 0) return [];
  try {
    const args = { command: ["true"], cwd: "/", timeoutSeconds: 30 };
    await sendOperation(actor, "exec", args);
  } catch (error) {
    // Whatever else is in the way (the session ends, say) does not make the results wrong.
    if (!(error instanceof PthError) || !lost.includes(error.code)) return [];
    const tests = count(failed.length, "test");
    if (live.mode === "session") {
      for (const { id } of failed) results.latest.delete(id);
      live.evidence.failures.forget(failed.map(({ id }) => id));
    }
    const message = `${error.message}; that ${tests} failed meanwhile says nothing of the plugin`;
    throw new PthError(error.code, message, error.context, { cause: error });
  }
  return await degraded(live, failed.length);
}

/** A look costs less than a tenth of a second, an iteration spent on a full disk minutes. */
async function degraded(live: SessionResources, failures: number): Promise<string[]> {
  try {
    const { healthy, problems } = await live.environment.checkHealth();
    if (healthy) return [];
    const failed = count(failures, "test");
    return [`The environment is degraded, which may be why ${failed} failed: ${problems.join("; ")}`];
  } catch (error) {
    return [`How the environment is cannot be found out: ${errorMessage(error)}`];
  }
}
