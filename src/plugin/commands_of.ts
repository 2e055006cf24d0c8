/** Which strings of a program are commands that it runs, and which are only text. */
import type { CodeText, SourceLiteral } from "./code_text.ts";
import { shellCommands } from "./script_lines.ts";

/** How much of the code before and after a string is looked at. */
const nearby = 160;

/** `run("…`, `exec.CommandContext(ctx, "…`, `spawn(["…`: the name of what is called. */
const call = /([\w$.:!?]+)\s*\(\s*(?:[\w.]+(?:\(\))?,\s*)?(?:&?\[|vec!\[)?\s*[fr]{0,2}$/;
const tag = /(?:^|[^\w$.])(\$|execa|sh)\s*(?:\([^()]*\))?\s*$/;
/** `const cmd = "…`, `cmd := []string{"…`; a key `command: "…"` more often tells others how to start something. */
const assigned =
  /([\w$]+)\s*(?::\s*[\w<>[\]| ]{1,30})?\s*(?::=|=)\s*(?:&?\[|vec!\[|\[\]string\{)?\s*[fr]{0,2}$/;

/** A list of what must not run is no list of what runs. */
export const isRefusal = (name: string): boolean =>
  /block|den(?:y|ied)|allow|forbid|danger|safe|restrict|black|white|known|valid/i.test(name);

const spawning = new Set(
  "exec execa execute spawn run popen sudo shell sh bash cmd command subprocess".split(" "),
);
const asking = new Set(
  "tool test query sql prompt register hook script exists has is get parse add find which validate".split(
    " ",
  ),
);
const exactly = /^(?:check_output|check_call|getoutput|getstatusoutput|exec[lv]p?e?|system|\$)$/;

/** Whether what is called by this name runs a command, as far as names tell. */
function runsCommands(callee: string): boolean {
  if (/(?:^|[.:])Command(?:Context|::new)?$/.test(callee) || /subprocess\.call$/.test(callee)) return true;
  if (/(?:re|regex|regexp|pattern)\.exec$/i.test(callee)) return false;
  const name = callee.split(/\?\.|\.|::/).at(-1)!;
  if (exactly.test(name)) return true;
  if (name === "command") return false;
  const words = name.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
  return words.some((word) => spawning.has(word)) && !words.some((word) => asking.has(word));
}

/** The commands that a string starts, each as its words with one blank between; none for a string that is text. */
export function commandsOf(literal: SourceLiteral, source: CodeText): string[] {
  if (!/^[\s\w$./({!-]/.test(literal.text)) return [];
  const before = source.code.slice(Math.max(0, literal.start - nearby), literal.start);
  return isCommand(before, source.raw[literal.start] === "`")
    ? shellCommands(`${literal.text} ${argumentsAfter(literal, source)}`)
    : [];
}

function isCommand(before: string, template: boolean): boolean {
  const callee = call.exec(before)?.[1];
  if (callee !== undefined) return runsCommands(callee);
  if (template && tag.test(before)) return true;
  const name = assigned.exec(before)?.[1];
  return name !== undefined && /(?:cmd|command|argv)$/i.test(name) && !isRefusal(name);
}

/** What follows in the same statement, as words: `"ip", ["link", "add", name]` reads `ip link add name`. */
function argumentsAfter({ end }: SourceLiteral, { raw, code }: CodeText): string {
  const stop = code.slice(end, end + nearby).search(/;|\n\s*\n|=>|\{/);
  const after = raw.slice(end, stop < 0 ? end + nearby : end + stop);
  return after.replaceAll(/\.args?\b|[^\w\s./=:@%-]/g, " ");
}
