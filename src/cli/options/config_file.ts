/** `--config FILE`: what environment is wanted, as YAML or JSON in snake_case (PTH design §5.1, `EnvConfig`). */
import { dirname, resolve } from "node:path";
import { z } from "zod";
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import { readTextIfExists } from "../../platform/files.ts";
import { suggestion } from "../../testing/did_you_mean.ts";
import { issueText } from "../../testing/issue_text.ts";
import { readSource, type SourceDocument } from "../../testing/yaml_source.ts";
import type { Problems } from "./problems.ts";

const text = z.string().min(1);
/** Variables are text; a number or a boolean is taken as it is written. */
const values = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected a variable's name (letters, digits, _)"),
  z.union([z.string(), z.number(), z.boolean()], "expected text").transform(String),
);

const mode = z.string().regex(/^0?[0-7]{3,4}$/, 'expected octal permissions as text, for example "0644"');

export const configSchema = z.strictObject({
  runtime: text,
  tier: z.literal([1, 2, 3], "expected 1, 2 or 3"),
  base_image: text,
  target_plugin: z.strictObject({ build_command: z.string(), config_values: values }).partial(),
  dependency_plugins: z.array(z.strictObject({ source_path: text, config_values: values.optional() })),
  fixtures: z.strictObject({
    files: z.array(z.strictObject({ path: text, content: z.string(), mode: mode.optional() })),
    setup_scripts: z.array(text),
    services: z.array(z.strictObject({ name: text, command: text, ready: text.optional() })),
  }).partial(),
  resources: z.strictObject({
    cpus: z.number().positive(),
    memory_mb: z.number().positive(),
    disk_gb: z.number().positive(),
  }).partial(),
}).partial();

type ConfigFile = z.infer<typeof configSchema>;

/** Reads the file; every mistake is added as `file:line:column what was expected`. */
export async function readConfigFile(path: string, problems: Problems): Promise<Partial<EnvironmentConfig>> {
  const content = await readTextIfExists(path).catch((error: Error) => error);
  if (content === undefined) problems.add(`--config ${path}: there is no such file`);
  if (content instanceof Error) problems.add(`--config ${path}: ${content.message}`);
  return typeof content === "string" ? parseConfig(path, content, problems) : {};
}

/** The same for a text that is at hand. */
export function parseConfig(path: string, content: string, problems: Problems): Partial<EnvironmentConfig> {
  const source = readSource(path, content);
  for (const { line, column, message } of source.problems) {
    problems.add(`${path}:${line}:${column} ${message}`);
  }
  if (source.documents.length > 1) {
    problems.add(`${path}: expected one document, found ${source.documents.length}`);
  }
  const [document] = source.documents;
  if (document === undefined) return {};
  const parsed = configSchema.safeParse(document.value);
  if (parsed.success) return camelCase(parsed.data, path);
  for (const issue of parsed.error.issues) problems.add(`${path}:${located(issue, document)}`);
  return {};
}

function located(issue: z.core.$ZodIssue, document: SourceDocument): string {
  const path = issue.path as (string | number)[];
  if (issue.code === "unrecognized_keys") {
    const lines = issue.keys.map((key) => {
      const { line, column } = document.placeOfKey(path, key);
      return `${line}:${column} "${key}" is not known here${suggestion(key, knownKeys(path))}`;
    });
    return lines.join("; ");
  }
  const { line, column } = document.place(path);
  return `${line}:${column} ${issueText(issue, document.value)}`;
}

/** Keys that the schema has at a path. */
function knownKeys(path: readonly (string | number)[]): string[] {
  let schema: z.ZodType = configSchema;
  for (const segment of path) {
    while (schema instanceof z.ZodOptional) schema = schema.unwrap() as z.ZodType;
    if (schema instanceof z.ZodArray) schema = schema.element as z.ZodType;
    else if (schema instanceof z.ZodObject) schema = schema.shape[segment] as z.ZodType;
  }
  while (schema instanceof z.ZodOptional) schema = schema.unwrap() as z.ZodType;
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function camelCase(file: ConfigFile, path: string): Partial<EnvironmentConfig> {
  const { target_plugin: target, dependency_plugins: dependencies, fixtures, resources } = file;
  return given({
    runtime: file.runtime,
    tier: file.tier,
    baseImage: file.base_image,
    targetPlugin: target &&
      given({ buildCommand: target.build_command, configValues: target.config_values }),
    dependencyPlugins: dependencies?.map((dependency) =>
      given({ sourcePath: from(path, dependency.source_path), configValues: dependency.config_values })
    ),
    fixtures: fixtures &&
      given({ files: fixtures.files, setupScripts: fixtures.setup_scripts, services: fixtures.services }),
    resources: resources &&
      given({ cpus: resources.cpus, memoryMB: resources.memory_mb, diskGB: resources.disk_gb }),
  }) as Partial<EnvironmentConfig>;
}

/** A folder is meant as seen from the file that names it. */
const from = (configPath: string, source: string): string =>
  source.startsWith("npm:") ? source : resolve(dirname(configPath), source);

const given = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));
