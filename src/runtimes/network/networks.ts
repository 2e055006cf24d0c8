/** Networks that a runtime can give its environments. */
import type { NetworkMode } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import type { Readiness, RuntimeDefinition } from "../runtime.ts";

type Named = Pick<RuntimeDefinition, "name" | "networks">;

/**
 * Reason why a runtime is not ready for the network, in the shape of its `probe`; undefined where it is.
 * `all` are runtimes to ask for instead.
 */
export function lackingNetwork(
  { name, networks }: Named,
  network: NetworkMode | "default" | undefined,
  all: readonly Named[] = [],
): Readiness | undefined {
  if (network === undefined || network === "default" || networks.includes(network)) return undefined;
  const own = networks.length === 0 ? "its own alone (network: default)" : networks.join(", ");
  const having = all.filter((other) => other.networks.includes(network)).map((other) => other.name);
  const next = having.length === 0 ? [] : [`Use a runtime that has it: ${having.join(", ")}`];
  return {
    ready: false,
    code: "UNSUPPORTED",
    reason: `it has no environments with network ${network}`,
    next: [...next, `Networks of ${name}: ${own}`],
  };
}

/** @param all Runtimes that can be asked for instead. @throws {PthError} `UNSUPPORTED` */
export function requireNetwork(
  runtime: Named,
  network: NetworkMode | "default" | undefined,
  all: readonly Named[] = [],
): void {
  const lacking = lackingNetwork(runtime, network, all);
  if (lacking === undefined) return;
  throw new PthError("UNSUPPORTED", `Cannot use ${runtime.name}: ${lacking.reason}`, {
    next: lacking.next ?? [],
  });
}
