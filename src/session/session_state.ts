/** `.pth/session-state.json`: written as text of a bounded size, and read back from whatever a crash left of it. */
import * as z from "zod";
import { failedOf } from "../../machines/iteration/iteration_state.ts";
import type { IterationRecord, TestStatusSummary } from "../../machines/model/iteration.ts";
import {
  boundMatrix,
  boundPerformance,
  savedMatrix,
  savedPerformance,
  shortenSaved,
} from "./saved_performance.ts";
import type { SessionState } from "../../machines/model/session_state.ts";

/** Characters that the history may take in full, and in all. The oldest iterations give way. */
const fullHistory = 150_000;
const wholeHistory = 300_000;
const mostTests = 5000;
const mostCauses = 100;

/** Text of the file, a line for each part; its size does not grow with the number of iterations. */
export function serializeState(state: SessionState): string {
  const bounded: SessionState = {
    ...state,
    records: boundRecords(state.records),
    causes: state.causes.slice(0, mostCauses).map((cause) => ({
      ...cause,
      cause: shortenSaved(cause.cause),
      tests: cause.tests.slice(0, mostCauses),
    })),
    tests: boundTests(state.tests),
    ...(state.matrix === undefined ? {} : { matrix: boundMatrix(state.matrix) }),
    ...(state.performance === undefined ? {} : { performance: boundPerformance(state.performance) }),
  };
  const parts = Object.entries(bounded).filter(([, value]) => value !== undefined);
  return `{\n${
    parts.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(",\n")
  }\n}\n`;
}

/** The newest iterations in full, older ones with their figures only, and none beyond that. */
function boundRecords(records: readonly IterationRecord[]): IterationRecord[] {
  const kept: IterationRecord[] = [];
  let size = 0;
  let whole = true;
  for (const record of records.toReversed()) {
    const full = { ...record, before: boundStanding(record.before), after: boundStanding(record.after) };
    whole = whole && size + JSON.stringify(full).length <= fullHistory;
    const one = whole ? full : figuresOf(record);
    size += JSON.stringify(one).length;
    if (size > wholeHistory) break;
    kept.push(one);
  }
  return kept.reverse();
}

const boundStanding = (standing: TestStatusSummary): TestStatusSummary => ({
  ...standing,
  failing: standing.failing.slice(0, 200),
  ...(standing.failing.length > 200 ? { failed: failedOf(standing) } : {}),
  ...(standing.loadError === undefined ? {} : { loadError: shortenSaved(standing.loadError) }),
});

const figuresAlone = (standing: TestStatusSummary): TestStatusSummary => ({
  ...boundStanding(standing),
  failing: [],
  failed: failedOf(standing),
});

const figuresOf = (record: IterationRecord): IterationRecord => ({
  number: record.number,
  ...(record.distro === undefined ? {} : { distro: record.distro }),
  at: record.at,
  before: figuresAlone(record.before),
  after: figuresAlone(record.after),
  mended: [],
  broken: [],
  groups: [],
  fixes: [],
  refused: [],
  newTests: record.newTests,
  health: [],
  timings: {},
  shortened: true,
});

/** Limits the tests to the room that there is; failed ones come first. */
function boundTests(tests: SessionState["tests"]): SessionState["tests"] {
  const all = Object.entries(tests);
  if (all.length <= mostTests) return tests;
  const failed = all.filter(([, { status }]) => status !== "passed");
  const passed = all.filter(([, { status }]) => status === "passed");
  return Object.fromEntries([...failed, ...passed].slice(0, mostTests));
}

const figure = z.number().int().nonnegative();
const strings = z.array(z.string());

const failing = z.object({
  id: z.string(),
  name: z.string(),
  tool: z.string().exactOptional(),
  category: z.string().exactOptional(),
});

const standing = z.object({
  total: figure,
  passed: figure,
  skipped: figure,
  flaky: figure.exactOptional(),
  failing: z.array(failing),
  failed: figure.exactOptional(),
  stale: figure.exactOptional(),
  loadError: z.string().exactOptional(),
});

const record = z.object({
  number: figure,
  distro: z.string().exactOptional(),
  at: z.string(),
  before: standing,
  after: standing,
  mended: strings,
  broken: strings,
  appeared: strings.exactOptional(),
  added: figure.exactOptional(),
  removed: figure.exactOptional(),
  shortened: z.literal(true).exactOptional(),
  groups: z.array(z.object({ id: z.string(), cause: z.string(), tests: figure })),
  fixes: z.array(z.object({ commit: z.string(), title: z.string(), files: strings })),
  refused: z.array(z.object({ title: z.string(), reason: z.string() })),
  tools: z.object({ added: strings, removed: strings, changed: strings, total: figure }).exactOptional(),
  newTests: figure,
  health: strings,
  timings: z.record(z.string(), z.number()),
});

const schema = z.object({
  version: z.literal(1),
  sessionId: z.string(),
  branch: z.string(),
  base: z.string().regex(/^[0-9a-f]{40,64}$/),
  savedAt: z.string(),
  plugin: z.object({ name: z.string(), version: z.string().exactOptional() }),
  environment: z.record(z.string(), z.unknown()).exactOptional(),
  target: z.record(z.string(), z.unknown()),
  withheld: strings,
  leftOut: strings,
  iteration: figure,
  trend: z.enum(["untested", "green", "improving", "plateau", "oscillating", "regressing"]),
  tests: z.record(
    z.string(),
    z.object({ status: z.string(), category: z.string().exactOptional(), of: figure.exactOptional() }),
  ),
  commits: strings.exactOptional(),
  causes: z.array(z.object({ id: z.string(), category: z.string(), cause: z.string(), tests: strings })),
  records: z.array(record),
  timings: z.record(z.string(), z.number()),
  matrix: savedMatrix.exactOptional(),
  performance: savedPerformance.exactOptional(),
  measuredOf: z.object({ matrix: z.string().exactOptional(), performance: z.string().exactOptional() })
    .exactOptional(),
});

/** The state, or in a few words why there is none to read. */
export function parseSessionState(text: string): { state: SessionState } | { problem: string } {
  const value = parse(text);
  if (value === undefined) return { problem: "it is no whole JSON text" };
  const { version } = (value ?? {}) as { version?: unknown };
  if (typeof version === "number" && version > 1) {
    return { problem: `a newer PTH wrote it (version ${version})` };
  }
  const read = schema.safeParse(value);
  if (read.success) return { state: read.data as SessionState };
  const [issue] = read.error.issues;
  return { problem: `${issue?.path.join(".") || "it"}: ${issue?.message}` };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether two texts of the file differ only in times and durations. */
export function sameButTime(a: string, b: string): boolean {
  const [one, other] = [parseSessionState(a), parseSessionState(b)];
  if (!("state" in one) || !("state" in other)) return false;
  const timeless = ({ state }: { state: SessionState }) =>
    JSON.stringify({ ...state, savedAt: "", timings: {} });
  return timeless(one) === timeless(other);
}
