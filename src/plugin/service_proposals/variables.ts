/** Variables by which a plugin is told where a service is: in its code, its MCP configuration, its `.env.example`. */
import { readCode, scannedLanguage } from "../code_text.ts";
import type { ServiceKind } from "../service_kind.ts";

export interface FoundVariable {
  name: string;
  /** As the file gives it, if it does. */
  value: string | undefined;
  file: string;
  line: number;
}

/** Files beside the code that name variables. */
export const variableFiles = [
  ".env.example",
  ".env.sample",
  ".env.template",
  ".mcp.json",
  ".claude-plugin/plugin.json",
];

const named = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b/g;
const assigned = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*["']?([^"'#\n]*)/;
const member = /"([A-Z][A-Z0-9_]*)"\s*:\s*"([^"]*)"/g;

/** Every one that looks like a variable, whatever it is for. */
export function findVariables(file: string, text: string): FoundVariable[] {
  const language = scannedLanguage(file);
  if (language === undefined) {
    return text.split("\n").flatMap((content, index) => inLine(file, content, index + 1));
  }
  const { code, literals, lineOf } = readCode(text, language);
  return [
    // Of code, what is a whole name: process.env.REDIS_URL.
    ...[...code.matchAll(named)].map(({ 0: name, index }) => ({
      name,
      value: undefined,
      file,
      line: lineOf(index),
    })),
    // Of strings, what is nothing else: os.environ["REDIS_URL"].
    ...literals.filter(({ text }) => /^[A-Z][A-Z0-9_]*$/.test(text))
      .map(({ text: name, start }) => ({ name, value: undefined, file, line: lineOf(start) })),
  ];
}

function inLine(file: string, content: string, line: number): FoundVariable[] {
  const [, name, value] = assigned.exec(content) ?? [];
  if (name !== undefined) return [{ name, value: value!.trim(), file, line }];
  return [...content.matchAll(member)].map(([, key, text]) => ({ name: key!, value: text!, file, line }));
}

/** Whether a variable is this kind's: by its name, or where that is shared by its value. */
export function belongsTo({ name, value }: FoundVariable, kind: ServiceKind): boolean {
  if (kind.variables.test(name)) return true;
  const scheme = /([a-z][a-z0-9]*)(?:\+[a-z0-9]+)?:\/\//.exec(value ?? "")?.[1];
  return scheme !== undefined && kind.schemes.includes(scheme);
}
