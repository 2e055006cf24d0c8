/** Formats of agents' configuration files: one entry is set or removed in the text, and all else stays as it is written. */
import { isDeepStrictEqual } from "node:util";
import { PthError } from "../../core/errors.ts";
import { type Problem, problemLine } from "../../core/problems.ts";
import { isObject } from "../../core/values.ts";
import { type Entry, type EntryEditor, type EntryPath, SyntaxProblem } from "./entry_editor.ts";
import { jsonEntry } from "./json_entry.ts";
import { tomlEntry } from "./toml_entry.ts";

export type ConfigFormat = "json" | "jsonc" | "toml";

/** One configuration file as it was read; "" is one that does not exist or is empty. */
export interface ConfigText {
  file: string;
  format: ConfigFormat;
  text: string;
}

const editors: Record<ConfigFormat, EntryEditor> = {
  json: jsonEntry({ strict: true }),
  jsonc: jsonEntry({ strict: false }),
  toml: tomlEntry,
};

/**
 * The entry at the path; undefined where there is none.
 * @throws {PthError} `INVALID_CONFIG` with file, line and column where the file is broken, or holds something else there
 */
export function configuredEntry(config: ConfigText, path: EntryPath): Entry | undefined {
  const whole = parsed(config);
  const [table, name] = path;
  if (!isObject(whole)) throw unexpected(config, [], "the whole file");
  if (whole[table] === undefined) return undefined;
  if (!isObject(whole[table])) throw unexpected(config, [table], `"${table}"`);
  const entry = whole[table][name];
  if (entry === undefined) return undefined;
  if (!isObject(entry)) throw unexpected(config, path, `"${table}.${name}"`);
  return entry;
}

/** The text with the entry at the path. @throws {PthError} `INVALID_CONFIG` as `configuredEntry`, or where it cannot be edited */
export function withEntry(config: ConfigText, path: EntryPath, entry: Entry): string {
  configuredEntry(config, path);
  const text = editors[config.format].set(config.text, path, entry);
  return checked(config, text, path, entry);
}

/**
 * The text without the entry at the path.
 * @param tableIsOwn The table was made for the entry: it goes with it where it holds nothing else.
 * @throws {PthError} `INVALID_CONFIG` as `withEntry`
 */
export function withoutEntry(
  config: ConfigText,
  path: EntryPath,
  { tableIsOwn = false }: { tableIsOwn?: boolean } = {},
): string {
  if (configuredEntry(config, path) === undefined) return config.text;
  const [table] = path;
  const isAlone = Object.keys((parsed(config) as Record<string, Entry>)[table]!).length === 1;
  const text = editors[config.format].remove(config.text, isAlone && tableIsOwn ? [table] : path);
  return checked(config, text, path, undefined);
}

/** Whether two texts differ in nothing but the entry at the path; one that is broken differs. */
export function sameButEntry(config: ConfigText, other: string, path: EntryPath): boolean {
  try {
    return isDeepStrictEqual(allButEntry(config, path), allButEntry({ ...config, text: other }, path));
  } catch (error) {
    if (error instanceof PthError) return false;
    throw error;
  }
}

/** An edit of text is believed only where it reads back as what was meant. */
function checked(config: ConfigText, text: string, path: EntryPath, entry: Entry | undefined): string {
  const right = sameButEntry(config, text, path) &&
    isDeepStrictEqual(configuredEntry({ ...config, text }, path), entry);
  if (right) return text;
  const { line, column } = editors[config.format].place(config.text, path);
  throw invalid({
    file: config.file,
    line,
    column,
    message: `"${path[0]}" is written in a way that is not edited here`,
  }, [
    `Edit it by hand: "${path.join(".")}" ${
      entry === undefined ? "goes" : `becomes ${JSON.stringify(entry)}`
    }`,
  ]);
}

/** All values but the entry's; a table that holds nothing else counts as none. */
function allButEntry(config: ConfigText, path: EntryPath): unknown {
  const [table, name] = path;
  configuredEntry(config, path);
  const whole = { ...parsed(config) as Entry };
  const { [name]: _entry, ...others } = (whole[table] ?? {}) as Entry;
  if (Object.keys(others).length === 0) delete whole[table];
  else whole[table] = others;
  return whole;
}

function parsed({ file, format, text }: ConfigText): unknown {
  try {
    return editors[format].parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    throw invalid({ file, line: error.line, column: error.column, message: error.message });
  }
}

const unexpected = (config: ConfigText, path: readonly string[], what: string): PthError =>
  invalid({
    file: config.file,
    ...editors[config.format].place(config.text, path),
    message: `${what} is not ${config.format === "toml" ? "a table" : "an object"}`,
  });

const invalid = (
  problem: Problem,
  next = ["Correct this place, or name the other agents by --agent"],
): PthError =>
  new PthError("INVALID_CONFIG", `Cannot edit configuration: ${problemLine(problem)}`, {
    problems: [problem],
    next,
  });
