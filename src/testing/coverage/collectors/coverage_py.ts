/** coverage.py, from before the server's own code on, with a context for each stretch. */
import type { FileCoverage, TestReach } from "../../../../machines/model/coverage.ts";
import type { PluginPlan } from "../../../../machines/model/plugin.ts";
import { PthError } from "../../../core/errors.ts";
import { assetText } from "../../../platform/asset_text.ts";
import { type Collecting, type CoverageSite, defineCollector, type Measured, wordsOf } from "../collector.ts";
import { placeFiles } from "../place_files.ts";
import { lineRanges } from "../line_ranges.ts";

interface PythonFile {
  /** Path as the environment names it. */
  path: string;
  statements: number[];
  missing: number[];
  functions: { name: string; line: number; body: number; endLine: number }[];
  branches: FileCoverage["branches"];
  /** By line, the numbers of the cues before which it ran. */
  contexts: Record<string, string[]>;
}

export default defineCollector({
  name: "coverage.py",
  applies: (plan) =>
    wordsOf(plan).some((word) => /^(python[\d.]*|uv|uvx|pip|requirements)$|\.py$/.test(word)),
  async start(site, plan) {
    const library = await provide(site, await interpreter(site, plan));
    const settings = {
      root: site.plugin,
      library,
      omit: [`${site.folder}/*`, "*/.venv/*", "*/venv/*", "*/site-packages/*", "*/node_modules/*"],
    };
    await placeFiles(site, {
      "python/": "",
      "python-data/": "",
      "python/sitecustomize.py": assetText("coverage/python_agent.py"),
      "reader.py": assetText("coverage/python_report.py"),
      "python.json": JSON.stringify(settings),
    });
    return collect(site, plan);
  },
});

/** The one that the plugin runs with. */
async function interpreter({ plugin, exec }: CoverageSite, { server }: PluginPlan): Promise<string> {
  const own = `${plugin}/.venv/bin/python`;
  if ((await exec(["test", "-e", own])).code === 0) return own;
  return server.command?.find((word) => /(^|\/)python[\d.]*$/.test(word)) ?? "python3";
}

/**
 * Folder that holds coverage.py for that interpreter: the environment's own, else one fetched from the package index, else
 * the distribution's.
 * @throws {PthError} `UNSUPPORTED`
 */
async function provide({ folder, isolated, exec }: CoverageSite, python: string): Promise<string> {
  const told: string[] = [];
  const tryIt = async (script: string, library: string): Promise<string | undefined> => {
    const where = "import coverage, os; print(os.path.dirname(os.path.dirname(coverage.__file__)))";
    const command = `${script} && PYTHONPATH=${library} '${python}' -c '${where}'`;
    const { code, stdout, stderr } = await exec(["sh", "-c", command], { timeoutMs: 180_000 });
    told.push(stderr.trim().split("\n").at(-1) ?? "");
    return code === 0 ? stdout.trim().split("\n").at(-1) : undefined;
  };
  const fetched = `${folder}/library`;
  const pip = (one: string) =>
    `'${one}' -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 20 --target ${fetched} coverage`;
  return await tryIt("true", "") ??
    await tryIt(`{ ${pip(python)} || ${pip("python3")}; }`, fetched) ??
    (isolated ? await tryIt(distributed, "/usr/lib/python3/dist-packages") : undefined) ??
    refuse(told);
}

const distributed =
  "apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-coverage >/dev/null";

function refuse(told: readonly string[]): never {
  throw new PthError("UNSUPPORTED", "coverage.py is not in the environment and could not be installed", {
    output: told.filter((line) => line !== "").join("\n"),
    next: [
      "Add coverage to the plugin's development dependencies, or choose an image that has python3-coverage",
    ],
  });
}

function collect(site: CoverageSite, plan: PluginPlan): Collecting {
  return {
    serverVariables: ({ PYTHONPATH = "" }) => ({
      PYTHONPATH: [`${site.folder}/python`, PYTHONPATH].filter((part) => part !== "").join(":"),
    }),
    // Contexts say what ran; the answer says no more than that it was counted.
    take: () => {},
    read: async (labels) => await read(site, plan, labels),
  };
}

async function read(
  site: CoverageSite,
  plan: PluginPlan,
  labels: ReadonlyMap<number, string | undefined>,
): Promise<Measured> {
  const nothing: Measured = { files: [], reach: new Map(), notes: [] };
  const { folder } = site;
  const counted = await site.exec(["sh", "-c", '[ -n "$(ls -A python-data)" ]'], { cwd: folder });
  if (counted.code !== 0) return nothing;
  const command = [await interpreter(site, plan), `${folder}/reader.py`, folder];
  const { code, stdout, stderr } = await site.exec(command, {
    cwd: site.plugin,
    timeoutMs: 120_000,
    maxBytes: 64 * 1024 * 1024,
  });
  if (code !== 0) {
    return { ...nothing, notes: [`coverage.py could not be read: ${stderr.trim().split("\n").at(-1)}`] };
  }
  const { files } = JSON.parse(stdout) as { files: PythonFile[] };
  const reach: Measured["reach"] = new Map();
  for (const file of files) {
    for (const [label, own] of reachOf(file, labels)) {
      const path = file.path.slice(site.plugin.length + 1);
      reach.set(label, [...reach.get(label) ?? [], { path, ...own }]);
    }
  }
  return { files: files.map((file) => fileOf(site, file)), reach, notes: [] };
}

/** coverage.py says whether a line ran, not how often. */
function fileOf({ plugin }: CoverageSite, file: PythonFile): FileCoverage {
  const missing = new Set(file.missing);
  const lines = Object.fromEntries(file.statements.map((line) => [line, missing.has(line) ? 0 : 1]));
  return {
    path: file.path.slice(plugin.length + 1),
    lines,
    functions: file.functions.map(({ name, line, body, endLine }) => ({
      name,
      line,
      endLine,
      hits: lines[body] ?? 0,
    })),
    branches: file.branches,
    tools: [],
  };
}

/** A function was entered where its body ran: its first line runs when it is defined. */
function reachOf(
  { contexts, functions }: PythonFile,
  labels: ReadonlyMap<number, string | undefined>,
): Map<string, Omit<TestReach, "path">> {
  const linesOf = new Map<string, Set<number>>();
  for (const [line, cues] of Object.entries(contexts)) {
    for (const cue of cues) {
      const label = labels.get(Number(cue));
      if (label === undefined) continue;
      const lines = linesOf.get(label) ?? new Set<number>();
      linesOf.set(label, lines.add(Number(line)));
    }
  }
  return new Map(
    [...linesOf].map(([label, lines]) => [label, {
      ranges: lineRanges(lines),
      functions: functions.filter(({ body }) => lines.has(body)).map(({ name, line }) => `${name}:${line}`),
    }]),
  );
}
