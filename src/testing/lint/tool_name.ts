import { defineLintRule } from "../lint_rule.ts";

/** MCP 2025-11-25, server/tools, "Tool names". */
const byMcp = /^[A-Za-z0-9_.-]{1,128}$/;
const byModels = /^[A-Za-z0-9_-]+$/;
/** OpenAI's API takes no longer ones; hosts put `mcp__<server>__` before the name. */
const longest = 64;
const prefixed = 40;

export default defineLintRule({
  code: "tool-name",
  summary:
    "Names that hosts or the APIs of models refuse: other characters than letters, digits, _ and -, over 64 of them.",
  check({ name }) {
    if (!byMcp.test(name)) {
      const message = `${
        JSON.stringify(name)
      } is no name for a tool: MCP has 1 to 128 letters, digits, _, - and .`;
      return [{ severity: "error", message }];
    }
    if (!byModels.test(name)) {
      const message =
        `${name} holds a dot: MCP allows it, Anthropic's and OpenAI's APIs take letters, digits, _ and - only`;
      return [{ severity: "warning", message }];
    }
    if (name.length > longest) {
      const message = `${name} has ${name.length} characters: OpenAI's API refuses names of over ${longest}`;
      return [{ severity: "warning", message }];
    }
    if (name.length <= prefixed) return [];
    const message =
      `${name} has ${name.length} characters: with the name of its server before it, as hosts write it, ` +
      `little is left to the ${longest} that OpenAI's API takes`;
    return [{ severity: "info", message }];
  },
});
