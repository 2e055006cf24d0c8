import { manifestFile } from "../../hooks/read_hooks.ts";
import { defineDefinitionRule } from "../definition_rule.ts";

export default defineDefinitionRule({
  code: "hook-definition",
  summary:
    "Hooks that Claude Code does not load: unknown events and types, wrong values. A broken guard takes those in its file with it.",
  check({ hooks, problems }) {
    const known = new Set(problems.map(({ file, line, column }) => `${file}:${line}:${column}`));
    // Paths that the manifest names are those of a rule of their own.
    const own = hooks.problems.filter(({ file, message }) =>
      file !== manifestFile || !message.startsWith("hooks: ")
    );
    return own.filter(({ file, line, column }) => !known.has(`${file}:${line}:${column}`)).map((
      problem,
    ) => ({
      severity: "error",
      ...problem,
      next: hooks.refused
        ? "Correct the place named: until then Claude Code loads none of the plugin's hooks"
        : "Correct the place named: the hook is not loaded",
    }));
  },
});
