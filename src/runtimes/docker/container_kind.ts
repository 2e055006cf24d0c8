/** Differences between runtimes on a container engine; the rest is the same code. */
import type { RuntimeAbilities, Tier } from "../../../machines/model/environment.ts";
import type { ImageKind } from "../images/catalogue.ts";
import type { ContainerExec } from "./exec.ts";

/** Abilities of containers, whichever process is their first. */
export const containerAbilities = {
  snapshots: "disk",
  kernel: false,
  isolated: true,
  sharesNetwork: false,
  outlivesOwner: true,
  // What an engine enforces depends on its kernel and storage: `inspect` tells for each environment.
  limits: { cpus: true, memory: true, disk: false },
  keptReady: true,
} satisfies Partial<RuntimeAbilities>;

export interface ContainerKind {
  /** Name of the runtime. */
  runtime: string;
  tier: Tier;
  image: ImageKind;
  /** With `systemd`, its first process is systemd, with all privileges that the engine grants. */
  abilities: RuntimeAbilities;
  /**
   * Waits until a container that was just started can be used; resolves to facts that its users have to know.
   * @throws {PthError} `PROVISION_FAILED`
   */
  ready(place: ContainerExec, signal?: AbortSignal): Promise<string[]>;
}
