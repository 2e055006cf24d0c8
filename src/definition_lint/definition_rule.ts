/** Defines rules on what a plugin consists of besides its tools: one file each in `rules/`. */
import type { PluginDefinitions } from "./read_definitions.ts";

/** Error: Claude Code refuses it, or leaves it out. Warning: it works, but not as it is meant. */
export type DefinitionSeverity = "error" | "warning";

/** Finding of a rule; the caller adds the rule. */
export interface FoundDefinition {
  severity: DefinitionSeverity;
  /** Path below the plugin's folder; line and column count from 1. */
  file: string;
  line: number;
  column: number;
  message: string;
  /** Way out, in one sentence. */
  next: string;
}

export interface DefinitionRule {
  /** Name of the rule, as in reports. */
  code: string;
  /** One line for the documentation: what it finds, and why that matters. */
  summary: string;
  /** Reads nothing but what was read, and asks which files there are. */
  check(plugin: PluginDefinitions): FoundDefinition[] | Promise<FoundDefinition[]>;
}

/** Identity with types: the default export of a file in `rules/`. */
export const defineDefinitionRule = (rule: DefinitionRule): DefinitionRule => rule;
