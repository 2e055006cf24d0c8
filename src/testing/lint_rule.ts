/** What a rule on tool definitions is: one file each in `lint/`, each with what it finds and why that matters. */
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import type { Finding } from "../../machines/model/verdict.ts";

/** What a rule finds; who and where is added by the one who runs it. */
export interface LintFinding {
  severity: Finding["severity"];
  /** Where a rule tells several things apart; default: the rule's own. */
  code?: string;
  message: string;
}

export interface LintRule {
  /** Of its findings, as in a report. */
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
