import type { FixRecord } from "../../machines/model/fix.ts";
import { failedOf } from "../../machines/iteration/iteration_state.ts";
import type {
  Convergence,
  ConvergenceTrend,
  FailingTest,
  TestStatusSummary,
} from "../../machines/model/iteration.ts";
import type { ReloadReport } from "../api/harness.ts";
import { cutToColumns, wrapColumns } from "../core/columns.ts";
import { count, plainLine } from "../core/text.ts";

const columns = 80;
const failingShown = 12;
/** Limit on numbers in the progress line; a longer history shows the first and the latest. */
const figuresShown = 10;

/** Earlier iteration to compare the test status with. */
interface EarlierIteration {
  passed: number;
  /** Tests that there were then. */
  total: number;
  /** Iteration that ended with it; 0 for the state before the first. */
  iteration: number;
}

/** @param distro where it is not the session's own environment */
export function testingText(
  iteration: number,
  standing: TestStatusSummary,
  earlier?: EarlierIteration,
  distro?: string,
): string {
  const { total, passed, skipped, flaky = 0, stale = 0, failing, loadError } = standing;
  if (loadError !== undefined) {
    return block(iteration, "Testing", [
      field("Tests", "none ran: the plugin does not load"),
      ...told("Error", loadError),
    ]);
  }
  const at = distro === undefined ? "" : ` on ${distro}`;
  const left = total - passed - skipped - failedOf(standing);
  const skips = [
    flaky > 0 && `, ${flaky} of them flaky`,
    skipped > 0 && `, ${skipped} skipped`,
    left > 0 && `, ${left} not run`,
    stale > 0 && `, ${stale} not run since the latest fix`,
  ].filter((part) => part !== false).join("");
  return block(iteration, "Testing", [
    field(
      "Tests",
      `${passed}/${total} passing${at}${skips}${earlier ? ` (${difference(standing, earlier)})` : ""}`,
    ),
    ...(failing.length === 0 ? [] : [field("Failing", failingList(failing, failedOf(standing)))]),
  ]);
}

function difference(
  { passed, total }: TestStatusSummary,
  { passed: before, total: then, iteration }: EarlierIteration,
): string {
  const when = iteration === 0 ? "the start" : `iteration ${iteration}`;
  const since = total === then ? when : `${when}, ${then} tests then`;
  if (passed === before) return `no change from ${since}`;
  return `${passed > before ? "↑" : "↓"}${Math.abs(passed - before)} from ${since}`;
}

function failingList(failing: readonly FailingTest[], failed: number): string {
  const shown = failing.slice(0, failingShown).map(({ name, category }) =>
    `${cutToColumns(plainLine(name), 60)}${
      category === undefined ? "" : ` (${category.replaceAll("-", " ")})`
    }`
  );
  const more = failed - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Frames of a stack below the error, which fill the end of an output; the error stands above them. */
const frame = /^\s*at .*(:\d+:\d+\)?|<anonymous>\)?)(\s*\{)?$|^Node\.js v\d/;

/** Neither empty, nor a bracket alone, nor a frame. */
const saysSomething = (line: string): boolean => /\w/.test(line) && !frame.test(line.trimEnd());

export const fixText = (iteration: number, fix: FixRecord): string =>
  block(iteration, "Fix Applied", [
    field(fix.files.length === 1 ? "File" : "Files", fix.files.map(plainLine).join(", ")),
    field("Change", plainLine(fix.title)),
    field("Risk", riskOf(fix)),
  ]);

/** A fix that was proposed and not applied, or a cause that got none. */
export function refusedText(iteration: number, title: string, reason: string): string {
  return block(iteration, "No Fix", [field("About", plainLine(title)), ...told("Reason", reason)]);
}

/** A sentence, and below it the end of the output that it comes with. */
function told(name: string, text: string): string[] {
  const [what = "", ...output] = text.split("\n");
  const said = output.filter(saysSomething).slice(-8);
  return [
    field(name, plainLine(what)),
    ...said.map((line) => `        ${cutToColumns(plainLine(line), columns - 8)}`),
  ];
}

export function iterationReloadText(iteration: number, { tools, build, closed }: ReloadReport): string {
  const { total } = tools;
  const strays = closed.flatMap(({ orphans }) => orphans);
  return block(iteration, "Reload", [
    build === undefined
      ? "Plugin needs no build"
      : `Plugin rebuilt successfully (${(build.durationMs / 1000).toFixed(1)}s)`,
    ...wrapColumns(
      `MCP server restarted — ${count(total, "tool")} detected (${toolChanges(tools)})`,
      columns,
    ),
    ...strays.map((stray) => field("Left behind by the old server", plainLine(stray))),
  ]);
}

function toolChanges({ added, removed, changed }: ReloadReport["tools"]): string {
  const parts = ([["added", added], ["removed", removed], ["changed", changed]] as const)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${names.map(plainLine).join(", ")}`);
  return parts.length === 0 ? "no schema changes" : parts.join("; ");
}

/** @param iterations how many have ended */
export function convergenceText(convergence: Convergence, iterations: number): string {
  const { progress, totals, reason, suggestion, distros = [] } = convergence;
  return [
    rule("Convergence", 44),
    field("Iterations", String(iterations)),
    ...(progress.length === 0 ? [] : [field("Progress", progressText(progress, totals))]),
    field("Status", `${statusWord(convergence)} — ${plainLine(reason)}`),
    ...(suggestion === undefined ? [] : [field("Suggestion", plainLine(suggestion))]),
    ...(distros.length === 0 ? [] : [
      field(
        "Distributions",
        distros.map(({ distro, passed, total }) => `${distro} ${passed}/${total}`).join(", "),
      ),
    ]),
  ].join("\n");
}

/** Without a failure tests may still have been skipped, or not run. */
function statusWord({ trend, progress, totals }: Convergence): string {
  const passed = progress.at(-1) ?? 0;
  return trend === "green" && passed > 0 && passed === totals.at(-1) ? "All tests pass" : statusWords[trend];
}

const statusWords: Record<ConvergenceTrend, string> = {
  untested: "Untested",
  green: "No test fails",
  improving: "Improving",
  plateau: "Possible plateau",
  oscillating: "Oscillating",
  regressing: "Regressing",
};

/** Writes a total with the first number, and wherever it changed. */
function progressText(progress: readonly number[], totals: readonly number[]): string {
  const [first = "", ...rest] = progress.map((passed, index) =>
    index > 0 && totals[index] === totals[index - 1] ? String(passed) : `${passed}/${totals[index]}`
  );
  const shown = rest.length < figuresShown ? rest : ["…", ...rest.slice(1 - figuresShown)];
  return [first, ...shown].join(" → ");
}

const block = (iteration: number, phase: string, lines: readonly string[]): string =>
  [rule(`Iteration ${iteration}`, 43), `Phase: ${phase}`, ...lines].join("\n");

const rule = (title: string, length: number): string => `── ${title} `.padEnd(length, "─");

/** `Name: text`; what does not fit on the line goes on below the text. */
function field(name: string, text: string): string {
  const label = `${name}: `;
  return wrapColumns(text, columns - label.length).map((line, index) =>
    (index === 0 ? label : " ".repeat(label.length)) + line
  ).join("\n");
}

/** Files that decide what is installed and how all is built: a change of them reaches beyond its own lines. */
const reaching =
  /(^|\/)(package(-lock)?\.json|(yarn|pnpm|poetry|uv|Cargo)[\w.-]*lock[\w.]*|pyproject\.toml|requirements[\w.-]*\.txt|setup\.(py|cfg)|Cargo\.toml|go\.(mod|sum)|tsconfig[\w.-]*\.json|Makefile|CMakeLists\.txt|Dockerfile|Gemfile(\.lock)?|pom\.xml|build\.gradle(\.kts)?)$/;

/** `Low — single file, 4 lines changed`. */
export function riskOf({ files, changed }: Pick<FixRecord, "files" | "changed">): string {
  const lines = changed && Math.max(changed.added, changed.removed);
  const special = files.filter((file) => reaching.test(file));
  const level = files.length > 5 || (lines ?? 0) > 200
    ? "High"
    : files.length > 1 || (lines ?? 0) > 40 || special.length > 0
    ? "Medium"
    : "Low";
  const facts = [
    files.length === 1 ? "single file" : `${files.length} files`,
    ...(lines === undefined ? [] : [`${count(lines, "line")} changed`]),
    ...(special.length === 0 ? [] : [`what is installed or built changes (${special.join(", ")})`]),
  ];
  return `${level} — ${facts.join(", ")}`;
}
