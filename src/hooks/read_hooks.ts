/** Reads the hooks of a plugin: `hooks/hooks.json`, and those that `plugin.json` names or holds. */
import { posix } from "node:path";
import { suggestion } from "../core/did_you_mean.ts";
import type { Problem } from "../core/problems.ts";
import { type Path, readSource, type SourceDocument } from "../core/read_source.ts";
import { schemaMistakes } from "../core/schema_mistakes.ts";
import { isObject, valueAt } from "../core/values.ts";
import type { ReadableFolder } from "../plugin/readable_folder.ts";
import { type HookDefinition, hookSchema } from "./hook_definition.ts";
import { hookEvents } from "./hook_events.ts";

export interface ReadHooks {
  /** Name in `plugin.json`, or of the folder. */
  plugin: string;
  hooks: HookDefinition[];
  /** Mistakes at their places; files are named below the plugin's folder. What has one is no hook. */
  problems: Problem[];
  /**
   * Whether Claude Code loads none of the hooks: a file that cannot be read, or a guard with a mistake, takes the others with
   * it.
   */
  refused: boolean;
}

export const hookFile = "hooks/hooks.json";
export const manifestFile = ".claude-plugin/plugin.json";
/** Hooks that are read at most: more are a mistake. */
const mostHooks = 200;

type Found = Omit<ReadHooks, "plugin">;

/** Events whose hooks guard: a mistake of one of them is not passed over. */
const guarded: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest"]);

/** @throws {PthError} `PATH_REFUSED` for a file that leads out of the repository */
export async function readHooks(folder: ReadableFolder): Promise<ReadHooks> {
  const found: Found = { hooks: [], problems: [], refused: false };
  const manifest = await documentOf(folder, manifestFile, found);
  const value = isObject(manifest?.value) ? manifest.value : {};
  const read = new Set([hookFile]);
  const standard = await documentOf(folder, hookFile, found);
  if (standard !== undefined) hooksOfFile(hookFile, standard, found);
  const named = Array.isArray(value.hooks) ? value.hooks : value.hooks === undefined ? [] : [value.hooks];
  for (const [index, each] of named.entries()) {
    const path: Path = Array.isArray(value.hooks) ? ["hooks", index] : ["hooks"];
    const complain = (message: string) =>
      found.problems.push({ file: manifestFile, ...manifest!.place(path), message });
    if (isObject(each)) {
      hooksOf(manifestFile, manifest!, isObject(each.hooks) ? [...path, "hooks"] : path, found);
    } else if (typeof each !== "string" || !each.startsWith("./")) {
      complain("hooks: expected a path that begins with ./, or hooks by their events");
    } else {
      const file = posix.normalize(each);
      if (read.has(file)) continue;
      read.add(file);
      if (file.startsWith("..")) complain(`hooks: ${each} leads out of the plugin`);
      else if (!await folder.exists(file)) complain(`hooks: there is no file ${each}`);
      else {
        const document = await documentOf(folder, file, found);
        if (document !== undefined) hooksOfFile(file, document, found);
      }
    }
  }
  const { name } = value;
  return { plugin: typeof name === "string" ? name : posix.basename(folder.path), ...found };
}

async function documentOf(
  folder: ReadableFolder,
  file: string,
  found: Found,
): Promise<SourceDocument | undefined> {
  const text = await folder.read(file);
  if (text === undefined) return undefined;
  const { documents: [document], problems: mistakes } = readSource(file, text);
  found.problems.push(...mistakes);
  if (mistakes.length === 0 && isObject(document?.value)) return document;
  found.refused = true;
  if (mistakes.length === 0) found.problems.push({ file, line: 1, column: 1, message: "expected an object" });
  return undefined;
}

function hooksOfFile(file: string, document: SourceDocument, found: Found): void {
  const { value } = document;
  if (isObject(value) && value.hooks !== undefined) hooksOf(file, document, ["hooks"], found);
  else {
    found.problems.push({
      file,
      ...document.place([]),
      message: 'expected a map "hooks" with hooks by their events; without it no hook is loaded',
    });
  }
}

/** Part of a document that is read, and what was found in it. */
interface Reading {
  file: string;
  document: SourceDocument;
  /** Path of the map of events. */
  path: Path;
  found: Found;
}

const complainIn = ({ file, document, path, found }: Reading, rest: Path, message: string): void =>
  void found.problems.push({ file, ...document.place([...path, ...rest]), message });

/** Hooks of the map of events at a path. */
function hooksOf(file: string, document: SourceDocument, path: Path, found: Found): void {
  const reading = { file, document, path, found };
  const events = valueAt(document.value, path);
  if (!isObject(events)) {
    complainIn(reading, [], "expected a map with lists of hooks by their events");
    return;
  }
  for (const [event, groups] of Object.entries(events)) {
    const before = found.problems.length;
    if (!hookEvents.has(event)) {
      const message = `there is no event "${event}"${suggestion(event, [...hookEvents.keys()])}`;
      found.problems.push({ file, ...document.placeOfKey(path, event), message });
    } else if (!Array.isArray(groups)) {
      complainIn(reading, [event], `${event}: expected a list of { matcher, hooks }`);
    } else {
      for (const [index, group] of groups.entries()) hooksOfGroup(reading, event, index, group);
    }
    if (guarded.has(event) && found.problems.length > before) found.refused = true;
  }
}

function hooksOfGroup(reading: Reading, event: string, index: number, group: unknown): void {
  if (!isObject(group) || !Array.isArray(group.hooks)) {
    complainIn(reading, [event, index], `${event}: expected a map with a list "hooks"`);
    return;
  }
  const { matcher, hooks } = group;
  if (matcher !== undefined && typeof matcher !== "string") {
    complainIn(reading, [event, index, "matcher"], `${event}: expected a matcher that is a text`);
    return;
  }
  const { file, document, path, found } = reading;
  const matcherPath = [...path, event, index, ...(matcher === undefined ? [] : ["matcher"])];
  for (const [number, hook] of hooks.entries()) {
    const hookPath = [...path, event, index, "hooks", number];
    const inside: SourceDocument = {
      value: hook,
      place: (rest) => document.place([...hookPath, ...rest]),
      placeOfKey: (rest, key) => document.placeOfKey([...hookPath, ...rest], key),
    };
    const mistakes = schemaMistakes(file, inside, hook, hookSchema);
    found.problems.push(...mistakes.map((each) => ({ ...each, message: `${event}: ${each.message}` })));
    if (mistakes.length > 0) continue;
    if (found.hooks.length === mostHooks) {
      complainIn(reading, [event, index], `expected at most ${mostHooks} hooks`);
      return;
    }
    found.hooks.push({
      place: { file, ...document.place(hookPath) },
      matcherPlace: { file, ...document.place(matcherPath) },
      event,
      ...(matcher === undefined ? {} : { matcher }),
      hook: hookSchema.parse(hook),
    });
  }
}
