/** Slot `connection.open` of dependency plugins: started, and verified by `tools/list`. */
import type { OpenedConnection, OpenInput } from "../../../machines/connection_machine.ts";
import type { Connection } from "../../client/connection.ts";
import { PthError } from "../../core/errors.ts";
import { withRetries } from "../../platform/retry.ts";
import { dependencyFailed, type DependencyStep } from "./dependency_failed.ts";
import type { LiveDependency } from "./live_dependency.ts";
import type { SessionResources } from "../session_resources.ts";
import { openInstance, startLimitMs } from "../connection/open_connection.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import { count } from "../../core/text.ts";

/** Errors from which a server may recover; a timeout is none of them, since it has used up a minute already. */
const transient = ["START_FAILED", "SERVER_LOST", "PROTOCOL_VIOLATION", "PORT_TAKEN"];

export const openDependency = (stage: GetSession) =>
  promiseActor<OpenedConnection, OpenInput>(stage, async (live, input, signal, tell) => {
    const starting = (limitMs: number) => tell({ type: "connection.starting", limitMs });
    const dependency = live.plugin.dependencies.get(input.plan.dependency!)!;
    const connection = await live.progress.step(
      "dependency",
      `${dependency.name}: starting the server`,
      () => start(live, dependency, { input, starting }, signal),
      ({ server }) =>
        `${dependency.name}: ${server.name} ${server.version} runs, ${
          count(dependency.tools.length, "tool")
        }`,
    );
    dependency.proven = true;
    return {
      server: live.secrets.redact.value(connection.server),
      pid: connection.pid,
      tools: dependency.tools,
    };
  });

async function start(
  live: SessionResources,
  dependency: LiveDependency,
  { input, starting }: { input: OpenInput; starting: (limitMs: number) => void },
  signal: AbortSignal,
): Promise<Connection> {
  let step: DependencyStep = "start";
  const attempt = async () => {
    step = "start";
    // One that replaces another answers where that one did: the port is known to others.
    const connection = await openInstance(live, { ...input, instance: 0 }, signal, dependency, starting);
    try {
      step = "tools/list";
      starting(startLimitMs(live));
      dependency.tools = live.secrets.redact.value(await connection.listTools());
      checkTools(dependency);
      return connection;
    } catch (error) {
      const stderr = connection.stderrTail();
      await connection.close();
      live.connections.forget(connection.id);
      throw withOutput(error, stderr);
    }
  };
  try {
    return await withRetries(attempt, {
      retries: live.limits.retries,
      isTransient: (error) => error instanceof PthError && transient.includes(error.code),
      onRetry: (message) => live.progress.messages("dependency")(`${dependency.name}: ${message}`),
      signal,
    });
  } catch (error) {
    dependency.proven = false;
    throw signal.aborted ? error : dependencyFailed(dependency, step, error);
  }
}

/** @throws {PthError} `DEPENDENCY_FAILED` when a tool is not there that the configuration names */
function checkTools({ wanted, tools }: LiveDependency): void {
  const names = tools.map(({ name }) => name);
  const missing = (wanted.expectTools ?? []).filter((name) => !names.includes(name));
  if (missing.length === 0) return;
  throw new PthError("DEPENDENCY_FAILED", `Cannot use dependency: it does not list ${missing.join(", ")}`, {
    missing,
    listed: names,
  });
}

function withOutput(error: unknown, stderr: string): unknown {
  if (!(error instanceof PthError) || stderr === "") return error;
  const output = [error.context.output, stderr].filter((text) => text !== undefined && text !== "").join(
    "\n",
  );
  return new PthError(error.code, error.message, { ...error.context, output }, { cause: error });
}
