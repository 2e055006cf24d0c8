/** What a line of source belongs to: the function, the tool or the case around it, by indentation. */
import { symptomDefinition } from "./find_handler.ts";

const labels: readonly RegExp[] = [
  symptomDefinition,
  /\.(?:registerTool|tool|addTool|add_tool)\(\s*(?:\{\s*name:\s*)?["'`]([^"'`]+)["'`]/,
  /\bcase\s+["'`]([^"'`]+)["'`]\s*(?::|=>)/,
  /\bname\w*\b.*(?:===?|==)\s*["'`]([^"'`]+)["'`]/i,
  /^\s*(?:(?:async|static|public|private|protected|override|get|set)\s+)*(?!(?:if|for|while|switch|catch|return|function|with)\b)#?(\w+)\s*\([^)]*\)\s*(?::[^{=]+)?\{\s*$/,
  /^\s*["']?([\w-]+)["']?\s*:\s*(?:async\b|\(|function\b|lambda\b|\w+\s*=>)/,
  /^\s*(?:export\s+)?(?:abstract\s+)?(?:class|impl|struct|trait|interface)\s+(\w+)/,
  /^\s*["']?([\w-]+)["']?\s*:\s*\{\s*$/,
];

/** Name of the innermost such thing around a line (counted from 1), or undefined at the top of a file. */
export function enclosingName(lines: readonly string[], line: number): string | undefined {
  let depth = Infinity;
  for (let at = line - 1; at >= 0 && depth > 0; at--) {
    const text = lines[at]!;
    const indent = text.length - text.trimStart().length;
    if (text.trim() === "" || indent >= depth) continue;
    depth = indent;
    // `registerTool(` may have the name on the next line.
    const whole = /\(\s*$/.test(text) ? `${text.trimEnd()}${lines[at + 1]?.trim() ?? ""}` : text;
    const name = labels.map((label) => label.exec(whole)?.[1]).find((found) => found !== undefined);
    if (name !== undefined && !generic.has(name)) return name;
  }
  return undefined;
}

/** Keys that every tool of a table has. */
const generic: ReadonlySet<string> = new Set(["call", "handler", "execute", "run", "callback", "cb", "fn"]);
