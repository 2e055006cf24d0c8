/** C and C++ that a makefile builds with gcc: counters of `--coverage`, written out at each cue. */
import type { FileCoverage, TestReach } from "../../../../machines/model/coverage.ts";
import { PthError } from "../../../core/errors.ts";
import { type Collecting, type CoverageSite, defineCollector, type Measured } from "../collector.ts";
import { assetText } from "../../../platform/asset_text.ts";
import { placeFiles } from "../place_files.ts";
import { lineRanges } from "../line_ranges.ts";

/** gcov's own words (`gcov --json-format`, version 9 and newer). */
interface GcovReport {
  current_working_directory: string;
  files: {
    file: string;
    functions: { demangled_name: string; start_line: number; end_line: number; execution_count: number }[];
    lines: { line_number: number; count: number; branches: { count: number }[] }[];
  }[];
}

export default defineCollector({
  name: "gcov",
  applies: ({ build }) => build?.system === "make",
  async start(site) {
    await placeFiles(site, { "gcda/": "", "agent.c": assetText("coverage/gcov_agent.c") });
    const compile = `gcov --version >/dev/null && gcc -O1 -fPIC -c agent.c -o agent.o`;
    const { code, stderr } = await site.exec(["sh", "-c", compile], {
      cwd: site.folder,
    });
    if (code === 0) return collect(site);
    throw new PthError("UNSUPPORTED", "gcc and gcov are not both in the environment", { output: stderr });
  },
});

function collect(site: CoverageSite): Collecting {
  const flags = `--coverage\\ ${site.folder}/agent.o`;
  return {
    serverVariables: () => ({}),
    // Everything is built again (-B), by compilers that count; the makefile's own flags stay.
    buildVariables: { MAKEFLAGS: `B -- CC=gcc\\ ${flags} CXX=g++\\ ${flags}` },
    // Folders say what ran; the answer says no more than that it was written.
    take: () => {},
    read: async (labels) => await read(site, labels),
  };
}

/**
 * Prints one line for each object of each stretch: the stretch's number, and gcov's report. Notes lie next to the
 * object.
 */
const script = `for stretch in *; do
  find "$stretch" -name '*.gcda' | while read -r data; do
    object="/\${data#*/}"
    cp "\${object%.gcda}.gcno" "\${data%.gcda}.gcno" 2>/dev/null || continue
    printf '%s ' "$stretch"
    gcov --json-format --stdout --branch-probabilities "$data" 2>/dev/null | tr -d '\\n'
    echo
  done
done`;

async function read(
  site: CoverageSite,
  labels: ReadonlyMap<number, string | undefined>,
): Promise<Measured> {
  const cwd = `${site.folder}/gcda`;
  const { stdout } = await site.exec(["sh", "-c", script], {
    cwd,
    timeoutMs: 120_000,
    maxBytes: 64 * 1024 * 1024,
  });
  const files = new Map<string, FileCoverage>();
  const reach: Measured["reach"] = new Map();
  for (const line of stdout.split("\n")) {
    const [, stretch, json] = /^(\d+) (\{.*)$/.exec(line) ?? [];
    if (json === undefined) continue;
    const label = labels.get(Number(stretch));
    for (const file of filesOf(site, JSON.parse(json) as GcovReport)) {
      files.set(file.path, sum(files.get(file.path), file));
      if (label !== undefined) reach.set(label, [...reach.get(label) ?? [], reachOf(file)]);
    }
  }
  return { files: [...files.values()], reach, notes: [] };
}

const filesOf = ({ plugin }: CoverageSite, report: GcovReport): FileCoverage[] =>
  report.files.flatMap(({ file, functions, lines }) => {
    const path = file.startsWith("/") ? file : `${report.current_working_directory}/${file}`;
    if (!path.startsWith(`${plugin}/`)) return [];
    const hits: Record<number, number> = {};
    for (const { line_number, count } of lines) hits[line_number] = (hits[line_number] ?? 0) + count;
    return [{
      path: path.slice(plugin.length + 1),
      lines: hits,
      functions: functions.map(({ demangled_name, start_line, end_line, execution_count }) => ({
        name: demangled_name,
        line: start_line,
        endLine: end_line,
        hits: execution_count,
      })),
      branches: lines.filter(({ branches }) => branches.length > 1)
        .map(({ line_number, branches }) => ({
          line: line_number,
          hits: branches.map(({ count }) => count),
        })),
      tools: [],
    }];
  });

/** Adds counts of the same object in two stretches: functions and branches are in the same order. */
function sum(before: FileCoverage | undefined, now: FileCoverage): FileCoverage {
  if (before === undefined) return now;
  const lines = { ...before.lines };
  for (const [line, hits] of Object.entries(now.lines)) {
    lines[Number(line)] = (lines[Number(line)] ?? 0) + hits;
  }
  return {
    ...now,
    lines,
    functions: now.functions.map((one, index) => ({
      ...one,
      hits: one.hits + (before.functions[index]?.hits ?? 0),
    })),
    branches: now.branches.map(({ line, hits }, index) => ({
      line,
      hits: hits.map((hit, way) => hit + (before.branches[index]?.hits[way] ?? 0)),
    })),
  };
}

const reachOf = ({ path, lines, functions }: FileCoverage): TestReach => ({
  path,
  ranges: lineRanges(Object.entries(lines).filter(([, hits]) => hits > 0).map(([line]) => Number(line))),
  functions: functions.filter(({ hits }) => hits > 0).map(({ name, line }) => `${name}:${line}`),
});
