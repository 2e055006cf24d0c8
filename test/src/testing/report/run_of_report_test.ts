import t from "tap";
import type { ContractCheck, TokenCost } from "../../../../machines/model/contract.ts";
import type { CoverageReport } from "../../../../machines/model/coverage.ts";
import type { PerformanceReport } from "../../../../machines/model/performance.ts";
import type { Snake } from "../../../../src/testing/report/snake_keys.ts";
import {
  type ReportContract,
  type ReportCoverage,
  type ReportPerformance,
  reportSchema,
  type ReportTokenCost,
} from "../../../../src/testing/report/report_schema.ts";
import { toReport } from "../../../../src/testing/report/report.ts";
import { replayRun, runOfReport } from "../../../../src/testing/report/run_of_report.ts";
import { registry } from "../../../../src/testing/reporters/_registry.ts";
import { fullRun } from "../reporters/full_run.ts";
import { died, finished, written } from "../reporters/recorded_run.ts";

/** All keys at every depth, as paths. */
type Keys<Value> = Value extends readonly (infer Entry)[] ? Keys<Entry>
  : Value extends object ? {
      [Key in keyof Value & string]: Key | `${Key}.${Keys<Exclude<Value[Key], undefined>>}`;
    }[keyof Value & string]
  : never;
type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : false : false;

/** Fails to compile where the schema lacks a key that the model has, or the other way round. */
const schemaFitsModel: [
  Same<Keys<Snake<PerformanceReport>>, Keys<ReportPerformance>>,
  Same<Keys<Snake<TokenCost>>, Keys<ReportTokenCost>>,
  Same<Keys<Snake<ContractCheck>>, Keys<ReportContract>>,
  Same<Keys<Snake<Omit<CoverageReport, "files">>>, Keys<Omit<ReportCoverage, "files">>>,
] = [true, true, true, true];

const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));

t.test("a report read back gives the same report again", (t) => {
  for (const [name, run] of Object.entries({ finished, fullRun, died })) {
    const report = reportSchema.parse(asJson(toReport(run)));
    t.same(asJson(toReport(runOfReport(report))), asJson(report), name);
  }
  t.end();
});

t.test("the schema knows every key of the model", (t) => {
  t.ok(schemaFitsModel.every(Boolean));
  t.end();
});

t.test("parts of a report that are absent stay absent", (t) => {
  const report = reportSchema.parse(asJson(toReport(died)));
  for (const part of ["coverage", "impact", "performance", "token_cost", "seed", "shard", "server"]) {
    t.notOk(part in report, part);
  }
  t.end();
});

t.test("steps tell how far a test came", (t) => {
  const steps = toReport(fullRun).tests[5]!.steps!;
  t.same(steps.map(({ action, target, status }) => `${action} ${target} ${status}`), [
    "call order passed",
    "call pay failed",
    "read_resource shop://receipts/1 not_run",
  ]);
  t.same(steps[0]!.captures, ["order_id"]);
  t.same(toReport(fullRun).tests[5]!.tools, ["order", "pay"]);
  t.end();
});

t.test("every reporter can write a report that was read", (t) => {
  const run = runOfReport(reportSchema.parse(asJson(toReport(fullRun))));
  for (const reporter of registry) {
    let text = "";
    const hooks = reporter.create({
      write: (piece) => void (text += piece),
      isTerminal: false,
      colour: false,
      columns: () => 80,
    });
    replayRun(hooks, run);
    t.match(text, "echo", reporter.name);
    t.match(text, "order and pay", reporter.name);
  }
  t.not(written(registry[0]!, [], run), "", "also without facts");
  t.end();
});
