/** The command line that does the same again, to be pasted into a shell. */
import { isSecretName } from "../plugin/declared_variables.ts";
import { quoted } from "../platform/process.ts";
import type { CommandLine } from "./command.ts";

export interface AgainOptions {
  /** Options in place of those that were given; undefined leaves one out. */
  replaced?: Record<string, string | string[] | boolean | undefined>;
  /** Values that are not shown, by the name of the variable that stands for them. */
  secrets?: Readonly<Record<string, string>>;
}

/** Options that say where the first run is kept or watched, and nothing of what it does. */
const ofOneRun = ["record", "stately", "keep", "force"];

/** Options that are on unless `--no-<option>` is given. */
const onByDefault = ["cache", "learn"];

/** `pth <command> …` with all operands, options and server arguments. */
export function againLine(
  { command, operands, options, rest }: CommandLine,
  { replaced = {}, secrets = {} }: AgainOptions = {},
): string {
  const wanted = Object.entries({ ...options, ...replaced }).filter(([name]) => !ofOneRun.includes(name));
  const word = (text: string) => shellWord(text, secrets);
  return [
    "pth",
    command,
    ...operands.map(word),
    ...wanted.flatMap(([name, value]) => optionWords(name, value, word)),
    ...(rest.length === 0 ? [] : ["--", ...rest.map(word)]),
  ].join(" ");
}

function optionWords(name: string, value: unknown, word: (text: string) => string): string[] {
  const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (onByDefault.includes(name)) return value === false ? [`--no-${name}`] : [];
  if (value === undefined || value === false) return [];
  if (value === true) return [option];
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((
    each,
  ) => [option, name === "var" ? variableWord(String(each), word) : word(String(each))]);
}

/** The value of a variable whose name tells of a secret comes from the shell's variable of that name. */
function variableWord(pair: string, word: (text: string) => string): string {
  const name = pair.split("=", 1)[0]!;
  return isSecretName(name) ? `${name}="$${name}"` : word(pair);
}

/** One word of a POSIX shell that stands for the text; secrets in it stand as variables. */
function shellWord(text: string, secrets: Readonly<Record<string, string>>): string {
  const found = Object.entries(secrets).find(([, value]) => value !== "" && text.includes(value));
  if (found === undefined) return /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text);
  const [name, value] = found;
  const parts = text.split(value).map((part) => part === "" ? "" : shellWord(part, secrets));
  return parts.join(`"$${name}"`);
}
