/** Companion services that a plugin seems to need, as its files tell. Never started unasked. */
import type { ServiceDefinition, SetupScript } from "./environment.ts";

export interface ServiceReason {
  /** For people: "depends on ioredis". */
  what: string;
  /** Relative to the plugin's folder. */
  file: string;
  /** From 1. */
  line: number;
}

export interface ServiceProposal {
  /** For people: "Redis". */
  title: string;
  reasons: ServiceReason[];
  definition: ServiceDefinition;
  setupScripts: string[];
  /** Variables for the plugin. */
  variables: Record<string, string>;
}

export interface ServiceProposals {
  proposals: ServiceProposal[];
  /** All of them, ready for `pth_provision_environment`. */
  config: {
    fixtures: { setupScripts?: SetupScript[]; services: ServiceDefinition[] };
    targetPlugin?: { configValues: Record<string, string> };
  };
  /** Problems in files that could not be read, as `file:line:column message`. */
  problems: string[];
}
