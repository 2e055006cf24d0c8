/** Uses a server as its schemas allow, before a check looks at what it leaves behind. */
import type { Connection } from "../../client/connection.ts";
import { asPthError } from "../../core/errors.ts";
import { generateFromSchema } from "../generators/schema.ts";
import { interpolateTests } from "../format/interpolate.ts";
import { exerciseCalls } from "../run/test_plan.ts";

/** Limits of one call and of all together: what a tool starts, it starts soon. */
const callMs = 1000;
const allMs = 5000;
/** More could not be called in that time. */
const mostTests = 500;

/**
 * One call of each tool that generated tests may call, with a valid input; answers do not matter. Tools that are known to
 * take long are called first, side by side, within the limit of one call.
 * @throws {PthError} `SERVER_LOST` when the server goes away meanwhile; or the signal's reason
 */
export async function callEveryTool(
  connection: Pick<Connection, "listTools" | "callTool">,
  slowTools: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { tests } = await generateFromSchema(await connection.listTools(), {
    maxTests: mostTests,
    hints: { own: "pth-check" },
  });
  const end = performance.now() + allMs;
  const call = async ({ tool, input }: ReturnType<typeof exerciseCalls>[number]): Promise<void> => {
    const left = Math.min(callMs, end - performance.now());
    if (left <= 0) return;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(left)]);
    try {
      await connection.callTool(tool, input, { signal: limited });
    } catch (error) {
      signal.throwIfAborted();
      if (asPthError(error).code === "SERVER_LOST") throw error;
    }
  };
  const calls = exerciseCalls(interpolateTests(tests, new Map()));
  const slow = calls.filter(({ tool }) => slowTools.includes(tool));
  await Promise.all(slow.map(call));
  for (const each of calls.filter(({ tool }) => !slowTools.includes(tool))) await call(each);
}
