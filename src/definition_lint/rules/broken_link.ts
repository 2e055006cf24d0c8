import { posix } from "node:path";
import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";

/** `[text](target)`, without a title. */
const link = /\[[^\]\n]*\]\(<?([^)\s>]+)>?[^)]*\)/g;
const ofPlugin = /\$\{CLAUDE_PLUGIN_ROOT\}\/([\w./@-]*\w)/g;
/** Links of one file that are looked at. */
const mostLinks = 1000;

export default defineDefinitionRule({
  code: "broken-link",
  summary:
    "Links in skills, commands and agents, and paths below `${CLAUDE_PLUGIN_ROOT}`, to files that are not in the plugin.",
  async check({ skills, commands, agents, files }) {
    const found: FoundDefinition[] = [];
    for (const { file, lines } of [...skills, ...commands, ...agents]) {
      let isCode = false;
      let looked = 0;
      for (const { text, number } of lines) {
        if (/^\s*(?:```|~~~)/.test(text)) isCode = !isCode;
        const say = (column: number, message: string, next: string) =>
          void found.push({ severity: "error", file, line: number, column: column + 1, message, next });
        const targets = isCode ? [] : [...text.matchAll(link)];
        for (const { index, 1: target = "" } of targets) {
          if (++looked > mostLinks || /^[a-z][\w+.-]*:|^#|^\/|[$*{]/i.test(target)) continue;
          const path = posix.normalize(
            posix.join(posix.dirname(file), decoded(target.replace(/[#?].*$/, ""))),
          );
          if (path.startsWith("../")) {
            say(index, `the link leads out of the plugin: ${target}`, "Move the file into the plugin");
          } else if (await files.stat(path) === undefined) {
            say(index, `there is no ${target}`, "Correct the link, or add the file");
          }
        }
        for (const { index, 1: path = "" } of text.matchAll(ofPlugin)) {
          if (++looked > mostLinks || await files.stat(path) !== undefined) continue;
          say(index, `there is no ${path} in the plugin`, "Correct the path, or add the file");
        }
      }
    }
    return found;
  },
});

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target; // as it is written
  }
}
