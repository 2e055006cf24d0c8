import { posix } from "node:path";
import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";

/** Keys of plugin.json that name files and folders. */
const keys = [
  "commands",
  "agents",
  "skills",
  "hooks",
  "mcpServers",
  "lspServers",
  "outputStyles",
  "themes",
  "workflows",
];

export default defineDefinitionRule({
  code: "manifest-path",
  summary: "Paths in `plugin.json` that lead nowhere, or out of the plugin, where nothing is installed.",
  async check({ manifest, files }) {
    if (manifest === undefined) return [];
    const { value, document, file } = manifest;
    const found: FoundDefinition[] = [];
    for (const key of keys) {
      const given = value[key];
      for (const [index, each] of (Array.isArray(given) ? given : [given]).entries()) {
        if (typeof each !== "string") continue;
        const say = (message: string, next: string) =>
          void found.push({
            severity: "error",
            file,
            ...document.place(Array.isArray(given) ? [key, index] : [key]),
            message: `${key}: ${message}`,
            next,
          });
        const path = posix.normalize(each);
        if (posix.isAbsolute(each) || path === ".." || path.startsWith("../")) {
          say(
            `${each} leads out of the plugin, which alone is installed`,
            "Move it into the plugin's folder",
          );
        } else if (!each.startsWith("./")) {
          say(`${each} does not begin with ./`, `Write ./${path}`);
        } else if (await files.stat(path) === undefined) {
          say(`there is no ${each}`, "Correct the path, or add the file");
        } else if (key === "agents" && !each.endsWith(".md")) {
          say(`${each} is no file of an agent`, "Name each file, such as ./agents/helper.md");
        }
      }
    }
    return found;
  },
});
