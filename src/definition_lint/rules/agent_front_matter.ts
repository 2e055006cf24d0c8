import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";
import { descriptionFindings, frontFindings, type KeyForm } from "../front_findings.ts";

const keys: Record<string, KeyForm> = {
  name: "text",
  description: "text",
  tools: "texts",
  disallowedTools: "texts",
  model: "text",
  color: "text",
  skills: "texts",
  permissionMode: "text",
  maxTurns: "number",
  mcpServers: "any",
  hooks: "any",
  memory: "any",
  background: "flag",
  isolation: "text",
  effort: "any",
  initialPrompt: "text",
  observer: "any",
  autoCompactWindow: "any",
  version: "any",
  metadata: "any",
};

/** Keys that Claude Code ignores in agents that come with a plugin. */
const notOfPlugins = ["hooks", "mcpServers", "permissionMode"];

export default defineDefinitionRule({
  code: "agent-front-matter",
  summary:
    "Agents that do not load, that nobody knows when to use, or with keys that count for nothing in a plugin.",
  check({ agents }) {
    const names = new Map<string, string>();
    return agents.flatMap((agent) => {
      const { front, place, file } = agent;
      const found: FoundDefinition[] = [...frontFindings(agent, "agent", keys)];
      if (front === undefined) return found;
      const say = (severity: FoundDefinition["severity"], key: string, message: string, next: string) =>
        void found.push({ severity, ...place(key), message, next });
      if (typeof front.name !== "string" || front.name === "") {
        say(
          "error",
          "name",
          "the agent has no name: Claude Code does not load it",
          "Add name: to the front matter",
        );
      } else if (!/^[A-Za-z0-9][\w-]*$/.test(front.name)) {
        say("warning", "name", `"${front.name}" is no name of an agent`, "Write letters, digits and -");
      } else {
        const other = names.get(front.name);
        if (other !== undefined) {
          say("error", "name", `another agent is called "${front.name}": ${other}`, "Rename one");
        }
        names.set(front.name, file);
      }
      found.push(...descriptionFindings(agent, "agent"));
      for (const key of notOfPlugins.filter((each) => each in front)) {
        say(
          "warning",
          key,
          `${key} counts for nothing in an agent of a plugin`,
          "Remove it, or give it to the plugin",
        );
      }
      return found;
    });
  },
});
