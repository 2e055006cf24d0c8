/** Every difference between two surfaces of a server, and whether a client that worked may fail by it. */
import type { ServerSurface, SurfaceChange } from "../../machines/model/contract.ts";
import { compareResources } from "./compare_resources.ts";
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
    ...comparePrompts(before.prompts, after.prompts),
  ];
  return changes.map((change, at) => ({ change, at })).sort((a, b) =>
    ranks[a.change.impact] - ranks[b.change.impact] || a.at - b.at
  ).map(({ change }) => change);
}

/** The version says that something changed; what did is told by the rest. */
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

function comparePrompts(before: readonly Entry[], after: readonly Entry[]): SurfaceChange[] {
  const [old, now] = [indexByName(before, "name"), indexByName(after, "name")];
  const added = [...now].filter(([name]) => !old.has(name));
  const shapes = added.map(([name, { arguments: shape }]) => ({ name, shape: { arguments: shape } }));
  return [
    ...[...old].flatMap(([name, prompt]): SurfaceChange[] => {
      const same = now.get(name);
      if (same !== undefined) return comparePrompt(prompt, same, `prompts/${name}`);
      const renamed = likelyRename({ name, shape: { arguments: prompt.arguments } }, shapes);
      const hint = renamed === undefined ? "" : `; it was likely renamed to ${renamed}`;
      const message = `${name} is gone${hint}`;
      return [{ impact: "breaking", code: "prompt-removed", path: `prompts/${name}`, message }];
    }),
    ...added.map(([name]): SurfaceChange => ({
      impact: "compatible",
      code: "prompt-added",
      path: `prompts/${name}`,
      message: `${name} is new`,
    })),
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
