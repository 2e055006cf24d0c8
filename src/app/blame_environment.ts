/** Tests that fail because their environment died say nothing of the plugin (PTH design §5.7). */
import type { TestResult } from "../../machines/model/test_result.ts";
import { PthError } from "../errors.ts";
import { ask } from "./ask.ts";
import type { SessionContext } from "./session_context.ts";
import { count } from "../values.ts";

const lost = ["ENVIRONMENT_LOST", "RUNTIME_UNAVAILABLE"];

/**
 * Looks, where tests failed, whether the environment is still there. If not, a session forgets those results.
 * @throws {PthError} `ENVIRONMENT_LOST`, `RUNTIME_UNAVAILABLE`
 */
export async function blameEnvironment(
  { actor, live, results }: SessionContext,
  ran: readonly TestResult[],
): Promise<void> {
  const failed = ran.filter(({ status }) => status === "failed");
  if (failed.length === 0) return;
  try {
    await ask(actor, { type: "session.perform", kind: "exec", args: { command: ["true"], cwd: "/" } });
  } catch (error) {
    // Whatever else is in the way (the session ends, say) does not make the results wrong.
    if (!(error instanceof PthError) || !lost.includes(error.code)) return;
    const tests = count(failed.length, "test");
    if (live.mode === "session") {
      for (const { id } of failed) results.delete(id);
      live.failures.forget(failed.map(({ id }) => id));
    }
    const message = `${error.message}; that ${tests} failed meanwhile says nothing of the plugin`;
    throw new PthError(error.code, message, error.context, { cause: error });
  }
}
