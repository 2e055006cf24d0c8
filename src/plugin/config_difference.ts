/** What a plugin declares beside what it is given. */
import type { SessionTarget } from "../../machines/model/session.ts";

export interface ConfigRow {
  name: string;
  state: "given" | "default" | "missing" | "not given, optional" | "given, not declared";
  required: boolean;
  secret: boolean;
  /** File that declares it; absent for what nobody declares. */
  source?: string;
  description?: string;
}

/** What is missing comes first. Values are not in it. */
export function configDifference(
  declared: readonly DeclaredVariable[],
  { variables = {}, secrets = {} }: Pick<SessionTarget, "variables" | "secrets">,
): ConfigRow[] {
  const given = new Set([...Object.keys(variables), ...Object.keys(secrets)]);
  const rows = declared.map((variable): ConfigRow => {
    const { name, required, secret, source, description } = variable;
    const state = given.has(name)
      ? "given"
      : variable.default !== undefined
      ? "default"
      : required
      ? "missing"
      : "not given, optional";
    return { name, state, required, secret, source, ...(description === undefined ? {} : { description }) };
  });
  const known = new Set(declared.map(({ name }) => name));
  const others = [...given].filter((name) => !known.has(name)).map((name): ConfigRow => ({
    name,
    state: "given, not declared",
    required: false,
    secret: name in secrets,
  }));
  return [...rows, ...others].sort((a, b) => Number(b.state === "missing") - Number(a.state === "missing"));
}

/** One line each. */
export const differenceText = (rows: readonly ConfigRow[]): string =>
  rows.map(({ name, state, secret, source, description }) => {
    const marks = [secret ? "secret" : undefined, source].filter((mark) => mark !== undefined).join(", ");
    return `${name}: ${state}${marks && ` (${marks})`}${description === undefined ? "" : `: ${description}`}`;
  }).join("\n");

export interface DeclaredVariable {
  name: string;
  /** The server does not work without. */
  required: boolean;
  secret: boolean;
  default?: string;
  description?: string;
  /** Values that it may have, as far as the declaration tells: its enum, both of a boolean, the limits of a number. */
  values?: string[];
  /** File that declares it. */
  source: string;
}
