import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";

/** A path below the plugin's folder, as commands and arguments write it. */
const path = /\$\{?CLAUDE_PLUGIN_ROOT\}?["']?\/([\w./@-]*\w)/g;
/** The path is the program itself. */
const asProgram = /^\s*(?:exec\s+)?["']?\$\{?CLAUDE_PLUGIN_ROOT\}?["']?\/([\w./@-]*\w)/;
const wrongName =
  /\$\{?(CLAUDE_PLUGIN(?!_ROOT\b|_DATA\b|_OPTION_)\w*|PLUGIN_ROOT|CLAUDE_ROOT|CLAUDE_PROJECT_ROOT)\b\}?/;

export default defineDefinitionRule({
  code: "hook-script",
  summary:
    "Scripts of hooks that are not in the plugin, lack their run bit or their first line, and variables that there are not.",
  async check({ hooks, files }) {
    const found: FoundDefinition[] = [];
    for (const { place, hook } of hooks.hooks) {
      if (hook.type !== "command") continue;
      const say = (message: string, next: string) =>
        void found.push({ severity: "error", ...place, message, next });
      const words = [hook.command, ...hook.args ?? []];
      const missing = new Set<string>();
      for (const word of words) {
        for (const [, file = ""] of word.matchAll(path)) {
          if (await files.stat(file) !== undefined) continue;
          missing.add(file);
          say(`there is no ${file} in the plugin`, "Correct the path, or add the script");
        }
        const wrong = wrongName.exec(word)?.[1];
        if (wrong !== undefined) {
          say(
            `there is no variable ${wrong}`,
            "Folders are CLAUDE_PLUGIN_ROOT, CLAUDE_PLUGIN_DATA and CLAUDE_PROJECT_DIR",
          );
        }
      }
      if (hook.args === undefined && /\$\{user_config\./.test(hook.command)) {
        say(
          "Claude Code refuses ${user_config.…} in a line for a shell",
          "Use args, or $CLAUDE_PLUGIN_OPTION_<NAME>",
        );
      }
      const program = asProgram.exec(hook.command)?.[1];
      if (program === undefined || missing.has(program)) continue;
      const info = await files.stat(program);
      if (info?.kind === "folder") say(`${program} is a folder`, "Name the script in it");
      else if (info?.isExecutable === false) {
        say(`${program} lacks its run bit`, `chmod +x ${program}, or start it by its interpreter`);
      } else if (
        /\.(?:sh|bash|py|js|mjs|rb|pl)$/.test(program) && !(await files.read(program))?.startsWith("#!")
      ) {
        say(`${program} does not say what runs it`, "Begin it with #!, or start it by its interpreter");
      }
    }
    return found;
  },
});
