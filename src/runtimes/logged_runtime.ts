/** Writes operations on an environment to the debug log: provisioning, commands with exit codes, snapshots. */
import { errorMessage } from "../core/errors.ts";
import { log, type LogFacts } from "../platform/log.ts";
import { definedOnly } from "../core/values.ts";
import type { EnvironmentRuntime } from "./runtime.ts";

type Work = (...args: unknown[]) => Promise<unknown>;

/** The same runtime; without a debug log it is the very one. Of variables the names are logged only. */
export function loggedRuntime(runtime: EnvironmentRuntime): EnvironmentRuntime {
  if (!log.enabled("debug")) return runtime;
  return new Proxy(runtime, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || typeof name !== "string") return member;
      return logged(`${target.name} ${name}`, (member as Work).bind(target));
    },
  });
}

const logged = (what: string, work: Work): Work => async (...args) => {
  const started = performance.now();
  const tell = (outcome: LogFacts) =>
    log.debug(what, {
      ...factsOf(args),
      ...definedOnly(outcome),
      ms: Math.round(performance.now() - started),
    });
  try {
    const result = await work(...args);
    tell(outcomeOf(result));
    return result;
  } catch (error) {
    tell({ error: errorMessage(error) });
    throw error;
  }
};

/** Plain arguments as they are, handles and specifications by their id, options by what matters in them. */
function factsOf(args: unknown[]): LogFacts {
  const facts: LogFacts = {};
  const plain: unknown[] = [];
  for (const arg of args) {
    if (Array.isArray(arg)) facts.command = arg;
    else if (typeof arg === "function") continue;
    else if (typeof arg !== "object" || arg === null) plain.push(arg);
    else {
      const { environmentId, image, tier, cwd, env } = arg as Record<string, unknown>;
      Object.assign(facts, definedOnly({ environmentId, image, tier, cwd }));
      if (env !== undefined) facts.variables = Object.keys(env as object);
    }
  }
  return plain.some((arg) => arg !== undefined) ? { ...facts, args: plain } : facts;
}

/** Output is in the answers; here the exit code counts, or what a process or a handle is known by. */
function outcomeOf(result: unknown): LogFacts {
  if (typeof result !== "object" || result === null) return result === undefined ? {} : { result };
  const { code, signal, pid, environmentId } = result as Record<string, unknown>;
  return { code, signal, pid, environmentId };
}
