/** Rust that cargo builds: the compiler's counters, read in the files that they are kept in. */
import type { FileCoverage, FunctionCoverage, TestReach } from "../../../../machines/model/coverage.ts";
import type { PluginPlan } from "../../../../machines/model/plugin.ts";
import { textsInside } from "../../../plugin/run_command_inside.ts";
import { type Collecting, type CoverageSite, defineCollector, type Measured } from "../collector.ts";
import { placeFiles } from "../place_files.ts";
import { lineRanges } from "../line_ranges.ts";
import { type LcovFile, provideTools, readLcov } from "../rust/provide_tools.ts";

/**
 * llvm-cov's own words (`export --format=text`); a region is first line, column, last line, column, …, number of its
 * file.
 */
interface Exported {
  data: { functions: { filenames: string[]; regions: number[][] }[] }[];
}

const mebibyte = 1024 * 1024;
const cuesAtOnce = 16;

export default defineCollector({
  name: "llvm-cov",
  applies: ({ build }) => build?.system === "cargo",
  async start(site, plan) {
    const { folder: inside } = site;
    await placeFiles(site, { "profraw/": "", "stretches/": "" });
    const { folder, variables } = await provideTools(site);
    return {
      serverVariables: () => ({ LLVM_PROFILE_FILE: `${inside}/profraw/%p-%m%c.profraw` }),
      // Programs that run while others are built count, too, and belong to no test.
      buildVariables: { ...variables, LLVM_PROFILE_FILE: `${inside}/build/%p-%m.profraw` },
      take: () => {},
      ended: keepCounters,
      read: (labels) => read(site, plan, folder, labels),
    };
  },
});

/** Keeps the counters as they stand at the end of each stretch in which some changed. */
const keepCounters: NonNullable<Collecting["ended"]> = async (cue, step) => {
  const kept = `stretches/${cue}`;
  await step(
    `set -- profraw/*; if [ -e "$1" ]; then now=$(cat "$@" | cksum); if [ "$now" != "$counted" ]; then ` +
      `counted=$now; mkdir -p ${kept} && cp -- "$@" ${kept}/; fi; fi`,
    { timeoutMs: 30_000 },
  );
};

/** Counters only grow: what ran in a stretch is the difference to the one before. Of dependencies nothing is wanted. */
const script = `tools=$1; target=$2; export plugin=$3; set --
for program in "$target"/debug/* "$target"/release/*; do
  [ -f "$program" ] && [ -x "$program" ] && grep -q __llvm_covmap "$program" && set -- "$@" -object "$program"
done
[ $# -gt 0 ] || { echo "no program with counters lies in $target" >&2; exit 1; }
for stretch in *; do
  "$tools/llvm-profdata" merge -sparse "$stretch"/*.profraw -o "$stretch/counts" || exit 1
  "$tools/llvm-cov" export --format=lcov --instr-profile="$stretch/counts" "$@" >whole || exit 1
  awk '/^SF:/ { own = index($0, "SF:" ENVIRON["plugin"] "/") == 1 } own' whole >"$stretch/lcov" || exit 1
  "$tools/llvm-cov" export --format=text --skip-expansions --instr-profile="$stretch/counts" "$@" >functions || exit 1
done`;

async function read(
  site: CoverageSite,
  plan: PluginPlan,
  tools: string,
  labels: ReadonlyMap<number, string | undefined>,
): Promise<Measured> {
  const folder = `${site.folder}/stretches`;
  const listed = await site.exec(["ls", folder]);
  const cues = listed.stdout.split("\n").filter((name) => labels.has(Number(name))).map(Number)
    .sort((a, b) => a - b);
  const nothing: Measured = { files: [], reach: new Map(), notes: [] };
  if (cues.length === 0) return nothing;
  const words = [tools, `${plan.folder}/target`, site.plugin];
  const { code, stderr } = await site.exec(["sh", "-c", script, "sh", ...words], {
    cwd: folder,
    timeoutMs: 300_000,
  });
  if (code !== 0) {
    return { ...nothing, notes: [`llvm-cov could not be read: ${stderr.trim().split("\n").at(-1)}`] };
  }
  const functions = await textsInside(site.exec, folder, ["functions"], { each: 64 * mebibyte });
  const exported = JSON.parse(functions.get("functions") ?? '{ "data": [] }') as Exported;
  const areas = await areasOf(site, exported);
  const reach: Measured["reach"] = new Map();
  const notes = new Set<string>();
  let before: FileCoverage[] = [];
  for (const some of inGroups(cues, cuesAtOnce)) {
    const texts = await textsInside(site.exec, folder, some.map((cue) => `${cue}/lcov`), {
      each: 4 * mebibyte,
    });
    for (const cue of some) {
      const text = texts.get(`${cue}/lcov`);
      if (text === undefined) {
        notes.add("of some tests it is not known what they ran: llvm-cov's words could not be read");
        continue;
      }
      const now = filesOf(site, readLcov(text), areas);
      const label = labels.get(cue);
      if (label !== undefined) reach.set(label, [...reach.get(label) ?? [], ...difference(before, now)]);
      before = now;
    }
  }
  return { files: before, reach, notes: [...notes] };
}

function* inGroups<One>(all: readonly One[], size: number): Generator<One[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

type Areas = Map<string, Map<number, Omit<FunctionCoverage, "hits">>>;

/** Functions by path and first line, called as the source calls them: the compiler's names are mangled. */
async function areasOf(site: CoverageSite, { data }: Exported): Promise<Areas> {
  const areas: Areas = new Map();
  const named = data.flatMap(({ functions }) => functions.flatMap(({ filenames }) => filenames));
  const texts = await textsInside(site.exec, site.plugin, named.flatMap((file) => pathIn(site, file) ?? []));
  for (const { filenames, regions } of data.flatMap(({ functions }) => functions)) {
    const [line, , , , , file] = regions[0] as [number, number, number, number, number, number];
    const path = pathIn(site, filenames[file]!);
    const endLine = Math.max(...regions.filter((region) => region[5] === file).map((region) => region[2]!));
    if (path === undefined) continue;
    const own = areas.get(path) ?? new Map<number, Omit<FunctionCoverage, "hits">>();
    areas.set(path, own);
    const text = texts.get(path)?.split("\n")[line - 1] ?? "";
    own.set(line, { name: /\bfn\s+(\w+)/.exec(text)?.[1] ?? "(closure)", line, endLine });
  }
  return areas;
}

function pathIn({ plugin }: CoverageSite, file: string): string | undefined {
  const path = file.startsWith(`${plugin}/`) ? file.slice(plugin.length + 1) : undefined;
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

function difference(before: readonly FileCoverage[], now: readonly FileCoverage[]): TestReach[] {
  const earlier = new Map(before.map((file) => [file.path, file]));
  return now.flatMap(({ path, lines, functions }) => {
    const old = earlier.get(path);
    const oldHits = new Map(old?.functions.map(({ line, hits }) => [line, hits]));
    const ran = Object.entries(lines).map(([line, hits]) => [Number(line), hits] as const)
      .filter(([line, hits]) => hits > (old?.lines[line] ?? 0)).map(([line]) => line);
    const entered = functions.filter(({ line, hits }) => hits > (oldHits.get(line) ?? 0));
    return ran.length + entered.length === 0
      ? []
      : [{ path, ranges: lineRanges(ran), functions: entered.map(({ name, line }) => `${name}:${line}`) }];
  });
}
