/** `--config FILE`: what environment is wanted, as YAML or JSON in snake_case. */
import { dirname, resolve } from "node:path";
import * as z from "zod";
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import { environmentConfig } from "../../api/environment_config.ts";
import { readTextIfExists } from "../../platform/files.ts";
import { suggestion } from "../../core/did_you_mean.ts";
import { issueText } from "../../core/issue_text.ts";
import { readSource, type SourceDocument } from "../../core/read_source.ts";
import type { Problems } from "./problems.ts";

const snake = (key: string): string =>
  key.replaceAll(/([a-z0-9])([A-Z]+)/g, (_, before, word) => `${before}_${word.toLowerCase()}`);

/** `EnvConfig` as files write it. */
const configSchema = withSnakeCaseKeys(environmentConfig);

/** Reads the file; every mistake is added as `file:line:column what was expected`. */
export async function readConfigFile(path: string, problems: Problems): Promise<Partial<EnvironmentConfig>> {
  const content = await readTextIfExists(path).catch((error: Error) => error);
  if (content === undefined) problems.add(`--config ${path}: there is no such file`);
  if (content instanceof Error) problems.add(`--config ${path}: ${content.message}`);
  return typeof content === "string" ? parseConfig(path, content, problems) : {};
}

/** The same for a text that is at hand. */
function parseConfig(path: string, content: string, problems: Problems): Partial<EnvironmentConfig> {
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
  if (parsed.success) return besideFile(path, parsed.data as Partial<EnvironmentConfig>);
  for (const issue of parsed.error.issues) problems.add(`${path}:${located(issue, document)}`);
  return {};
}

/** Resolves host paths of a configuration file relative to its folder. */
function besideFile(path: string, config: Partial<EnvironmentConfig>): Partial<EnvironmentConfig> {
  const at = (name: string) => resolve(dirname(path), name);
  const { dependencyPlugins, fixtures } = config;
  return {
    ...config,
    ...(dependencyPlugins && {
      dependencyPlugins: dependencyPlugins.map((dependency) => ({
        ...dependency,
        source: /^(npm:|~)/.test(dependency.source) ? dependency.source : at(dependency.source),
      })),
    }),
    ...(fixtures && { fixtures: fixturesBeside(at, fixtures) }),
  };
}

function fixturesBeside(
  at: (name: string) => string,
  { files, setupScripts, ...rest }: NonNullable<EnvironmentConfig["fixtures"]>,
): NonNullable<EnvironmentConfig["fixtures"]> {
  return {
    ...rest,
    ...(files && {
      files: files.map((file) => file.from === undefined ? file : { ...file, from: at(file.from) }),
    }),
    ...(setupScripts && {
      setupScripts: setupScripts.map((one) =>
        typeof one === "string" ? one : { ...one, script: at(one.script) }
      ),
    }),
  };
}

function located(issue: z.core.$ZodIssue, document: SourceDocument): string {
  const path = issue.path as (string | number)[];
  if (issue.code === "unrecognized_keys") {
    const lines = issue.keys.map((key) => {
      const { line, column } = document.placeOfKey(path, key);
      return `${line}:${column} "${key}" is not known here${
        suggestion(key, fileKeys(environmentConfig, path))
      }`;
    });
    return lines.join("; ");
  }
  const { line, column } = document.place(path);
  return `${line}:${column} ${issueText(issue, document.value)}`;
}

/** The same schema with keys in snake_case; a valid value comes out in camelCase. Keys of records are data and stay. */
export function withSnakeCaseKeys(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodExactOptional) {
    return withSnakeCaseKeys(schema.unwrap() as z.ZodType).exactOptional();
  }
  if (schema instanceof z.ZodArray) return z.array(withSnakeCaseKeys(schema.element as z.ZodType));
  if (!(schema instanceof z.ZodObject)) return schema;
  const keys = Object.keys(schema.shape);
  const shape = Object.fromEntries(
    keys.map((key) => [snake(key), withSnakeCaseKeys(schema.shape[key] as z.ZodType)]),
  );
  const names = new Map(keys.map((key) => [snake(key), key]));
  // Checks of the whole object, such as "one of these", hold for files, too.
  const checks = (schema._zod.def.checks ?? []) as z.core.$ZodCheck<Record<string, unknown>>[];
  return z.strictObject(shape).check(...checks).transform((value) =>
    Object.fromEntries(Object.entries(value).map(([key, item]) => [names.get(key) ?? key, item]))
  );
}

/** Keys that a file may have at a path of the schema, for "did you mean". */
function fileKeys(whole: z.ZodType, path: readonly (string | number)[]): string[] {
  let schema: z.ZodType = whole;
  const open = () => {
    while (schema instanceof z.ZodExactOptional) schema = schema.unwrap() as z.ZodType;
  };
  for (const segment of path) {
    open();
    if (schema instanceof z.ZodArray) schema = schema.element as z.ZodType;
    else if (schema instanceof z.ZodObject) {
      const { shape } = schema;
      const key = Object.keys(shape).find((name) => snake(name) === segment);
      if (key === undefined) return [];
      schema = shape[key] as z.ZodType;
    }
  }
  open();
  return schema instanceof z.ZodObject ? Object.keys(schema.shape).map(snake) : [];
}
