/** Finds the strings of a program that are commands which it runs. */
import type { CodeText, SourceLiteral } from "./code_text.ts";

/** Characters before and after a string that are inspected. */
const nearby = 160;

/** `run("…`, `exec.CommandContext(ctx, "…`, `spawn(["…`: the name of what is called. */
const call = /([\w$.:!?]+)\s*\(\s*(?:[\w.]+(?:\(\))?,\s*)?(?:&?\[|vec!\[)?\s*[fr]{0,2}$/;
const tag = /(?:^|[^\w$.])(\$|execa|sh)\s*(?:\([^()]*\))?\s*$/;
/** `const cmd = "…`, `cmd := []string{"…`; a key `command: "…"` is more often a configuration for other programs. */
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

/** Whether a function of this name runs a command, judged by the words in it. */
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

/** Rest of the statement as words: `"ip", ["link", "add", name]` reads `ip link add name`. */
function argumentsAfter({ end }: SourceLiteral, { raw, code }: CodeText): string {
  const stop = code.slice(end, end + nearby).search(/;|\n\s*\n|=>|\{/);
  const after = raw.slice(end, stop < 0 ? end + nearby : end + stop);
  return after.replaceAll(/\.args?\b|[^\w\s./=:@%-]/g, " ");
}

/** The commands of a shell text: what stands where a command is expected, not what is only mentioned. */

/** Words that stand before a command and leave it one: `sudo -n`, `env A=b`, `then`, `sh -c` … */
const before = new RegExp(
  "^(?:" + [
    String.raw`[A-Za-z_]\w*=\S*`,
    String.raw`(?:sudo|doas|pkexec)(?:\s+-[ugCpDhRTr]\s+\S+|\s+-[\w-]+(?:=\S+)?)*`,
    String.raw`env(?:\s+-\S+)*`,
    String.raw`timeout(?:\s+-\S+)*\s+\S+`,
    String.raw`(?:nohup|exec|time|nice|setsid|then|do|else|if|elif|while|until|!|\{|\()`,
    String.raw`(?:\S*\/)?(?:ba|da|z)?sh\s+-\w*c`,
  ].join("|") + ")(?:\\s+|$)",
);

/** Each as its words with one blank between, without what stands before it and without the path of its program. */
export function shellCommands(text: string): string[] {
  return parts(text).map(plain).filter((command) => command !== "");
}

/** A command without `sudo` and the like. */
function plain(part: string): string {
  let rest = part.trim();
  for (let found = before.exec(rest); found; found = before.exec(rest)) {
    rest = rest.slice(found[0].length).replace(/^["']/, "");
  }
  return rest.replaceAll(/["']/g, "").replaceAll(/\s+/g, " ").replace(/^(?:\/[\w.-]+)+\/(?=[\w.-])/, "");
}

/** Splits where the shell would end a command, quotes left alone; what `$(…)` runs counts, too. */
function parts(text: string): string[] {
  const found: string[] = [""];
  const token = /\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|&&|\|\|?|;|\n|[^]/g;
  for (const [piece] of text.matchAll(token)) {
    if (/^(?:&&|\|\|?|;|\n)$/.test(piece)) found.push("");
    else found[found.length - 1] += piece;
  }
  const inner = [...text.matchAll(/\$\(([^()]*)\)/g)].flatMap(([, command]) => parts(command!));
  return [...found, ...inner];
}

/** A line of a script that runs something. */
interface ScriptLine {
  /** From 1. */
  line: number;
  text: string;
}

/** Lines of a script, joined where they go on, without comments and without texts that are handed to commands (`<<EOF`). */
export function scriptLines(script: string): ScriptLine[] {
  const kept: ScriptLine[] = [];
  let end: string | undefined;
  let goesOn = false;
  for (const [index, text] of script.split("\n").entries()) {
    if (end !== undefined) {
      if (text.trim() === end) end = undefined;
      continue;
    }
    end = /<<-?\s*["']?(\w+)["']?/.exec(text)?.[1];
    const code = text.replace(/(?:^|\s)#.*$/, "");
    if (goesOn) kept.at(-1)!.text += ` ${code.replace(/\\$/, "")}`;
    else if (code.trim() !== "") kept.push({ line: index + 1, text: code.replace(/\\$/, "") });
    goesOn = code.endsWith("\\");
  }
  return kept;
}
