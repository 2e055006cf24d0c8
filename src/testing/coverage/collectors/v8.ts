/** V8's own counters, of Node and Deno: no change of the source, and a stretch for each test (PTH design §5.3). */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ScriptCov } from "@bcoe/v8-coverage";
import type { PluginPlan } from "../../../../machines/model/plugin.ts";
import type { FileCoverageData } from "istanbul-lib-coverage";
import { messageOf } from "../../../errors.ts";
import { exists, readTextFile, writeTextFile } from "../../../platform/files.ts";
import { type Collecting, type CoverageSite, defineCollector, type Measured, wordsOf } from "../collector.ts";
import { fetchedFolder } from "../fetched_folder.ts";
import { ranges } from "../ranges.ts";
import { agent } from "../v8/agent.ts";
import { convertScript } from "../v8/convert_script.ts";
import { fileCoverage } from "../v8/file_coverage.ts";
import { reached, type V8Function } from "../v8/script_layout.ts";
import { unloadedScripts } from "../v8/unloaded_scripts.ts";

interface Script {
  scriptId: string;
  url: string;
  functions: V8Function[];
  /** Of code that was made in memory. */
  source?: string;
}

export default defineCollector({
  name: "v8",
  applies: (plan) =>
    wordsOf(plan).some((word) =>
      /^(node|nodejs|deno|npm|npx|tsx|ts-node|pnpm|yarn|npm .*)$|\.[cm]?[jt]s$/.test(word)
    ),
  async start(site, plan) {
    const folder = site.folder.host;
    await writeTextFile(join(folder, "agent.cjs"), agent);
    await writeTextFile(join(folder, "settings.json"), JSON.stringify({ roots: rootsOf(site) }));
    return collect(site, wordsOf(plan).includes("deno"));
  },
});

/** What is fetched as the target itself lies where other dependencies lie. */
function rootsOf({ plugin, source }: CoverageSite): string[] {
  const fetched = fetchedFolder(source);
  return [plugin.inside, ...(fetched === undefined ? [] : [`${plugin.inside}/${fetched}`])];
}

function collect(site: CoverageSite, isDeno: boolean): Collecting {
  /** All counts together, by URL and then by the code that ran. */
  const totals = new Map<string, { script: Script; merged: ScriptCov[] }>();
  const stretches: { label: string | undefined; script: Script }[] = [];
  let answered = false;
  return {
    serverVariables: ({ NODE_OPTIONS = "" }) => ({
      NODE_OPTIONS: `${NODE_OPTIONS} --require "${site.folder.inside}/agent.cjs"`.trim(),
    }),
    built: (plan) => mapSources(site, plan),
    take({ scripts }, _cue, label) {
      answered = true;
      for (const script of scripts as Script[]) {
        const known = totals.get(script.url) ?? { script, merged: [] };
        if (script.source !== undefined) known.script = script;
        known.merged.push({ scriptId: script.scriptId, url: script.url, functions: script.functions });
        totals.set(script.url, known);
        // Functions that did not run stay: those that are told stand within code that did.
        const ran = script.functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
        if (label !== undefined && ran) stretches.push({ label, script });
      }
    },
    async read() {
      const { mergeScriptCovs } = await import("@bcoe/v8-coverage");
      for (const known of totals.values()) {
        known.merged = known.merged.length < 2 ? known.merged : [mergeScriptCovs(known.merged)!];
      }
      const measured = await measure(site, totals, stretches);
      return isDeno && !answered ? { ...measured, notes: [...measured.notes, unheard] } : measured;
    },
  };
}

/** What an agent may not do is nothing that it could tell. */
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
  for (const [url, { script, merged }] of totals) {
    const path = onHost(site, url);
    try {
      const converted = await convertScript(path, merged[0]!.functions, script.source);
      layouts.set(url, converted);
      for (const [file, data] of converted?.files ?? []) {
        if (isOwn(site, file)) all.addFileCoverage({ ...data, path: file } satisfies FileCoverageData);
      }
    } catch (error) {
      notes.push(`${relativeTo(site, path)} was not measured: ${messageOf(error)}`);
    }
  }
  const loaded = [...totals.keys()].map((url) => relativeTo(site, onHost(site, url)));
  for (const data of await neverLoaded(site, loaded)) {
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
      own.push({ path: relativeTo(site, file), ranges: ranges(lines), functions: [...functions] });
    }
    reach.set(label, own);
  }
  return { files, reach, notes };
}

/** Files that hold code, none of which ran. */
async function neverLoaded(site: CoverageSite, loaded: readonly string[]): Promise<FileCoverageData[]> {
  const { host } = site.plugin;
  const found: FileCoverageData[] = [];
  for (const path of await unloadedScripts(host, loaded, fetchedFolder(site.source) ?? ".")) {
    const nothing = { startOffset: 0, endOffset: Number.MAX_SAFE_INTEGER, count: 0 };
    const whole = { functionName: "", ranges: [nothing], isBlockCoverage: true };
    // Expected of what is no JavaScript, such as a template.
    const converted = await convertScript(join(host, path), [whole]).catch(() => undefined);
    for (const [file, data] of converted?.files ?? []) {
      const holdsCode = Object.keys(data.statementMap).length > 0;
      if (holdsCode && isOwn(site, file) && await exists(file)) found.push({ ...data, path: file });
    }
  }
  return found;
}

const onHost = ({ plugin }: CoverageSite, url: string): string =>
  plugin.host + fileURLToPath(url).slice(plugin.inside.length);

const relativeTo = ({ plugin }: CoverageSite, path: string): string => path.slice(plugin.host.length + 1);

/** A bundle's source map also leads to the dependencies that are in the bundle. */
function isOwn(site: CoverageSite, path: string): boolean {
  const inside = site.plugin.inside + path.slice(site.plugin.host.length);
  return path.startsWith(`${site.plugin.host}/`) &&
    rootsOf(site).some((root) =>
      inside.startsWith(`${root}/`) && !inside.slice(root.length).includes("/node_modules/")
    );
}

/**
 * TypeScript that is compiled without source maps is compiled once more with them: the same code, and lines of the source
 * beside it. What cannot be done leaves the compiled files as what is measured.
 */
async function mapSources({ plugin, exec }: CoverageSite, { folder }: PluginPlan): Promise<string[]> {
  const config = join(plugin.host, "tsconfig.json");
  const compiler = join(plugin.host, "node_modules/.bin/tsc");
  if (!await exists(config) || !await exists(compiler)) return [];
  if (/"(inlineS|s)ourceMap"\s*:\s*true|"noEmit"\s*:\s*true/.test(await readTextFile(config))) return [];
  const command = ["node_modules/.bin/tsc", "-p", "tsconfig.json", "--sourceMap", "--noEmitOnError", "false"];
  const { code, stdout } = await exec(command, { cwd: folder, timeoutMs: 120_000 });
  return code === 0
    ? []
    : [`compiled files are measured, not their sources: no source maps (${stdout.trim().split("\n")[0]})`];
}
