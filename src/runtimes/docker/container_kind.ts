/** What tells runtimes on a container engine apart; the rest is the same code. */
import type { RuntimeAbilities, Tier } from "../../../machines/model/environment.ts";
import type { ImageKind } from "../images/catalogue.ts";
import type { Inside } from "./exec.ts";

export interface ContainerKind {
  /** Name of the runtime. */
  runtime: string;
  tier: Tier;
  image: ImageKind;
  abilities: RuntimeAbilities;
  /** Its first process is systemd, with all privileges that the engine grants. */
  systemd: boolean;
  /**
   * Waits until a container that was just started can be used; answers what whoever uses it has to know.
   * @throws {PthError} `PROVISION_FAILED`
   */
  ready(place: Inside, signal?: AbortSignal): Promise<string[]>;
}
