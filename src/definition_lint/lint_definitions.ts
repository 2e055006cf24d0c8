/** Looks over the definitions of a plugin by all rules. */
import type { DefinitionRule, FoundDefinition } from "./definition_rule.ts";
import type { PluginFiles } from "./plugin_files.ts";
import { readDefinitions } from "./read_definitions.ts";
import { registry } from "./rules/_registry.ts";

export interface DefinitionFinding extends FoundDefinition {
  /** Code of the rule. */
  rule: string;
}

export interface DefinitionReport {
  /** Findings by file and line. */
  findings: DefinitionFinding[];
  /** Numbers of what was looked at. */
  parts: { skills: number; commands: number; agents: number; hooks: number };
}

/** @param rules Default: all */
export async function lintDefinitions(
  files: PluginFiles,
  rules: readonly DefinitionRule[] = registry,
): Promise<DefinitionReport> {
  const plugin = await readDefinitions(files);
  const findings: DefinitionFinding[] = [];
  for (const { code, check } of rules) {
    findings.push(...(await check(plugin)).map((found) => ({ rule: code, ...found })));
  }
  findings.sort((a, b) =>
    a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1
  );
  const { skills, commands, agents, hooks } = plugin;
  return {
    findings,
    parts: {
      skills: skills.length,
      commands: commands.length,
      agents: agents.length,
      hooks: hooks.hooks.length,
    },
  };
}
