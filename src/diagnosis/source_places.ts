/** From what output names to places in the plugin's own source. */
import { posix } from "node:path";
import type { SourcePlace } from "../../machines/model/diagnosis.ts";
import { isThirdParty, type PluginSources } from "../plugin/plugin_sources.ts";
import { mapBySimilarLine } from "./map_by_similar_line.ts";
import { sourceFile } from "./source_files.ts";
import { mapBySourceMap } from "./map_by_source_map.ts";
import { readTraces } from "./read_traces.ts";
import type { TraceFrame } from "./trace_frame.ts";

export interface SourceFolders {
  sources: PluginSources;
  /** Names of the plugin's folder, absolute: inside the environment and on the host. */
  roots: readonly string[];
}

const mostPlaces = 10;

/** Places of the plugin's source that the text names, the likeliest culprit first. */
export async function sourcePlaces(text: string, { sources, roots }: SourceFolders): Promise<SourcePlace[]> {
  const places: SourcePlace[] = [];
  const seen = new Set<string>();
  for (const frame of readTraces(text)) {
    if (places.length >= mostPlaces) break;
    const place = await placeOf(frame, sources, roots);
    const key = place && `${place.path}:${place.line}`;
    if (place === undefined || seen.has(key!)) continue;
    seen.add(key!);
    places.push(place);
  }
  return places;
}

async function placeOf(
  frame: TraceFrame,
  sources: PluginSources,
  roots: readonly string[],
): Promise<SourcePlace | undefined> {
  const path = withinPlugin(frame.path, roots);
  if (path === undefined || isThirdParty(path)) return undefined;
  const lines = (await sourceFile(path, sources))?.lines.length;
  if (lines === undefined || frame.line < 1 || frame.line > lines) return undefined;
  const { line, column, name } = frame;
  const there: SourcePlace = {
    path,
    line,
    ...(column === undefined ? {} : { column }),
    ...cleanName(name),
  };
  return await mapBySimilarLine(await mapBySourceMap(there, sources), sources);
}

/** Path within the plugin's folder, or undefined for one that is elsewhere. */
export function withinPlugin(path: string, roots: readonly string[]): string | undefined {
  const plain = path.startsWith("file://") ? decoded(path.slice("file://".length)) : path;
  if (!plain.startsWith("/")) {
    const normal = posix.normalize(plain);
    return normal.startsWith("..") ? undefined : normal;
  }
  const root = roots.find((root) => plain.startsWith(`${root.replace(/\/$/, "")}/`));
  return root === undefined ? undefined : posix.normalize(posix.relative(root, plain));
}

/** A path with a stray "%" is no URL: it is taken as it stands. */
const decoded = (path: string): string => /%(?![0-9a-f]{2})/i.test(path) ? path : decodeURI(path);

const cleanName = (name: string | undefined): { name?: string } =>
  name === undefined || name === "<module>" ? {} : { name: name.replace(/^(?:async|new) /, "") };
