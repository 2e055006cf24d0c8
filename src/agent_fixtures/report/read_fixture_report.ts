/** Reads reports of agent tests, and of runs of fixtures; errors name the line and column. */
import { isObject, jsonIn } from "../../core/values.ts";
import { readPublished } from "../../testing/report/read_report.ts";
import {
  type FixtureRunReport,
  fixtureRunReportSchema,
  type TestReport,
  testReportSchema,
} from "./report_schema.ts";

/** A report with its kind. */
export type FixtureReport = { kind: "test"; report: TestReport } | { kind: "run"; report: FixtureRunReport };

/** @throws {PthError} `INVALID_INPUT` with every problem as `file:line:column message` */
export function readFixtureReport(file: string, text: string): FixtureReport {
  const next = ["Give JSON reports of agent tests"];
  const value = jsonIn(text);
  return isObject(value) && "schema_version" in value
    ? { kind: "test", report: readPublished(file, text, testReportSchema, next) }
    : { kind: "run", report: readPublished(file, text, fixtureRunReportSchema, next) };
}
