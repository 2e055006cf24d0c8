/** Files of secrets: `NAME=value` lines, `#` comments, `export`, quotes around a value. */
import { errorMessage } from "../core/errors.ts";
import { readTextIfExists } from "../platform/files.ts";

/** A problem names the line, never the value. */
export async function readSecretsFile(
  path: string,
): Promise<{ secrets: Record<string, string>; problems: string[] }> {
  try {
    const content = await readTextIfExists(path);
    if (content !== undefined) return parse(path, content);
    return { secrets: {}, problems: [`${path}: there is no such file`] };
  } catch (error) {
    return { secrets: {}, problems: [`${path}: ${errorMessage(error)}`] };
  }
}

function parse(path: string, content: string): { secrets: Record<string, string>; problems: string[] } {
  const secrets: Record<string, string> = {};
  const problems: string[] = [];
  for (const [index, line] of content.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined) problems.push(`${path}:${index + 1}:1 expected NAME=value`);
    else secrets[name] = unquoted(value!);
  }
  return { secrets, problems };
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
