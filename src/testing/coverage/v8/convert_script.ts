/** From what V8 counted in one script to statements, functions and branches of the sources it was made from. */
import { Buffer } from "node:buffer";
import { posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type EncodedSourceMap, TraceMap } from "@jridgewell/trace-mapping";
import type { FileCoverage as IstanbulFile, FileCoverageData } from "istanbul-lib-coverage";
import { layOutScript, type ScriptLayout, type V8Function } from "./script_layout.ts";
import type { FileCoverage } from "../../../../machines/model/coverage.ts";

interface ConvertedScript {
  /** By path inside the environment. */
  files: Map<string, FileCoverageData>;
  layout: ScriptLayout;
}

/** Text of a file inside the environment, by its absolute path; undefined for what is none, or is not to be read. */
export type ReadText = (path: string) => Promise<string | undefined>;

/** Counts of nested ranges are put one over the other: that is so much work at most, in characters. */
const mostWork = 1e9;

/**
 * @param path of the script, inside the environment
 * @param source where the code that ran is not the file's
 * @throws {SyntaxError} for code that is no JavaScript
 */
export async function convertScript(
  path: string,
  functions: V8Function[],
  read: ReadText,
  source?: string,
): Promise<ConvertedScript | undefined> {
  const code = source ?? await read(path);
  if (code === undefined) return undefined;
  requireSensible(functions, code.length);
  const [{ default: convert }, { parse }] = await Promise.all([
    import("ast-v8-to-istanbul"),
    import("acorn"),
  ]);
  const map = await sourceMapOf(code, path, read);
  const data = await convert({
    // Without a map, what the code names as one is looked for on the host. Places stay: the words are of one length.
    code: map === undefined ? code.replaceAll("sourceMappingURL", "sourceMapping___") : code,
    // Its types are another parser's; the trees are the same (ESTree).
    ast: parseScript(parse, code) as never,
    coverage: { url: pathToFileURL(path).href, functions },
    ...(map === undefined ? {} : { sourceMap: map }),
  }) as Record<string, FileCoverageData>;
  const files = new Map(Object.entries(data).map(([name, file]) => [absolute(name, path), file]));
  return { files, layout: layOutScript(code, files, map && traced(map, path)) };
}

function requireSensible(functions: readonly V8Function[], length: number): void {
  let work = 0;
  for (const { startOffset, endOffset } of functions.flatMap(({ ranges }) => ranges)) {
    work += Math.max(0, Math.min(endOffset, length) - startOffset);
  }
  if (work > mostWork) throw new RangeError("its ranges lie in each other too deeply");
}

type Parse = typeof import("acorn").parse;

function parseScript(parse: Parse, code: string): unknown {
  const options = { ecmaVersion: "latest", allowHashBang: true, allowReturnOutsideFunction: true } as const;
  try {
    return parse(code, { ...options, sourceType: "module" });
  } catch {
    // CommonJS may use words that modules reserve.
    return parse(code, { ...options, sourceType: "script" });
  }
}

async function sourceMapOf(
  code: string,
  path: string,
  read: ReadText,
): Promise<EncodedSourceMap | undefined> {
  const url = [...code.matchAll(/^\/\/[#@] sourceMappingURL=(\S+)\s*$/gm)].at(-1)?.[1];
  if (url === undefined) return undefined;
  const inline = /^data:application\/json[^,]*;base64,(.*)$/.exec(url)?.[1];
  const json = inline === undefined
    ? await read(posix.resolve(posix.dirname(path), decodeURI(url)))
    : Buffer.from(inline, "base64").toString("utf8");
  if (json === undefined) return undefined;
  const map = JSON.parse(json) as EncodedSourceMap;
  if (!Array.isArray(map.sources) || typeof map.mappings !== "string") throw new TypeError("its map is none");
  return await withContents(map, path, read);
}

/** Adds the text of each source: one that a map leaves out is read on the host, under the name that the map gives it. */
async function withContents(map: EncodedSourceMap, path: string, read: ReadText): Promise<EncodedSourceMap> {
  const { resolvedSources } = new TraceMap(map);
  const given: readonly unknown[] = Array.isArray(map.sourcesContent) ? map.sourcesContent : [];
  const sourcesContent = await Promise.all(
    resolvedSources.map(async (source, index) => {
      const content = given[index];
      if (typeof content === "string") return content;
      return source === null ? "" : await read(absolute(source, path)) ?? "";
    }),
  );
  return { ...map, sourcesContent };
}

function traced(map: EncodedSourceMap, path: string) {
  const trace = new TraceMap(map);
  const sources = new Map(
    trace.resolvedSources.flatMap((source, index) =>
      source === null ? [] : [[absolute(source, path), trace.sources[index] ?? source] as const]
    ),
  );
  return { trace, sourceOf: (file: string) => sources.get(file) };
}

const absolute = (name: string, script: string): string =>
  name.startsWith("file://") ? fileURLToPath(name) : posix.resolve(posix.dirname(script), name);

export function fileCoverage(path: string, file: IstanbulFile): FileCoverage {
  const { fnMap, f, branchMap, b } = file.data;
  return {
    path,
    lines: { ...file.getLineCoverage() },
    functions: Object.entries(fnMap).map(([id, { name, decl, loc }]) => ({
      name,
      line: decl.start.line,
      endLine: loc.end.line,
      hits: f[id] ?? 0,
    })),
    branches: Object.entries(branchMap).map(([id, { loc }]) => ({ line: loc.start.line, hits: b[id] ?? [] })),
    tools: [],
  };
}
