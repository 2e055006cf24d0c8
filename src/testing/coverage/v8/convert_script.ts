/** From what V8 counted in one script to statements, functions and branches of the sources it was made from. */
import { Buffer } from "node:buffer";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type EncodedSourceMap, TraceMap } from "@jridgewell/trace-mapping";
import type { FileCoverageData } from "istanbul-lib-coverage";
import { readTextIfExists } from "../../../platform/files.ts";
import { layOut, type ScriptLayout, type V8Function } from "./script_layout.ts";

export interface ConvertedScript {
  /** By path on the host. */
  files: Map<string, FileCoverageData>;
  layout: ScriptLayout;
}

/**
 * @param path of the script, on the host
 * @param source where the code that ran is not the file's
 * @throws {SyntaxError} for code that is no JavaScript
 */
export async function convertScript(
  path: string,
  functions: V8Function[],
  source?: string,
): Promise<ConvertedScript | undefined> {
  const code = source ?? await readTextIfExists(path);
  if (code === undefined) return undefined;
  const [{ default: convert }, { parse }] = await Promise.all([
    import("ast-v8-to-istanbul"),
    import("acorn"),
  ]);
  const map = await sourceMapOf(code, path);
  const data = await convert({
    code,
    // Its types are another parser's; the trees are the same (ESTree).
    ast: parseScript(parse, code) as never,
    coverage: { url: pathToFileURL(path).href, functions },
    ...(map === undefined ? {} : { sourceMap: map }),
  }) as Record<string, FileCoverageData>;
  const files = new Map(Object.entries(data).map(([name, file]) => [absolute(name, path), file]));
  return { files, layout: layOut(code, files, map && traced(map, path)) };
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

async function sourceMapOf(code: string, path: string): Promise<EncodedSourceMap | undefined> {
  const url = [...code.matchAll(/^\/\/[#@] sourceMappingURL=(\S+)\s*$/gm)].at(-1)?.[1];
  if (url === undefined) return undefined;
  const inline = /^data:application\/json[^,]*;base64,(.*)$/.exec(url)?.[1];
  const json = inline === undefined
    ? await readTextIfExists(resolve(dirname(path), decodeURI(url)))
    : Buffer.from(inline, "base64").toString("utf8");
  return json === undefined ? undefined : JSON.parse(json) as EncodedSourceMap;
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
  name.startsWith("file://") ? fileURLToPath(name) : resolve(dirname(script), name);
