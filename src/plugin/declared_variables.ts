/**
 * The variables that a plugin asks for, and where their values come from.
 *
 * Given values win over defaults. The host's own variables are never read here: what the environment gets is named by the user.
 */
import type { ResolvedVariable } from "../../machines/model/plugin.ts";
import type { SessionTarget } from "../../machines/model/session.ts";
import { PthError } from "../core/errors.ts";
import { configReferences } from "./expander.ts";
import { readJsonObject, readPackageJson } from "./package_json.ts";
import type { DeclaredServer } from "./declared_servers.ts";
import type { ReadableFolder } from "./readable_folder.ts";
import { isObject } from "../core/values.ts";
import type { NextStep } from "../core/next_step.ts";

/** Names that Claude Code or the environment itself gives. */
const suppliedNames = [
  "CLAUDE_PLUGIN_ROOT",
  "CLAUDE_PLUGIN_DATA",
  "CLAUDE_PROJECT_DIR",
  "HOME",
  "PATH",
  "PWD",
  "TMPDIR",
  "USER",
];

const secretName = /key|token|secret|passw|credential|private|auth(?!or)/i;

/** Whether a variable of this name is taken for a secret where nothing says what it is. */
export const isSecretName = (name: string): boolean => secretName.test(name);

/** Collects the variables that the plugin's files declare; of two with the same name, the first. */
export async function declaredVariables(
  folder: ReadableFolder,
  server?: DeclaredServer,
): Promise<DeclaredVariable[]> {
  const all = [
    ...entriesOf(
      (await readJsonObject(folder, ".claude-plugin/plugin.json"))?.userConfig,
      ".claude-plugin/plugin.json",
    ),
    ...entriesOf((await readPackageJson(folder))?.pth?.config, "package.json"),
    ...entriesOf((await readLenient(folder, "manifest.json"))?.user_config, "manifest.json"),
    ...await fromServerJson(folder),
    ...server ? referenced(server) : [],
    ...fromExample(await folder.read(".env.example")),
  ];
  const byName = new Map<string, DeclaredVariable>();
  for (const variable of all) if (!byName.has(variable.name)) byName.set(variable.name, variable);
  return [...byName.values()].filter(({ name }) => !suppliedNames.includes(name));
}

/** Values for what is declared and for all that was given besides. */
export function resolveVariables(
  declared: readonly DeclaredVariable[],
  given: Pick<SessionTarget, "variables" | "secrets">,
): { variables: ResolvedVariable[]; missing: DeclaredVariable[] } {
  const variables = new Map<string, ResolvedVariable>();
  const missing: DeclaredVariable[] = [];
  const names = new Set([...Object.keys(given.variables ?? {}), ...Object.keys(given.secrets ?? {})]);
  for (const { name, required, secret, source, ...rest } of declared) {
    if (names.has(name)) continue;
    if (rest.default !== undefined) {
      variables.set(name, { name, value: rest.default, source: `default in ${source}`, secret });
    } else if (required) missing.push({ name, required, secret, source, ...rest });
  }
  for (const [name, value] of Object.entries(given.variables ?? {})) {
    const secret = declared.find((variable) => variable.name === name)?.secret ?? false;
    variables.set(name, { name, value, source: "given", secret });
  }
  for (const [name, value] of Object.entries(given.secrets ?? {})) {
    variables.set(name, { name, value, source: "given as a secret", secret: true });
  }
  return { variables: [...variables.values()], missing };
}

/** @throws {PthError} `CONFIG_MISSING` with all that is missing and all that is not, when anything is missing */
export function requireAll(
  missing: readonly DeclaredVariable[],
  declared: readonly DeclaredVariable[],
  given: Pick<SessionTarget, "variables" | "secrets">,
): void {
  if (missing.length === 0) return;
  const difference = configDifference(declared, given);
  const names = missing.map(({ name }) => name).join(", ");
  throw new PthError("CONFIG_MISSING", `Cannot start plugin: it needs ${names}`, {
    output: differenceText(difference),
    missing: missing.map(({ name, source, secret, description }) => ({ name, source, secret, description })),
    difference,
    next: missing.map(wayToGive),
  });
}

/** The table of recovery names the call, which is the same for all. */
export function wayToGive({ name, secret, description }: DeclaredVariable): NextStep {
  const about = description ? `  (${description})` : "";
  return secret ? { terminal: `--secret ${name}${about}` } : { terminal: `--var ${name}=…${about}` };
}

/** `{ NAME: "default" }` or `{ NAME: { default, required, secret | sensitive, description } }`. */
function entriesOf(declared: unknown, source: string): DeclaredVariable[] {
  if (typeof declared !== "object" || declared === null) return [];
  return Object.entries(declared).map(([name, entry]) => {
    const facts = (typeof entry === "object" && entry !== null ? entry : { default: entry }) as Record<
      string,
      unknown
    >;
    return describe(name, facts, source);
  });
}

function describe(name: string, facts: Record<string, unknown>, source: string): DeclaredVariable {
  const description = facts.description ?? facts.title;
  return {
    name,
    source,
    required: (facts.required ?? facts.isRequired) === true,
    secret: (facts.secret ?? facts.sensitive ?? facts.isSecret ?? isSecretName(name)) === true,
    ...(facts.default === undefined ? {} : { default: String(facts.default) }),
    ...(typeof description === "string" ? { description } : {}),
    ...allowedValues(facts),
  };
}

function allowedValues(facts: Record<string, unknown>): Pick<DeclaredVariable, "values"> {
  const listed = [facts.enum, facts.choices, facts.options, facts.values].find(Array.isArray) as
    | unknown[]
    | undefined;
  const limits = [facts.min ?? facts.minimum, facts.max ?? facts.maximum].filter((each) =>
    typeof each === "number"
  );
  const type = facts.type ?? facts.format;
  const values = listed !== undefined
    ? listed.map((each) => isObject(each) ? each.value : each)
    : type === "boolean"
    ? [true, false]
    : type === "number" || type === "integer"
    ? limits
    : [];
  const texts = values.filter((each) => /^(?:string|number|boolean)$/.test(typeof each)).map(String);
  return texts.length === 0 ? {} : { values: [...new Set(texts)] };
}

/** The MCP registry's `server.json`. */
async function fromServerJson(folder: ReadableFolder): Promise<DeclaredVariable[]> {
  const packages = (await readLenient(folder, "server.json"))?.packages;
  if (!Array.isArray(packages)) return [];
  const variables = packages.flatMap((one) => one?.environmentVariables ?? []) as Record<string, unknown>[];
  return variables
    .filter((variable) => typeof variable?.name === "string")
    .map((variable) => describe(variable.name as string, variable, "server.json"));
}

/** Files of that name may be anything; what is no JSON object is not meant for us. */
async function readLenient(
  folder: ReadableFolder,
  path: string,
): Promise<Record<string, unknown> | undefined> {
  try {
    return await readJsonObject(folder, path);
  } catch (error) {
    if (error instanceof PthError && error.code === "INVALID_CONFIG") return undefined;
    throw error;
  }
}

function referenced(server: DeclaredServer): DeclaredVariable[] {
  const { command, env, headers, url = "", cwd = "" } = server;
  const texts = [...command, ...Object.values(env), ...Object.values(headers), url, cwd];
  return configReferences(texts).map(({ name, hasDefault }) => ({
    name,
    source: server.file,
    required: !hasDefault,
    secret: isSecretName(name),
  }));
}

/** Names in `NAME=value` lines; the values are samples. */
const fromExample = (text = ""): DeclaredVariable[] =>
  [...text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)].map(([, name]) =>
    describe(name!, {}, ".env.example")
  );

interface ConfigRow {
  name: string;
  state: "given" | "default" | "missing" | "not given, optional" | "given, not declared";
  required: boolean;
  secret: boolean;
  /** File that declares it; absent if none does. */
  source?: string;
  description?: string;
}

/** Compares declared with given variables; missing ones come first. Values are not included. */
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
  /** Allowed values, as far as they are declared: its enum, both of a boolean, the limits of a number. */
  values?: string[];
  /** File that declares it. */
  source: string;
}
