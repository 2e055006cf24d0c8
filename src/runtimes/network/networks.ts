/** Networks that a runtime can give its environments. */
import type { NetworkMode } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import type { Readiness, RuntimeDefinition } from "../runtime.ts";

type Named = Pick<RuntimeDefinition, "name" | "networks">;

const networkless = "docker, systemd, sandbox";

/** Why a runtime is not ready for the network, in the shape of its `probe`; undefined where it is. */
export function lackingNetwork(
  { name, networks }: Named,
  network: NetworkMode | "default" | undefined,
): Readiness | undefined {
  if (network === undefined || network === "default" || networks.includes(network)) return undefined;
  const own = networks.length === 0 ? "its own alone (network: default)" : networks.join(", ");
  const next = network === "none" ? [`Use a runtime that has it: ${networkless}`] : [];
  return {
    ready: false,
    code: "UNSUPPORTED",
    reason: `it has no environments with network ${network}`,
    next: [...next, `Networks of ${name}: ${own}`],
  };
}

/** @throws {PthError} `UNSUPPORTED` */
export function requireNetwork(runtime: Named, network: NetworkMode | "default" | undefined): void {
  const lacking = lackingNetwork(runtime, network);
  if (lacking === undefined) return;
  throw new PthError("UNSUPPORTED", `Cannot use ${runtime.name}: ${lacking.reason}`, {
    next: lacking.next ?? [],
  });
}
