/**
 * PTH from code: `import { testPlugin } from "plugin-test-harness"`.
 *
 * `testPlugin` is one whole run; `createHarness` gives sessions, step by step. All else in the package is closed.
 */
export { createHarness, type HarnessOptions } from "./app/create_harness.ts";
export { testPlugin, type TestPluginOptions } from "./app/test_plugin.ts";
export { definePlaybook } from "./agents/playbook/define_playbook.ts";
export { type ErrorCode, PthError } from "./core/errors.ts";
export type * from "./api/harness.ts";
export type { EnvironmentConfig } from "../machines/model/environment.ts";
export type { SessionTarget } from "../machines/model/session.ts";
export type { TestCase } from "../machines/model/test_case.ts";
export type { SuiteSummary, TestResult } from "../machines/model/test_result.ts";
export type { PlaybookText } from "../machines/model/playbook.ts";
export type { Report } from "./testing/report/report_schema.ts";
