/** Loads every definition and says what is wrong with one: its file, and what to change. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorMessage } from "../../src/core/errors.ts";
import { readTextFile } from "../../src/platform/files.ts";
import { isObject } from "../../src/core/values.ts";
import { definitionKinds } from "./definition_kinds.ts";
import { type DefinitionFile, definitionsOf } from "./registries.ts";

export interface LoadedDefinition extends DefinitionFile {
  definition: Record<string, unknown>;
  /** Name that users give it; the file's name if the kind has no `id`. */
  id: string;
}

/** @throws {Error} that lists every problem, each with its file */
export async function loadDefinitions(root: string): Promise<LoadedDefinition[]> {
  const loaded: LoadedDefinition[] = [];
  const problems: string[] = [];
  for (const kind of definitionKinds) {
    const paths = new Map<string, string>();
    for (const file of await definitionsOf(root, kind)) {
      try {
        const one = await loadDefinition(root, file);
        const other = paths.get(one.id);
        if (other !== undefined && (kind.id !== undefined || kind.inCategories)) {
          throw new Error(`${other} has the same ${kind.id ?? "name"}, "${one.id}"; choose another`);
        }
        paths.set(one.id, file.path);
        loaded.push(one);
      } catch (error) {
        problems.push(`${file.path}: ${errorMessage(error)}`);
      }
    }
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return loaded;
}

async function loadDefinition(root: string, file: DefinitionFile): Promise<LoadedDefinition> {
  const { kind, name } = file;
  if (!(await readTextFile(join(root, file.path))).includes(`export default ${kind.define}(`)) {
    throw new Error(
      `its default export is no ${kind.what.replace(/^an? /, "")}; write ${kind.define}({ … })`,
    );
  }
  const module = await import(pathToFileURL(join(root, file.path)).href);
  const definition: unknown = module.default;
  if (!isObject(definition)) {
    throw new Error(`its default export is no definition; write ${kind.define}({ … })`);
  }
  for (const member of [...kind.id === undefined ? [] : [kind.id], ...kind.texts ?? []]) {
    const text = definition[member];
    if (typeof text !== "string" || text.trim() === "") {
      throw new Error(`${kind.what} needs the text \`${member}\`: add it to ${kind.define}({ … })`);
    }
  }
  const id = kind.id === undefined ? name : String(definition[kind.id]);
  const fitting = id.replaceAll(/[^A-Za-z0-9]/g, "_");
  if (kind.namedByFile && fitting !== name) {
    throw new Error(
      `its ${kind.id} is "${id}"; name the file ${fitting}.ts, or give it the ${kind.id} "${name}"`,
    );
  }
  return { ...file, definition, id };
}
