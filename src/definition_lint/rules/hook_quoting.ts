import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";

const variable = /\$\{?CLAUDE_(?:PLUGIN_ROOT|PLUGIN_DATA|PROJECT_DIR)\b\}?/g;

export default defineDefinitionRule({
  code: "hook-quoting",
  summary:
    "Folders in a hook's command without double quotes, which a space in the path breaks, or in single ones, where they stay as written.",
  check: ({ hooks }) =>
    hooks.hooks.flatMap(({ place, hook }): FoundDefinition[] => {
      if (hook.type !== "command" || hook.args !== undefined || hook.shell === "powershell") return [];
      const states = Array.from(hook.command.matchAll(variable), ({ 0: name, index }) => ({
        name,
        quote: quoteAt(hook.command, index),
      }));
      const single = states.find(({ quote }) => quote === "'");
      if (single !== undefined) {
        return [{
          severity: "error",
          ...place,
          message: `${single.name} stands in single quotes, where the shell leaves it as it is`,
          next: `Write "${single.name}…" in double quotes`,
        }];
      }
      const bare = states.find(({ quote }) => quote === undefined);
      if (bare === undefined) return [];
      return [{
        severity: "warning",
        ...place,
        message: `${bare.name} stands without quotes: a space in the path splits the command`,
        next: `Put it into double quotes, or use "command": "<program>", "args": ["${bare.name}/…"]`,
      }];
    }),
});

/** The quote that is open at a place of a shell's line. */
function quoteAt(line: string, end: number): "'" | '"' | undefined {
  let open: "'" | '"' | undefined;
  for (let at = 0; at < end; at++) {
    const letter = line[at];
    if (letter === "\\" && open !== "'") at++;
    else if (letter === open) open = undefined;
    else if (open === undefined && (letter === "'" || letter === '"')) open = letter;
  }
  return open;
}
