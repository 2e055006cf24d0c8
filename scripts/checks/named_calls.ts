/** Calls of PTH's own tools that texts name can be made as they are written: the tool, its arguments, plain values. */
import { defineCheck } from "./check.ts";
import { placeOf } from "./imports.ts";

/** What `src/server/tool_list.json` says of an argument. */
interface Argument {
  type?: string | string[];
  enum?: unknown[];
}

interface Tool {
  name: string;
  inputSchema: { properties?: Record<string, Argument>; required?: string[] };
}

const toolList = "src/server/tool_list.json";
const looked = /^(?:src|machines|docs|agents|commands|skills)\/.*\.(?:ts|md)$|^README\.md$/;
const begin = /\b(pth_[a-z]+(?:_[a-z]+)*)\(\{/g;
/** Texts in several parts are one text; as long as it was, for places. */
const joint = /["'`]\s*\+\s*["'`]/g;

export default defineCheck({
  name: "calls that texts name can be made",
  async run(tree) {
    const list = JSON.parse(await tree.read(toolList)) as { tool: Tool }[];
    const tools = new Map(list.map(({ tool }) => [tool.name, tool]));
    const problems: string[] = [];
    for (const path of tree.paths.filter((path) => looked.test(path))) {
      const text = (await tree.read(path)).replace(joint, (signs) => signs.replace(/[^\n]/g, " "));
      for (const found of text.matchAll(begin)) {
        const given = argumentsFrom(text, found.index + found[0].length);
        const wrong = whyNot(tools.get(found[1]!), given);
        if (wrong !== undefined) problems.push(`${placeOf(path, text, found.index)}: ${found[1]}: ${wrong}`);
      }
    }
    return problems;
  },
});

/** The parts of an object between braces, split at its own commas; undefined where it does not end. */
function argumentsFrom(text: string, start: number): string[] | undefined {
  const parts = [""];
  let depth = 0;
  let quoted = false;
  for (const sign of text.slice(start, start + 1000)) {
    if (sign === '"') quoted = !quoted;
    if (!quoted && "{[(".includes(sign)) depth++;
    if (!quoted && "}])".includes(sign) && depth-- === 0) {
      return parts.map((part) => part.trim()).filter((part) => part !== "");
    }
    if (sign === "," && depth === 0 && !quoted) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  return undefined;
}

function whyNot(tool: Tool | undefined, given: string[] | undefined): string | undefined {
  if (tool === undefined) return "there is no such tool";
  if (given === undefined) return "its arguments do not end";
  const { properties = {}, required = [] } = tool.inputSchema;
  // An ellipsis, and what is filled in, stand for any argument.
  const pairs = given.filter((part) => !/^(?:…|\.\.\.|\$)/.test(part))
    .map((part) => part.replace(/\?$/, "").split(/:\s*(.*)/s));
  const unknown = pairs.find(([key]) => !(key! in properties));
  if (unknown) return `there is no argument ${unknown[0]}`;
  const missing = required.find((name) => !pairs.some(([key]) => key === name));
  if (missing !== undefined && pairs.length === given.length) return `${missing} is missing`;
  const unfit = pairs.find(([key, value]) => !fits(value, properties[key!]!));
  return unfit && `${unfit[0]} cannot be ${unfit[1]}`;
}

/** Whether a plain value is of the argument's type; whatever is filled in may be. */
function fits(value: string | undefined, { type, enum: choices }: Argument): boolean {
  const types: unknown[] = [type].flat();
  if (value === undefined || type === undefined || value.includes("$")) return true;
  if (/^(?:true|false)$/.test(value)) return types.includes("boolean");
  if (/^\d+$/.test(value)) return types.includes("number") || types.includes("integer");
  const text = /^\\?"(.*?)\\?"$/.exec(value)?.[1];
  if (text === undefined) return true;
  return types.includes("string") && (choices === undefined || choices.includes(text));
}
