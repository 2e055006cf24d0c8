import { posix } from "node:path";
import * as z from "zod";
import { isObject, jsonIn } from "../../core/values.ts";
import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";
import { schemaFindings } from "../schema_findings.ts";

const text = z.string();
const name = text.regex(
  /^[A-Za-z0-9][\w.-]*$/,
  "expected a name of letters, digits, -, _ and ., without spaces",
);

/** marketplace.json; further keys of an entry are those of plugin.json. */
const marketplaceSchema = z.object({
  name,
  owner: z.object({ name: text }),
  plugins: z.array(z.object({
    name,
    source: z.union([text, z.object({ source: text })], {
      error: "expected a path that begins with ./, or a source",
    }),
  })),
});

export default defineDefinitionRule({
  code: "marketplace",
  summary:
    "`marketplace.json` that Claude Code refuses, names given twice, and plugins that are not where it says.",
  async check({ marketplace, files }) {
    if (marketplace === undefined) return [];
    const { value, document, file } = marketplace;
    const found = schemaFindings(
      marketplace,
      marketplaceSchema,
      "Correct it: Claude Code does not load the marketplace",
    );
    const names = new Set<unknown>();
    for (const [index, entry] of (Array.isArray(value.plugins) ? value.plugins : []).entries()) {
      if (!isObject(entry)) continue;
      const say = (
        key: string,
        message: string,
        next: string,
        severity: FoundDefinition["severity"] = "error",
      ) => void found.push({ severity, file, ...document.place(["plugins", index, key]), message, next });
      if (entry.name !== undefined && names.has(entry.name)) {
        say("name", `another plugin is called "${entry.name}"`, "Give each a name of its own");
      }
      names.add(entry.name);
      const { source } = entry;
      if (typeof source !== "string") continue;
      const path = posix.normalize(source);
      if (path === ".." || path.startsWith("../")) {
        say(
          "source",
          `${source} leads out of the marketplace`,
          "Paths begin at the folder that holds .claude-plugin",
        );
      } else if (!source.startsWith("./")) {
        if (!isObject(value.metadata) || value.metadata.pluginRoot === undefined) {
          say("source", `${source} does not begin with ./`, `Write ./${path}`);
        }
      } else if ((await files.stat(path))?.kind !== "folder") {
        say("source", `there is no folder ${source}`, "Correct the path, or add the plugin");
      } else {
        const own = versionIn(await files.read(posix.join(path, ".claude-plugin/plugin.json")));
        if (typeof entry.version !== "string" || own === undefined || own === entry.version) continue;
        say(
          "version",
          `the version is ${entry.version} here and ${own} in plugin.json, which counts`,
          "Remove it here, or make both the same",
          "warning",
        );
      }
    }
    return found;
  },
});

function versionIn(manifest = ""): string | undefined {
  const value = jsonIn(manifest);
  return isObject(value) && typeof value.version === "string" ? value.version : undefined;
}
