import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";
import { pathsOf } from "../read_definitions.ts";

const parts = ["commands", "agents", "skills", "hooks", ".mcp.json"];

export default defineDefinitionRule({
  code: "misplaced",
  summary: "Parts at places where Claude Code does not look for them, so that they are never loaded.",
  async check({ files, manifest }) {
    const found: FoundDefinition[] = [];
    const say = (file: string, message: string, next: string) =>
      void found.push({ severity: "error", file, line: 1, column: 1, message, next });
    for (const part of parts) {
      if (await files.stat(`.claude-plugin/${part}`) === undefined) continue;
      say(
        `.claude-plugin/${part}`,
        `${part} is not loaded from .claude-plugin`,
        "Move it to the plugin's own folder",
      );
    }
    const named = [...pathsOf(manifest?.value.hooks), ...pathsOf(manifest?.value.skills)];
    for (const file of ["hooks.json", "hooks/hooks.yaml"]) {
      if (await files.stat(file) === undefined || named.includes(`./${file}`)) continue;
      say(file, `hooks are not loaded from ${file}`, "Name it hooks/hooks.json");
    }
    for (const name of await files.list("skills")) {
      const place = `skills/${name}`;
      if ((await files.stat(place))?.kind !== "folder") {
        if (name !== "README.md" && name.endsWith(".md") && !named.includes("./skills")) {
          say(
            place,
            "a skill is a folder with SKILL.md",
            `Move it to skills/${name.replace(/\.md$/, "")}/SKILL.md`,
          );
        }
        continue;
      }
      const inside = await files.list(place);
      const other = inside.find((each) => each !== "SKILL.md" && each.toLowerCase() === "skill.md");
      if (other !== undefined && !inside.includes("SKILL.md")) {
        say(`${place}/${other}`, `${other} is not loaded`, "Call it SKILL.md");
      }
    }
    return found;
  },
});
