/** Secrets for the server: from a file, from the environment, or asked for. They are never printed. */
import { readTextIfExists } from "../../platform/files.ts";
import { PthError } from "../../errors.ts";
import type { CommandContext } from "../command.ts";
import type { Problems } from "./problems.ts";
import { isVariableName } from "./values.ts";

/** `NAME=value` lines; `#` comments, `export`, and quotes around a value are understood. A problem names the line, never the value. */
export async function readSecretsFile(path: string, problems: Problems): Promise<Record<string, string>> {
  const content = await readTextIfExists(path).catch((error: Error) => error);
  if (content === undefined) problems.add(`--secrets-file ${path}: there is no such file`);
  if (content instanceof Error) problems.add(`--secrets-file ${path}: ${content.message}`);
  return typeof content === "string" ? parseSecrets(path, content, problems) : {};
}

function parseSecrets(path: string, content: string, problems: Problems): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const [index, line] of content.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined) problems.add(`${path}:${index + 1}:1 expected NAME=value`);
    else secrets[name] = unquoted(value!);
  }
  return secrets;
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;

/** Names that must be asked for; a name that cannot be had is a problem. */
export function missingSecrets(
  names: readonly string[],
  known: Record<string, string>,
  context: Pick<CommandContext, "env" | "askHidden">,
  problems: Problems,
): string[] {
  const missing: string[] = [];
  for (const name of new Set(names)) {
    if (!isVariableName("--secret", name, problems) || name in known) continue;
    const value = context.env(name);
    if (value !== undefined) known[name] = value;
    else if (context.askHidden === undefined) {
      problems.add(`--secret ${name}: ${name} is not in the environment, and stdin is no terminal to ask in`);
    } else missing.push(name);
  }
  return missing;
}

/** Asks for each, unseen. @throws {PthError} `INTERRUPTED` when the user gives up */
export async function askSecrets(
  names: readonly string[],
  context: Pick<CommandContext, "askHidden">,
): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const name of names) {
    const value = await context.askHidden?.(`${name} (not shown): `);
    if (value === undefined) throw new PthError("INTERRUPTED", `Cannot run: no value was given for ${name}`);
    secrets[name] = value;
  }
  return secrets;
}
