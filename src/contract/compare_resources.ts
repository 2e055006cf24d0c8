/** Resources and their templates before and after. */
import type { ServerSurface, SurfaceChange } from "../../machines/model/contract.ts";
import { isObject } from "../core/values.ts";
import { compareTexts, indexByName, likelyRename } from "./likely_rename.ts";

type Entry = Record<string, unknown>;

interface Kind {
  /** In the surface, and at the beginning of paths. */
  list: "resources" | "resourceTemplates";
  key: string;
  noun: string;
  /** Impact of removing one. */
  loss: SurfaceChange["impact"];
}

export function compareResources(before: ServerSurface, after: ServerSurface): SurfaceChange[] {
  // A server that says that its list changes has promised none of its entries.
  const { resources } = before.server.capabilities;
  const loss = isObject(resources) && resources.listChanged === true ? "notice" : "breaking";
  return [
    ...compareEntries(before, after, { list: "resources", key: "uri", noun: "resource", loss }),
    ...compareEntries(before, after, {
      list: "resourceTemplates",
      key: "uriTemplate",
      noun: "resource-template",
      loss: "breaking",
    }),
  ];
}

function compareEntries(
  before: ServerSurface,
  after: ServerSurface,
  { list, key, noun, loss }: Kind,
): SurfaceChange[] {
  const [old, now] = [indexByName(before[list], key), indexByName(after[list], key)];
  const at = (name: string) => `${list}/${name}`;
  const added = [...now].filter(([name]) => !old.has(name));
  const shapes = added.map(([name, entry]) => ({ name, shape: without(entry, key) }));
  return [
    ...[...old].flatMap(([name, entry]): SurfaceChange[] => {
      const same = now.get(name);
      if (same !== undefined) return compareEntry(entry, same, at(name));
      const renamed = likelyRename({ name, shape: without(entry, key) }, shapes);
      const hint = renamed === undefined ? "" : `; it is likely ${renamed} now`;
      return [{ impact: loss, code: `${noun}-removed`, path: at(name), message: `${name} is gone${hint}` }];
    }),
    ...added.map(([name]): SurfaceChange => ({
      impact: "compatible",
      code: `${noun}-added`,
      path: at(name),
      message: `${name} is new`,
    })),
  ];
}

const without = (entry: Entry, key: string): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => name !== key));

function compareEntry(before: Entry, after: Entry, path: string): SurfaceChange[] {
  const type: SurfaceChange[] = before.mimeType === after.mimeType ? [] : [{
    impact: before.mimeType === undefined ? "notice" : "breaking",
    code: "mime-type-changed",
    path: `${path}/mimeType`,
    message: `the type was ${before.mimeType ?? "not said"}, now it is ${after.mimeType ?? "not said"}`,
  }];
  const name: SurfaceChange[] = before.name === after.name ? [] : [{
    impact: "notice",
    code: "name-changed",
    path: `${path}/name`,
    message: "the name reads differently",
  }];
  return [...type, ...name, ...compareTexts(before, after, path)];
}
