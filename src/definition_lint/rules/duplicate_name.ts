import { posix } from "node:path";
import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";

export default defineDefinitionRule({
  code: "duplicate-name",
  summary: "A command and a skill, or two of a kind, of one name: only one of them is called by it.",
  check({ commands, skills }) {
    const known = new Map<string, string>();
    return [...skills, ...commands].flatMap(({ file, name, place }): FoundDefinition[] => {
      // Commands in folders have these in their names.
      const below = /^commands\/(.+)\/[^/]+$/.exec(file)?.[1];
      const called = below === undefined ? name : posix.join(below, name);
      const other = known.get(called);
      known.set(called, file);
      if (other === undefined) return [];
      const message = `"${called}" is the name of ${other}, too`;
      return [{ severity: "warning", ...place(), message, next: "Rename one of them" }];
    });
  },
});
