/** Secrets for the server: from a file, from the environment, or asked for. They are never printed. */
import type { SessionTarget } from "../../../machines/model/session.ts";
import { PthError } from "../../core/errors.ts";
import { readSecretsFile as readFile } from "../../plugin/read_secrets_file.ts";
import type { CommandContext } from "../command.ts";
import type { Problems } from "./problems.ts";
import { checkVariableName } from "./option_values.ts";
import type { RequestOptions } from "../../api/harness.ts";

/** Every mistake in the file is a problem that names the line, never the value. */
export async function readSecretsOption(path: string, problems: Problems): Promise<Record<string, string>> {
  const { secrets, problems: found } = await readFile(path);
  for (const problem of found) {
    // Of a line that is wrong the place comes first, as in every file.
    problems.add(problem.startsWith(`${path}: `) ? `--secrets-file ${problem}` : problem);
  }
  return secrets;
}

/** Names that must be asked for; a name that is not available is a problem. */
export function missingSecrets(
  names: readonly string[],
  known: Record<string, string>,
  context: Pick<CommandContext, "env" | "askHidden">,
  problems: Problems,
): string[] {
  const missing: string[] = [];
  for (const name of new Set(names)) {
    if (!checkVariableName("--secret", name, problems) || name in known) continue;
    const value = context.env(name);
    if (value !== undefined) known[name] = value;
    else if (context.askHidden === undefined) {
      problems.add(
        `--secret ${name}: ${name} is not in the environment, and cannot be prompted for: stdin is not a terminal`,
      );
    } else missing.push(name);
  }
  return missing;
}

/** The request with the secrets that were still to be asked for, unseen. @throws {PthError} `INTERRUPTED` when the user gives up */
export async function withAskedSecrets<Start extends { target: SessionTarget; ask: readonly string[] }>(
  start: Start,
  context: Pick<CommandContext, "askHidden">,
): Promise<Start> {
  const secrets = { ...start.target.secrets };
  for (const name of start.ask) {
    const value = await context.askHidden?.(`${name} (not shown): `);
    if (value === undefined) throw new PthError("INTERRUPTED", `Cannot run: no value was given for ${name}`);
    secrets[name] = value;
  }
  return { ...start, target: { ...start.target, secrets } };
}

/** Prompts for each value without echoing it, since any value may be a secret. Empty without a terminal. */
export function askInTerminal(
  { askHidden }: Pick<CommandContext, "askHidden">,
): Pick<RequestOptions, "askConfig"> {
  if (askHidden === undefined) return {};
  return {
    askConfig: async ({ plugin, missing }) => {
      const values: Record<string, string> = {};
      for (const { name, description, source } of missing) {
        const value = await askHidden(`${plugin} needs ${name} (${description ?? source}; not shown): `);
        if (value === undefined) return { refused: "in the terminal, where no value was given" };
        values[name] = value;
      }
      return { values };
    },
  };
}
