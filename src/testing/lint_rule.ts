/** Defines rules on tool definitions: one file each in `lint/`, with what it finds and why that matters. */
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import type { Finding } from "../../machines/model/verdict.ts";

/** Finding of a rule; the caller adds the tool and the place. */
export interface LintFinding {
  severity: Finding["severity"];
  /** Code of the finding, if a rule has several; default: the rule's own. */
  code?: string;
  message: string;
}

export interface LintRule {
  /** Code of its findings, as in a report. */
  code: string;
  /** One line for the documentation. */
  summary: string;
  /** Further codes of its findings, each with a line for the documentation. */
  codes?: Record<string, string>;
  /** Never throws: definitions come from strangers. `others` are all tools of the server but this one. */
  check(tool: ToolDefinition, others: readonly ToolDefinition[]): LintFinding[];
}

/** Identity with types: the default export of a file in `lint/`. */
export const defineLintRule = (rule: LintRule): LintRule => rule;
