/** What the loop's records and texts may say, whatever becomes of the tests: random histories, drawn from fixed seeds. */
import t from "tap";
import { assessConvergence } from "../../../machines/iteration/assess_convergence.ts";
import { beginIteration, draftOf, failedOf } from "../../../machines/iteration/iteration_state.ts";
import type { IterationRecord, TestStatuses, TestStatusSummary } from "../../../machines/model/iteration.ts";
import { sessionReport } from "../../../src/export/report/session_report.ts";
import {
  statusesOf,
  summarizeTestStatus,
  type TestStatusSource,
} from "../../../src/fixers/summarize_test_status.ts";
import { convergenceText, testingText } from "../../../src/fixers/iteration_texts.ts";
import { CodeLine } from "../../../src/session/code_line.ts";
import { parseSessionState, serializeState } from "../../../src/session/session_state.ts";
import { summarizeSuite } from "../../../src/testing/report/results_verdict.ts";
import { recordData } from "../../../src/tools/outcome_data.ts";
import { outcomeText } from "../../../src/tools/text/outcome_text.ts";
import type { TestStatus } from "../../../machines/model/verdict.ts";

type Random = () => number;

function randomOf(seed: number): Random {
  let state = seed * 2654435761 % 2 ** 32;
  return () => (state = (state * 1664525 + 1013904223) % 2 ** 32) / 2 ** 32;
}

const statuses: TestStatus[] = ["passed", "passed", "failed", "failed", "skipped", "flaky"];

/** Tests that come and go, and results of them, some old and some missing. */
function world(random: Random) {
  const code = new CodeLine();
  let tests: string[] = [];
  const results = new Map<string, { status: TestStatus; commit: string }>();
  let made = 0;
  let commit = "base";
  const session = {
    list: () => tests.map((id) => ({ id, name: `test ${id}` })),
    results: () => {
      const all = tests.flatMap((id) => {
        const result = results.get(id);
        return result === undefined ? [] : [{ id, name: `test ${id}`, findings: [], ...result }];
      });
      const stale = code.stale(all, undefined);
      return {
        summary: summarizeSuite(all, 0),
        results: all,
        findings: [],
        ...(stale === undefined ? {} : { stale }),
      };
    },
  } as unknown as TestStatusSource;
  return {
    session,
    change() {
      tests = tests.filter((id) => random() > 0.15 || !results.delete(id));
      const more = Math.floor(random() * 4);
      for (let index = 0; index < more; index++) tests = [...tests, `t${made++}`];
    },
    run() {
      const share = random() < 0.5 ? 1 : random();
      for (const id of tests) {
        if (random() < share) results.set(id, { status: statuses[Math.floor(random() * 6)]!, commit });
      }
    },
    fix() {
      commit = `fix${made++}`;
      code.add(commit);
    },
  };
}

interface Seen {
  record: IterationRecord;
  before: TestStatuses;
  after: TestStatuses;
}

function history(seed: number): Seen[] {
  const random = randomOf(seed);
  const { session, change, run, fix } = world(random);
  change();
  run();
  const seen: Seen[] = [];
  const length = 1 + Math.floor(random() * 8);
  for (let number = 1; number <= length; number++) {
    const turn = beginIteration(number, summarizeTestStatus(session), statusesOf(session));
    fix();
    change();
    run();
    const loadError = random() < 0.15 ? "Cannot build plugin" : undefined;
    const after = {
      after: summarizeTestStatus(session, loadError),
      statuses: { before: turn.statuses.before, after: statusesOf(session) },
    };
    const record = { ...draftOf({ ...turn, ...after }), at: "", health: [] };
    seen.push({ record, before: turn.statuses.before, after: after.statuses.after });
  }
  return seen;
}

const counted = (standing: TestStatusSummary) => standing.passed + standing.skipped + failedOf(standing);

/** Every `a/b` and `a of b` in a text. */
const fractions = (text: string) =>
  [...text.matchAll(/\b(\d+)(?:\/| of )(\d+)\b/g)].map(([all, part, whole]) => ({
    all,
    part: Number(part),
    whole: Number(whole),
  }));

function textsOf(records: IterationRecord[]): string[] {
  const convergence = assessConvergence(records);
  const { after } = records.at(-1)!;
  const report = {
    source: { name: "p" },
    tests: [],
    results: [],
    findings: [],
    summary: summarizeSuite([], 0),
    timings: {},
  };
  return [
    convergenceText(convergence, records.length),
    ...records.map(({ number, before, after }) =>
      testingText(number, after, { passed: before.passed, total: before.total, iteration: number - 1 })
    ),
    outcomeText({
      state: "stopped",
      iteration: records.length,
      records,
      convergence,
      standing: after,
      fixes: [],
    }),
    sessionReport({ report: report as never, history: [], iterations: records }),
  ];
}

const rounds = Array.from({ length: 80 }, (_, seed) => history(seed + 1));

t.test("broken passed before and fails now, mended the other way round, and nothing else is either", (t) => {
  for (const { record, before, after } of rounds.flat()) {
    const { mended, broken, appeared = [] } = record;
    const ids = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const loaded = record.after.loadError === undefined && record.before.loadError === undefined;
    const expected = (wanted: (was?: TestStatus, is?: TestStatus) => boolean) =>
      loaded ? ids.filter((id) => wanted(before[id], after[id])).map((id) => `test ${id}`).sort() : [];
    t.same(broken.toSorted(), expected((was, is) => was === "passed" && is === "failed"));
    t.same(mended.toSorted(), expected((was, is) => was === "failed" && is === "passed"));
    t.same(
      appeared.toSorted(),
      expected((was, is) => is === "failed" && was !== "passed" && was !== "failed"),
    );
    if (loaded) {
      t.equal(record.added ?? 0, ids.filter((id) => !(id in before)).length);
      t.equal(record.removed ?? 0, ids.filter((id) => !(id in after)).length);
    }
  }
  t.end();
});

t.test("counts never exceed their totals, in records and in whatever text tells them", (t) => {
  for (const seen of rounds) {
    const records = seen.map(({ record }) => record);
    for (const { before, after } of records) {
      for (const standing of [before, after]) {
        t.ok(counted(standing) <= standing.total);
        t.ok((standing.flaky ?? 0) <= standing.passed);
        t.ok((standing.stale ?? 0) <= counted(standing));
      }
    }
    const { progress, totals, trend, reason } = assessConvergence(records);
    t.equal(progress.length, totals.length);
    t.ok(progress.every((passed, index) => passed <= totals[index]!));
    if (trend === "regressing" && records.at(-1)!.after.loadError === undefined) {
      t.not(records.at(-1)!.broken.length, 0, reason);
    }
    for (const text of textsOf(records)) {
      for (const { all, part, whole } of fractions(text)) t.ok(part <= whole, `${all} in\n${text}`);
    }
  }
  t.end();
});

t.test("a checkpoint keeps the figures, also of what it lists no more", (t) => {
  const fails = Array.from({ length: 300 }, (_, index) => ({ id: `t${index}`, name: "x".repeat(900) }));
  const standing: TestStatusSummary = { total: 400, passed: 100, skipped: 0, failing: fails };
  const before = Object.fromEntries(fails.map(({ id }) => [id, "failed" as const]));
  const records = Array.from({ length: 6 }, (_, index) => ({
    ...draftOf(beginIteration(index + 1, standing, before)),
    at: "",
    health: [],
  }));
  const convergence = assessConvergence(records);
  const text = serializeState({
    version: 1,
    sessionId: "s",
    branch: "b",
    base: "a".repeat(40),
    savedAt: "",
    plugin: { name: "p" },
    target: {},
    withheld: [],
    leftOut: [],
    iteration: 6,
    trend: convergence.trend,
    tests: {},
    causes: [],
    records,
    timings: {},
  });
  const read = parseSessionState(text);
  if (!("state" in read)) return t.fail(read.problem);
  const kept = read.state.records;
  t.ok(kept.some(({ shortened }) => shortened), "there is no room for all");
  t.same(kept.map(({ after }) => failedOf(after)), kept.map(() => 300));
  const again = assessConvergence(kept);
  t.match(again, { trend: convergence.trend, stale: convergence.stale, reason: convergence.reason });
  t.match(recordData(kept[0]!).after, { failed: 300 });
  t.match(
    sessionReport({
      report: {
        source: { name: "p" },
        tests: [],
        results: [],
        findings: [],
        summary: summarizeSuite([], 0),
        timings: {},
      } as never,
      history: [],
      iterations: kept,
    }),
    /\| 1 \| 100\/400 \| 300 \|.*\| — \| — \|/,
  );
  t.end();
});
