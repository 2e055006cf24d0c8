/** Proposes companion services from a plugin's manifests, code and compose file. */
import type { ServiceDefinition } from "../../../machines/model/environment.ts";
import type {
  ServiceProposal,
  ServiceProposals,
  ServiceReason,
} from "../../../machines/model/service_proposal.ts";
import { folderSources, ownFiles, type PluginSources } from "../plugin_sources.ts";
import { variableOf } from "../../runtimes/fixtures/prepare_fixtures.ts";
import type { ServiceKind } from "../service_kind.ts";
import { registry } from "../service_kinds/_registry.ts";
import { findClients, manifestNames } from "./clients.ts";
import { composeNames, type ComposeService, readCompose } from "./compose.ts";
import { readCode, scannedLanguage } from "../code_text.ts";
import { stringify } from "yaml";

/** Places shown for each service; more of them say nothing new. */
const mostReasons = 4;

/** @param folder the plugin's, on the host; nothing outside of it is read */
export async function proposeServices(
  folder: string,
  sources: PluginSources = folderSources(folder),
): Promise<ServiceProposals> {
  const manifests = await textsOf(sources, manifestNames);
  const compose = (await textsOf(sources, composeNames)).slice(0, 1)
    .map(({ path, text }) => ({ path, ...readCompose(path, text) }))[0];
  const told = [...await textsOf(sources, variableFiles), ...await ownFiles(folder, sources)];
  const variables = told.flatMap(({ path, text }) => findVariables(path, text));
  const proposals: ServiceProposal[] = [];
  const taken = new Set<ComposeService>();
  for (const kind of registry) {
    const clients = manifests.flatMap(({ path, text }) => findClients(path, text, kind));
    const own = variables.filter((variable) => belongsTo(variable, kind));
    const composed = compose?.services.filter(({ definition }) =>
      kind.images.test(imageName(definition.image))
    ) ?? [];
    for (const one of composed) taken.add(one);
    if (clients.length + own.length + composed.length === 0) continue;
    const shared = clients.length === 0
      ? []
      : variables.filter(({ name }) => kind.sharedVariables?.test(name));
    const reasons = [...clients, ...[...own, ...shared].map(reasonOf)];
    const told = [...own, ...shared];
    if (composed.length === 0) proposals.push(fromKind(kind, reasons, told));
    for (const one of composed) proposals.push(fromCompose(compose!.path, one, told, reasons, kind));
  }
  for (const one of compose?.services ?? []) {
    if (!taken.has(one)) proposals.push(fromCompose(compose!.path, one, [], []));
  }
  return { proposals, config: configOf(proposals), problems: compose?.problems ?? [] };
}

async function textsOf(
  sources: PluginSources,
  paths: readonly string[],
): Promise<{ path: string; text: string }[]> {
  const all = await Promise.all(paths.map(async (path) => ({ path, text: await sources.read(path) })));
  return all.filter((one): one is { path: string; text: string } => one.text !== undefined);
}

/** "registry:5000/library/postgres:16@sha256:…" is "postgres". */
const imageName = (image: string): string => image.slice(image.lastIndexOf("/") + 1).split(/[:@]/)[0]!;

const reasonOf = ({ name, file, line }: FoundVariable): ServiceReason => ({
  what: `reads ${name}`,
  file,
  line,
});

function fromKind(kind: ServiceKind, reasons: ServiceReason[], told: FoundVariable[]): ServiceProposal {
  return {
    title: kind.title,
    reasons: shown(reasons),
    definition: kind.definition,
    setupScripts: [...kind.setupScripts ?? []],
    variables: variablesFor(kind.definition.name, told, kind),
  };
}

function fromCompose(
  file: string,
  { definition, line }: ComposeService,
  told: FoundVariable[],
  reasons: ServiceReason[],
  kind?: ServiceKind,
): ServiceProposal {
  const url = kind && urlOf(kind, definition.env ?? {});
  const found = { what: `runs ${definition.image} next to it`, file, line };
  return {
    title: kind?.title ?? definition.name,
    reasons: shown([found, ...reasons]),
    definition: {
      ...definition,
      ...(kind && definition.port === undefined ? { port: kind.port } : {}),
      ...(url === undefined ? {} : { url }),
    },
    setupScripts: [],
    variables: kind ? variablesFor(definition.name, told, kind) : {},
  };
}

/** With the account that the image makes, where its variables say which. */
function urlOf(
  { definition: { url }, schemes }: ServiceKind,
  env: Record<string, string>,
): string | undefined {
  const one = (...names: string[]) => names.map((name) => env[name]).find((value) => value !== undefined);
  const user = one(
    "POSTGRES_USER",
    "MYSQL_USER",
    "MARIADB_USER",
    "MONGO_INITDB_ROOT_USERNAME",
    "RABBITMQ_DEFAULT_USER",
  );
  const password = one(
    "POSTGRES_PASSWORD",
    user === undefined ? "MYSQL_ROOT_PASSWORD" : "MYSQL_PASSWORD",
    "MARIADB_PASSWORD",
    "MONGO_INITDB_ROOT_PASSWORD",
    "RABBITMQ_DEFAULT_PASS",
  );
  if (password === undefined) return url;
  const database = one("POSTGRES_DB", "MYSQL_DATABASE", "MARIADB_DATABASE", "MONGO_INITDB_DATABASE") ??
    (schemes[0] === "postgres" ? user ?? "postgres" : "");
  return `${schemes[0]}://${
    user ?? (schemes[0] === "postgres" ? "postgres" : "root")
  }:${password}@{host}:{port}/${database}`;
}

/** Each that its files name gets the part that its own name asks for. */
function variablesFor(service: string, told: FoundVariable[], kind: ServiceKind): Record<string, string> {
  const names = new Set(told.map(({ name }) => name));
  const known = [...names].filter((name) => !/(?:USER|PASSWORD|DATABASE)$/.test(name));
  const prefix = variableOf(service);
  const part = (name: string) => /HOST$/.test(name) ? "HOST" : /PORT$/.test(name) ? "PORT" : "URL";
  return Object.fromEntries(
    (known.length > 0 ? known : [kind.variable]).map((name) => [name, `\${${prefix}_${part(name)}}`]),
  );
}

function shown(reasons: readonly ServiceReason[]): ServiceReason[] {
  const seen = new Set<string>();
  return reasons.filter(({ what }) => !seen.has(what) && seen.add(what)).slice(0, mostReasons);
}

function configOf(proposals: readonly ServiceProposal[]): ServiceProposals["config"] {
  const setupScripts = proposals.flatMap((one) => one.setupScripts);
  const services: ServiceDefinition[] = proposals.map(({ definition }) => definition);
  const configValues = Object.assign({}, ...proposals.map(({ variables }) => variables)) as Record<
    string,
    string
  >;
  return {
    fixtures: { ...(setupScripts.length === 0 ? {} : { setupScripts }), services },
    ...(Object.keys(configValues).length === 0 ? {} : { targetPlugin: { configValues } }),
  };
}

interface FoundVariable {
  name: string;
  /** Value in the file, if there is one. */
  value: string | undefined;
  file: string;
  line: number;
}

/** Files that name variables, in addition to the code. */
const variableFiles = [
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
function findVariables(file: string, text: string): FoundVariable[] {
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
function belongsTo({ name, value }: FoundVariable, kind: ServiceKind): boolean {
  if (kind.variables.test(name)) return true;
  const scheme = /([a-z][a-z0-9]*)(?:\+[a-z0-9]+)?:\/\//.exec(value ?? "")?.[1];
  return scheme !== undefined && kind.schemes.includes(scheme);
}

/** "Redis (depends on ioredis, package.json:7)", one for each. */
export const proposalLines = ({ proposals }: ServiceProposals): string[] =>
  proposals.map(({ title, reasons }) =>
    `${title} (${reasons.map(({ what, file, line }) => `${what}, ${file}:${line}`).join("; ")})`
  );

/** For `--config FILE`, with the keys of files. */
export function proposalYaml({ config: { fixtures, targetPlugin } }: ServiceProposals): string {
  const { setupScripts, services } = fixtures;
  return stringify({
    fixtures: { ...(setupScripts ? { setup_scripts: setupScripts } : {}), services },
    ...(targetPlugin ? { target_plugin: { config_values: targetPlugin.configValues } } : {}),
  }, { lineWidth: 0 });
}
