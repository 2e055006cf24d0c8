/** From compiled JavaScript back to the source it was made from. */
import { posix } from "node:path";
import { Buffer } from "node:buffer";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { SourcePlace } from "../../machines/model/diagnosis.ts";
import type { PluginSources } from "../plugin/plugin_sources.ts";

/** The place in the original, where a source map leads to a file of the plugin; else the place given. */
export async function mapBySourceMap(place: SourcePlace, sources: PluginSources): Promise<SourcePlace> {
  if (!/\.[cm]?js$/.test(place.path)) return place;
  const map = await mapOf(place.path, sources);
  if (map === undefined) return place;
  const column = place.column === undefined ? 0 : place.column - 1;
  const found = originalPositionFor(map.trace, { line: place.line, column, bias: 1 });
  const original = found.source === null
    ? originalPositionFor(map.trace, { line: place.line, column, bias: -1 })
    : found;
  if (original.source === null || original.line === null) return place;
  const path = posix.normalize(posix.join(posix.dirname(map.path), original.source));
  if (path.startsWith("..") || await sources.read(path) === undefined) return place;
  return {
    path,
    line: original.line,
    column: original.column + 1,
    ...(place.name === undefined ? {} : { name: place.name }),
  };
}

async function mapOf(
  path: string,
  sources: PluginSources,
): Promise<{ trace: TraceMap; path: string } | undefined> {
  const text = await sources.read(path);
  const url = text === undefined
    ? undefined
    : [...text.matchAll(/^\/\/[#@] sourceMappingURL=(\S+)\s*$/gm)].at(-1)?.[1];
  if (url === undefined) return undefined;
  const inline = /^data:application\/json[^,]*;base64,(.*)$/.exec(url)?.[1];
  const mapPath = inline === undefined ? pathOf(url, path) : path;
  if (mapPath === undefined) return undefined;
  const json = inline === undefined
    ? await sources.read(mapPath)
    : Buffer.from(inline, "base64").toString("utf8");
  if (json === undefined) return undefined;
  try {
    return { trace: new TraceMap(json), path: mapPath };
  } catch {
    // A map that is no map is the build's affair: the compiled place is still a place.
    return undefined;
  }
}

/** Undefined for a name that is no URL. */
function pathOf(url: string, path: string): string | undefined {
  try {
    return posix.join(posix.dirname(path), decodeURI(url));
  } catch {
    // A stray "%": what the file names is no map.
    return undefined;
  }
}
