/** V8's own counters, of Node and Deno: no change of the source, and a stretch for each test. */
import { posix } from "node:path";
import { firstLine } from "../../../core/text.ts";
import type { ScriptCov } from "@bcoe/v8-coverage";
import type { PluginPlan } from "../../../../machines/model/plugin.ts";
import type { FileCoverageData } from "istanbul-lib-coverage";
import { errorMessage } from "../../../core/errors.ts";
import { assetText } from "../../../platform/asset_text.ts";
import { batchedReader, pathsInside } from "../../../plugin/run_command_inside.ts";
import { type Collecting, type CoverageSite, defineCollector, type Measured, wordsOf } from "../collector.ts";
import { fetchedFolder, lineRanges } from "../line_ranges.ts";
import { placeFiles } from "../place_files.ts";
import { answeredScripts, type Script, unloadedScripts } from "../v8/answered_scripts.ts";
import { convertScript, fileCoverage, type ReadText } from "../v8/convert_script.ts";
import { reached } from "../v8/script_layout.ts";

/** Limit in bytes of one script or source map; bundles take some. */
const largestFile = 8 * 1024 * 1024;
const mostUnloaded = 1000;
const mostScripts = 10_000;

export default defineCollector({
  name: "v8",
  applies: (plan) =>
    wordsOf(plan).some((word) =>
      /^(node|nodejs|deno|npm|npx|tsx|ts-node|pnpm|yarn|npm .*)$|\.[cm]?[jt]s$/.test(word)
    ),
  async start(site, plan) {
    await placeFiles(site, {
      "agent.cjs": assetText("coverage/v8_agent.cjs"),
      "settings.json": JSON.stringify({ roots: rootsOf(site) }),
    });
    return collect(site, wordsOf(plan).includes("deno"));
  },
});

/** Folders whose files count. A fetched target lies where other dependencies lie. */
function rootsOf({ plugin, source }: CoverageSite): string[] {
  const fetched = fetchedFolder(source);
  return [plugin, ...(fetched === undefined ? [] : [`${plugin}/${fetched}`])];
}

function collect(site: CoverageSite, isDeno: boolean): Collecting {
  /** All counts together, by URL and then by the code that ran. */
  const totals = new Map<string, { script: Script; merged: ScriptCov[] }>();
  const stretches: { label: string | undefined; script: Script }[] = [];
  let answered = false;
  return {
    serverVariables: ({ NODE_OPTIONS = "" }) => ({
      NODE_OPTIONS: `${NODE_OPTIONS} --require "${site.folder}/agent.cjs"`.trim(),
    }),
    built: (plan) => mapSources(site, plan),
    take({ scripts }, _cue, label) {
      const told = answeredScripts(scripts).filter(({ path }) => isOwn(site, path));
      answered = true;
      for (const script of told) {
        if (!totals.has(script.url) && totals.size >= mostScripts) continue;
        const known = totals.get(script.url) ?? { script, merged: [] };
        if (script.source !== undefined) known.script = script;
        known.merged.push({ scriptId: script.scriptId, url: script.url, functions: script.functions });
        totals.set(script.url, known);
        // Functions that did not run stay: those that are reported lie within code that ran.
        const ran = script.functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
        if (label !== undefined && ran) stretches.push({ label, script });
      }
    },
    async read() {
      const { default: coverage } = await import("@bcoe/v8-coverage");
      for (const known of totals.values()) {
        known.merged = known.merged.length < 2 ? known.merged : [coverage.mergeScriptCovs(known.merged)!];
      }
      const measured = await measure(site, totals, stretches);
      return isDeno && !answered ? { ...measured, notes: [...measured.notes, unheard] } : measured;
    },
  };
}

/** Note for an agent that lacks permission, since it cannot report that itself. */
const unheard =
  "Deno tells nothing of what ran: the server needs --allow-all, or all of --allow-sys, --allow-read, " +
  "--allow-write and --allow-env, and a Deno that heeds NODE_OPTIONS=--require";

async function measure(
  site: CoverageSite,
  totals: ReadonlyMap<string, { script: Script; merged: ScriptCov[] }>,
  stretches: readonly { label: string | undefined; script: Script }[],
): Promise<Measured> {
  const { default: istanbul } = await import("istanbul-lib-coverage");
  const all = istanbul.createCoverageMap({});
  const notes: string[] = [];
  const layouts = new Map<string, Awaited<ReturnType<typeof convertScript>>>();
  const read = readerOf(site);
  // Side by side, so that what they read is read together.
  await Promise.all([...totals].map(async ([url, { script: { path, source }, merged }]) => {
    try {
      const converted = await convertScript(path, merged[0]!.functions, read, source);
      layouts.set(url, converted);
      for (const [file, data] of converted?.files ?? []) {
        if (isOwn(site, file)) all.addFileCoverage({ ...data, path: file } satisfies FileCoverageData);
      }
    } catch (error) {
      notes.push(`${relativeTo(site, path)} was not measured: ${errorMessage(error)}`);
    }
  }));
  const loaded = [...totals.values()].map(({ script }) => relativeTo(site, script.path));
  for (const data of await neverLoaded(site, loaded, read)) {
    if (!all.files().includes(data.path)) all.addFileCoverage(data);
  }
  const files = all.files().sort().map((file) =>
    fileCoverage(relativeTo(site, file), all.fileCoverageFor(file))
  );
  const reach: Measured["reach"] = new Map();
  for (const { label, script } of stretches) {
    const layout = layouts.get(script.url)?.layout;
    if (layout === undefined || label === undefined) continue;
    const own = reach.get(label) ?? [];
    for (const [file, { lines, functions }] of reached(layout, script.functions)) {
      if (!isOwn(site, file)) continue;
      own.push({ path: relativeTo(site, file), ranges: lineRanges(lines), functions: [...functions] });
    }
    reach.set(label, own);
  }
  return { files, reach, notes };
}

/** Counts files in the plugin's folder only. */
function readerOf({ plugin, exec }: CoverageSite): ReadText {
  const read = batchedReader(exec, plugin, { each: largestFile });
  return async (path) =>
    path.startsWith(`${plugin}/`) ? await read(path.slice(plugin.length + 1)) : undefined;
}

/** Files that hold code, none of which ran. */
async function neverLoaded(
  site: CoverageSite,
  loaded: readonly string[],
  read: ReadText,
): Promise<FileCoverageData[]> {
  const top = fetchedFolder(site.source) ?? ".";
  const listed = await pathsInside(site.exec, posix.join(site.plugin, top));
  const paths = unloadedScripts(listed.map((path) => posix.join(top, path)), loaded, top);
  const found = await Promise.all(
    paths.slice(0, mostUnloaded).map(async (path) => {
      const nothing = { startOffset: 0, endOffset: Number.MAX_SAFE_INTEGER, count: 0 };
      const whole = { functionName: "", ranges: [nothing], isBlockCoverage: true };
      // Expected of what is no JavaScript, such as a template.
      const converted = await convertScript(posix.join(site.plugin, path), [whole], read)
        .catch(() => undefined);
      const own = [...converted?.files ?? []].filter(([file, { statementMap }]) =>
        Object.keys(statementMap).length > 0 && isOwn(site, file)
      );
      const there = await Promise.all(own.map(async ([file]) => await read(file) !== undefined));
      return own.filter((_one, index) => there[index]).map(([file, data]) => ({ ...data, path: file }));
    }),
  );
  return found.flat();
}

const relativeTo = ({ plugin }: CoverageSite, path: string): string => path.slice(plugin.length + 1);

/** A bundle's source map also leads to the dependencies that are in the bundle. */
const isOwn = (site: CoverageSite, path: string): boolean =>
  rootsOf(site).some((root) =>
    path.startsWith(`${root}/`) && !path.slice(root.length).includes("/node_modules/")
  );

/** Prints the settings of a compiler that is there. */
const compilerScript = `[ -f tsconfig.json ] && [ -x node_modules/.bin/tsc ] && head -c 100000 tsconfig.json`;

/**
 * TypeScript that is compiled without source maps is compiled once more with them: the same code, and lines of the source
 * beside it. What cannot be done leaves the compiled files as what is measured.
 */
async function mapSources({ exec }: CoverageSite, { folder }: PluginPlan): Promise<string[]> {
  const config = await exec(["sh", "-c", compilerScript], { cwd: folder });
  if (config.code !== 0) return [];
  if (/"(inlineS|s)ourceMap"\s*:\s*true|"noEmit"\s*:\s*true/.test(config.stdout)) return [];
  const command = ["node_modules/.bin/tsc", "-p", "tsconfig.json", "--sourceMap", "--noEmitOnError", "false"];
  const { code, stdout } = await exec(command, { cwd: folder, timeoutMs: 120_000 });
  return code === 0
    ? []
    : [`compiled files are measured, not their sources: no source maps (${firstLine(stdout)})`];
}
