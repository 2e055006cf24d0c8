import { isObject } from "../../core/values.ts";
import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";
import type { JsonFile } from "../read_definitions.ts";

export default defineDefinitionRule({
  code: "server-definition",
  summary: "Servers that Claude Code drops: neither a command nor a URL, values of a wrong type.",
  check({ servers, manifest }) {
    const found: FoundDefinition[] = [];
    if (servers !== undefined) look(servers, isObject(servers.value.mcpServers) ? ["mcpServers"] : [], found);
    if (manifest !== undefined && isObject(manifest.value.mcpServers)) look(manifest, ["mcpServers"], found);
    return found;
  },
});

function look({ file, value, document }: JsonFile, at: string[], found: FoundDefinition[]): void {
  const servers = at.length === 0 ? value : value[at[0]!] as Record<string, unknown>;
  for (const [name, server] of Object.entries(servers)) {
    const say = (key: string | undefined, message: string, next: string) =>
      void found.push({
        severity: "error",
        file,
        ...document.place([...at, name, ...(key === undefined ? [] : [key])]),
        message: `server ${name}: ${message}`,
        next,
      });
    if (!isObject(server)) {
      say(
        undefined,
        "expected an object",
        'Write { "command": …, "args": […] } or { "type": "http", "url": … }',
      );
      continue;
    }
    const { command, url, args, env } = server;
    if (command === undefined && url === undefined) {
      say(
        undefined,
        "it has neither command nor url: Claude Code drops it",
        "Say how it is started, or where it is",
      );
    }
    if (command !== undefined && typeof command !== "string") {
      say("command", "command: expected a text", "Name the program");
    }
    if (url !== undefined && typeof url !== "string") say("url", "url: expected a text", "Give its address");
    if (args !== undefined && (!Array.isArray(args) || args.some((each) => typeof each !== "string"))) {
      say("args", "args: expected a list of texts", "Write each argument as a text");
    }
    if (
      env !== undefined && (!isObject(env) || Object.values(env).some((each) => typeof each !== "string"))
    ) {
      say("env", "env: expected texts by their names", "Write each value as a text");
    }
  }
}
