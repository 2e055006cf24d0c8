/** Rust that cargo builds: the compiler's counters, read in the files that they are kept in (PTH design §5.3). */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { FileCoverage, FunctionCoverage, Reach } from "../../../../machines/model/coverage.ts";
import type { PluginPlan } from "../../../../machines/model/plugin.ts";
import {
  chmod,
  entriesOf,
  mkdir,
  readFile,
  readTextFile,
  readTextIfExists,
  writeFile,
} from "../../../platform/files.ts";
import { type Collecting, type CoverageSite, defineCollector, type Measured } from "../collector.ts";
import { ranges } from "../ranges.ts";
import { provideTools } from "../rust/provide_tools.ts";
import { type LcovFile, readLcov } from "../rust/read_lcov.ts";

/** llvm-cov's own words (`export --format=text`); a region is first line, column, last line, column, …, number of its file. */
interface Exported {
  data: { functions: { filenames: string[]; regions: number[][] }[] }[];
}

export default defineCollector({
  name: "llvm-cov",
  applies: ({ build }) => build?.system === "cargo",
  async start(site, plan) {
    const { host, inside } = site.folder;
    for (const name of ["profraw", "stretches"]) {
      await mkdir(join(host, name), { recursive: true });
      await chmod(join(host, name), 0o777);
    }
    const { folder, variables } = await provideTools(site);
    return {
      serverVariables: () => ({ LLVM_PROFILE_FILE: `${inside}/profraw/%p-%m%c.profraw` }),
      // Programs that run while others are built count, too, and are nobody's tests.
      buildVariables: { ...variables, LLVM_PROFILE_FILE: `${inside}/build/%p-%m.profraw` },
      take: () => {},
      ended: snapshots(host),
      read: (labels) => read(site, plan, folder, labels),
    };
  },
});

/** Keeps the counters as they stand at the end of each stretch in which some changed. */
function snapshots(host: string): NonNullable<Collecting["ended"]> {
  let before: string | undefined;
  return async (cue) => {
    const names = (await entriesOf(join(host, "profraw"))).map(({ name }) => name).sort();
    if (names.length === 0) return;
    const files = await Promise.all(
      names.map(async (name) => ({ name, data: await readFile(join(host, "profraw", name)) })),
    );
    const digest = createHash("sha256");
    for (const { name, data } of files) digest.update(`${name}:${data.length}:`).update(data);
    const now = digest.digest("hex");
    if (now === before) return;
    before = now;
    const folder = join(host, "stretches", String(cue));
    await mkdir(folder);
    for (const { name, data } of files) await writeFile(join(folder, name), data);
  };
}

/** Counters only grow: what ran in a stretch is the difference to the one before. */
const script = `tools=$1; target=$2; set --
for program in "$target"/debug/* "$target"/release/*; do
  [ -f "$program" ] && [ -x "$program" ] && grep -q __llvm_covmap "$program" && set -- "$@" -object "$program"
done
[ $# -gt 0 ] || { echo "no program with counters lies in $target" >&2; exit 1; }
for stretch in *; do
  "$tools/llvm-profdata" merge -sparse "$stretch"/*.profraw -o "$stretch/counts" || exit 1
  "$tools/llvm-cov" export --format=lcov --instr-profile="$stretch/counts" "$@" >"$stretch/lcov" || exit 1
  "$tools/llvm-cov" export --format=text --skip-expansions --instr-profile="$stretch/counts" "$@" >functions || exit 1
done`;

async function read(
  site: CoverageSite,
  plan: PluginPlan,
  tools: string,
  labels: ReadonlyMap<number, string | undefined>,
): Promise<Measured> {
  const folder = join(site.folder.host, "stretches");
  const cues = (await entriesOf(folder)).map(({ name }) => Number(name)).filter(Number.isInteger)
    .sort((a, b) => a - b);
  if (cues.length === 0) return { files: [], reach: new Map(), notes: [] };
  const { code, stderr } = await site.exec(["sh", "-c", script, "sh", tools, `${plan.folder}/target`], {
    cwd: `${site.folder.inside}/stretches`,
    timeoutMs: 300_000,
  });
  if (code !== 0) {
    return {
      files: [],
      reach: new Map(),
      notes: [`llvm-cov could not be read: ${stderr.trim().split("\n").at(-1)}`],
    };
  }
  const areas = await areasOf(site, JSON.parse(await readTextFile(join(folder, "functions"))) as Exported);
  const reach: Measured["reach"] = new Map();
  let before: FileCoverage[] = [];
  for (const cue of cues) {
    const now = filesOf(site, readLcov(await readTextFile(join(folder, String(cue), "lcov"))), areas);
    const label = labels.get(cue);
    if (label !== undefined) reach.set(label, [...reach.get(label) ?? [], ...difference(before, now)]);
    before = now;
  }
  return { files: before, reach, notes: [] };
}

type Areas = Map<string, Map<number, Omit<FunctionCoverage, "hits">>>;

/** Functions by path and first line, called as the source calls them: the compiler's names are mangled. */
async function areasOf(site: CoverageSite, { data }: Exported): Promise<Areas> {
  const areas: Areas = new Map();
  for (const { filenames, regions } of data.flatMap(({ functions }) => functions)) {
    const [line, , , , , file] = regions[0] as [number, number, number, number, number, number];
    const path = pathIn(site, filenames[file]!);
    const endLine = Math.max(...regions.filter((region) => region[5] === file).map((region) => region[2]!));
    if (path === undefined) continue;
    const own = areas.get(path) ?? new Map<number, Omit<FunctionCoverage, "hits">>();
    areas.set(path, own);
    const text = (await readTextIfExists(join(site.plugin.host, path)))?.split("\n")[line - 1] ?? "";
    own.set(line, { name: /\bfn\s+(\w+)/.exec(text)?.[1] ?? "(closure)", line, endLine });
  }
  return areas;
}

function pathIn({ plugin }: CoverageSite, file: string): string | undefined {
  const path = file.startsWith(`${plugin.inside}/`) ? file.slice(plugin.inside.length + 1) : undefined;
  return path === undefined || path.startsWith("target/") ? undefined : path;
}

const filesOf = (site: CoverageSite, files: ReadonlyMap<string, LcovFile>, areas: Areas): FileCoverage[] =>
  [...files].flatMap(([file, { lines, functions }]) => {
    const path = pathIn(site, file);
    if (path === undefined) return [];
    return [{
      path,
      lines: Object.fromEntries(lines),
      functions: [...functions].sort(([a], [b]) => a - b).map(([line, hits]) => ({
        ...areas.get(path)?.get(line) ?? { name: "(closure)", line, endLine: line },
        hits,
      })),
      branches: [],
      tools: [],
    }];
  });

function difference(before: readonly FileCoverage[], now: readonly FileCoverage[]): Reach[] {
  const earlier = new Map(before.map((file) => [file.path, file]));
  return now.flatMap(({ path, lines, functions }) => {
    const old = earlier.get(path);
    const oldHits = new Map(old?.functions.map(({ line, hits }) => [line, hits]));
    const ran = Object.entries(lines).map(([line, hits]) => [Number(line), hits] as const)
      .filter(([line, hits]) => hits > (old?.lines[line] ?? 0)).map(([line]) => line);
    const entered = functions.filter(({ line, hits }) => hits > (oldHits.get(line) ?? 0));
    return ran.length + entered.length === 0
      ? []
      : [{ path, ranges: ranges(ran), functions: entered.map(({ name, line }) => `${name}:${line}`) }];
  });
}
