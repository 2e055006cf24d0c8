/** Secrets that a request names instead of telling them: in PTH's own environment, or in a file. */
import { PthError } from "../../core/errors.ts";
import { readEnv } from "../../platform/host.ts";
import { readSecretsFile } from "../../plugin/read_secrets_file.ts";

/** @throws {PthError} `INVALID_INPUT` with every secret that is not available, never with a value */
export async function givenSecrets(
  { secrets = [], secretsFile }: { secrets?: string[]; secretsFile?: string },
): Promise<Record<string, string>> {
  const found = secretsFile === undefined
    ? { secrets: {}, problems: [] }
    : await readSecretsFile(secretsFile);
  const values = secrets.map((name) => [name, readEnv(name)] as const);
  const problems = [
    ...found.problems,
    ...values.flatMap(([name, value]) => value === undefined ? [`${name} is not in PTH's environment`] : []),
  ];
  if (problems.length > 0) {
    throw new PthError("INVALID_INPUT", `Cannot read secrets: ${problems[0]}`, {
      problems,
      output: problems.join("\n"),
      next: [{ mcp: "Correct it, or give the values: pth_load_plugin({ configValues: { NAME: value } })" }],
    });
  }
  return { ...found.secrets, ...Object.fromEntries(values.map(([name, value]) => [name, value!])) };
}
