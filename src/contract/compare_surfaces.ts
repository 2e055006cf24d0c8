/** Every difference between two surfaces of a server, and whether a client that worked may fail by it. */
import type { ServerSurface, SurfaceChange } from "../../machines/model/contract.ts";
import { compareTools } from "./compare_tools.ts";
import { isObject } from "../core/values.ts";
import { compareTexts, indexByName, likelyRename } from "./likely_rename.ts";

const ranks = { breaking: 0, notice: 1, compatible: 2 } satisfies Record<SurfaceChange["impact"], number>;

/** Breaking ones first, then by place. */
export function compareSurfaces(before: ServerSurface, after: ServerSurface): SurfaceChange[] {
  const changes = [
    ...compareServer(before.server, after.server),
    ...compareCapabilities(before.server.capabilities, after.server.capabilities),
    ...compareTools(before.tools, after.tools),
    ...compareResources(before, after),
    ...compareEntries(before, after, templates),
    ...compareEntries(before, after, prompts),
  ];
  return changes.map((change, at) => ({ change, at })).sort((a, b) =>
    ranks[a.change.impact] - ranks[b.change.impact] || a.at - b.at
  ).map(({ change }) => change);
}

/** Compares the server's own fields except its version: other changes say what a new version changed. */
function compareServer(before: ServerSurface["server"], after: ServerSurface["server"]): SurfaceChange[] {
  const notices: [keyof ServerSurface["server"], string][] = [
    ["name", "the server's name"],
    ["protocolVersion", "the version of the protocol"],
    ["instructions", "the instructions to models"],
  ];
  return notices.filter(([key]) => before[key] !== after[key]).map(([key, what]) => ({
    impact: "notice" as const,
    code: `${key === "protocolVersion" ? "protocol-version" : key}-changed`,
    path: `server/${key}`,
    message: key === "instructions"
      ? `${what} read differently`
      : `${what} was ${JSON.stringify(before[key])}, now it is ${JSON.stringify(after[key])}`,
  }));
}

type Capabilities = Record<string, unknown>;

/** Compares capabilities and their members, such as `resources.subscribe`. */
function compareCapabilities(before: Capabilities, after: Capabilities): SurfaceChange[] {
  const [old, now] = [flat(before), flat(after)];
  const change = (name: string, impact: SurfaceChange["impact"], state: string): SurfaceChange => ({
    impact: name.startsWith("experimental") ? "notice" : impact,
    code: `capability-${state}`,
    path: `server/capabilities/${name}`,
    message: `the capability ${name.replaceAll("/", ".")} was ${state}`,
  });
  return [
    ...[...old].filter((name) => !now.has(name)).map((name) => change(name, "breaking", "removed")),
    ...[...now].filter((name) => !old.has(name)).map((name) => change(name, "compatible", "added")),
  ];
}

function flat(capabilities: Capabilities): Set<string> {
  return new Set(
    Object.entries(capabilities).flatMap(([name, value]) => {
      if (value === false || value === undefined || value === null) return [];
      const parts = isObject(value) ? Object.entries(value).filter(([, part]) => part !== false) : [];
      return [name, ...parts.map(([part]) => `${name}/${part}`)];
    }),
  );
}

type Entry = Record<string, unknown>;

/** List of a surface whose entries are found again by a key. */
interface EntryList {
  list: "prompts" | "resources" | "resourceTemplates";
  key: string;
  noun: string;
  /** Impact of removing an entry. */
  loss: SurfaceChange["impact"];
  /** Part of an entry by which a renamed one is recognized. */
  shape(entry: Entry): Entry;
  compare(before: Entry, after: Entry, path: string): SurfaceChange[];
}

const prompts: EntryList = {
  list: "prompts",
  key: "name",
  noun: "prompt",
  loss: "breaking",
  shape: ({ arguments: shape }) => ({ arguments: shape }),
  compare: comparePrompt,
};

const templates: EntryList = {
  list: "resourceTemplates",
  key: "uriTemplate",
  noun: "resource-template",
  loss: "breaking",
  shape: ({ uriTemplate: _name, ...shape }) => shape,
  compare: compareResource,
};

function compareResources(before: ServerSurface, after: ServerSurface): SurfaceChange[] {
  // A server that declares that its list changes has promised none of its entries.
  const { resources } = before.server.capabilities;
  const loss = isObject(resources) && resources.listChanged === true ? "notice" : "breaking";
  const shape = ({ uri: _name, ...rest }: Entry) => rest;
  const list: EntryList = { ...templates, list: "resources", key: "uri", noun: "resource", loss, shape };
  return compareEntries(before, after, list);
}

function compareEntries(
  before: ServerSurface,
  after: ServerSurface,
  { list, key, noun, loss, shape, compare }: EntryList,
): SurfaceChange[] {
  const [old, now] = [indexByName(before[list], key), indexByName(after[list], key)];
  const added = [...now].filter(([name]) => !old.has(name));
  const shapes = added.map(([name, entry]) => ({ name, shape: shape(entry) }));
  return [
    ...[...old].flatMap(([name, entry]): SurfaceChange[] => {
      const same = now.get(name);
      if (same !== undefined) return compare(entry, same, `${list}/${name}`);
      const renamed = likelyRename({ name, shape: shape(entry) }, shapes);
      const hint = renamed === undefined ? "" : `; it was likely renamed to ${renamed}`;
      return [changed(loss, `${noun}-removed`, `${list}/${name}`, `${name} is gone${hint}`)];
    }),
    ...added.map(([name]) => changed("compatible", `${noun}-added`, `${list}/${name}`, `${name} is new`)),
  ];
}

function compareResource(before: Entry, after: Entry, path: string): SurfaceChange[] {
  const [old, now] = [before.mimeType, after.mimeType];
  const impact = old === undefined ? "notice" : "breaking";
  const message = `the type was ${old ?? "not said"}, now it is ${now ?? "not said"}`;
  return [
    ...(old === now ? [] : [changed(impact, "mime-type-changed", `${path}/mimeType`, message)]),
    ...(before.name === after.name
      ? []
      : [changed("notice", "name-changed", `${path}/name`, "the name reads differently")]),
    ...compareTexts(before, after, path),
  ];
}

function comparePrompt(before: Entry, after: Entry, path: string): SurfaceChange[] {
  const [old, now] = [argumentsOf(before), argumentsOf(after)];
  const at = (name: string) => `${path}/arguments/${name}`;
  return [
    ...compareTexts(before, after, path),
    ...[...old].flatMap(([name, argument]) => {
      const same = now.get(name);
      return same === undefined
        ? [changed("breaking", "argument-removed", at(name), `${name} is no longer taken`)]
        : compareArgument(name, argument, same, at(name));
    }),
    ...[...now].filter(([name]) => !old.has(name)).map(([name, { required }]) =>
      required === true
        ? changed("breaking", "required-argument-added", at(name), `${name} is new and required`)
        : changed("compatible", "argument-added", at(name), `${name} is new and optional`)
    ),
  ];
}

const argumentsOf = (prompt: Entry): Map<string, Entry> =>
  indexByName(Array.isArray(prompt.arguments) ? prompt.arguments.filter(isObject) : [], "name");

function compareArgument(name: string, before: Entry, after: Entry, path: string): SurfaceChange[] {
  const [old, now] = [before.required === true, after.required === true];
  const required = old === now ? [] : [
    now
      ? changed("breaking", "argument-required", path, `${name} is now required`)
      : changed("compatible", "argument-optional", path, `${name} is no longer required`),
  ];
  return [...required, ...compareTexts(before, after, path)];
}

const changed = (
  impact: SurfaceChange["impact"],
  code: string,
  path: string,
  message: string,
): SurfaceChange => ({ impact, code, path, message });
