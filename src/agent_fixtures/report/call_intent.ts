/** Purposes of the entries of a timeline, inferred from what is called and what is said. */
import { oneLine } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";

const longest = 120;

/** `mcp__shop__find`, `mcp__plugin_garden_shop__find` */
const serverTool = /^mcp__(.+?)__(.+)$/;

/** Purpose of a prompt: a command, or a request. */
export function promptIntent(prompt: string): string {
  const [, command] = /^\/([\w:.-]+)/.exec(prompt.trim()) ?? [];
  return command === undefined ? "Ask the agent" : `Run the command /${command}`;
}

/** Purpose of a text, by what came with it. */
export function responseIntent(
  { calls, error, final }: { calls: number; error: boolean; final: boolean },
): string {
  if (error) return "Answer with an error";
  if (final) return "Give the final answer";
  return calls > 0 ? "Announce the next step" : "Say something in between";
}

/** Purpose of a call, from the words of its input. */
export function callIntent(tool: string, given: unknown): string {
  const input = isObject(given) ? given : {};
  const value = (...keys: string[]): string | undefined => {
    const found = keys.map((key) => input[key]).find((each) =>
      typeof each === "string" && each.trim() !== ""
    );
    return found === undefined ? undefined : oneLine(String(found), longest);
  };
  const path = value("file_path", "path", "filePath", "notebook_path", "absolute_path");
  switch (tool.toLowerCase()) {
    case "bash":
    case "shell":
    case "exec_command":
    case "run_shell_command":
      return value("description") ?? named("Run", value("command", "cmd"), "a shell command");
    case "read":
    case "read_file":
      return named("Read", path, "a file");
    case "write":
    case "write_file":
      return named("Write", path, "a file");
    case "edit":
    case "multiedit":
    case "replace":
    case "notebookedit":
      return named("Edit", path, "a file");
    case "glob":
      return named("Look for files", value("pattern"));
    case "grep":
    case "search_file_content":
      return named("Search texts for", value("pattern", "query"), "a pattern");
    case "webfetch":
    case "web_fetch":
      return named("Fetch", value("url"), "a page");
    case "websearch":
      return named("Search the web for", value("query"), "something");
    case "skill":
      return named("Use the skill", value("skill", "command", "name"));
    case "task":
    case "agent":
      return [
        named("Delegate to the subagent", value("subagent_type")),
        ...[value("description")].filter((text) => text !== undefined),
      ].join(": ");
    case "todowrite":
      return "Update the list of steps";
  }
  const [, server, name] = serverTool.exec(tool) ?? [];
  return server === undefined ? `Call ${oneLine(tool, longest)}` : `Call ${name} of the server ${server}`;
}

const named = (verb: string, value: string | undefined, otherwise = ""): string =>
  `${verb} ${value ?? otherwise}`.trim();
