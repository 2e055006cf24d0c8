import type { RunReport } from "../../../machines/model/session.ts";
import { widerSchemas } from "../../testing/exercise/wider_schemas.ts";
import { PthError } from "../../core/errors.ts";
import type { Session, TestCommands } from "../../api/harness.ts";
import { makeRedactor } from "../../core/redact.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { uniqueFindings } from "../../testing/report/unique_findings.ts";
import { summarizeSuite } from "../../testing/report/results_verdict.ts";
import { filterTests } from "../../testing/run/test_plan.ts";
import { runTask } from "../run_task.ts";
import { discoverTests, folderForTests } from "./discover_tests.ts";
import { type SessionParts, withProgress } from "../session/session_parts.ts";
import { replaceTests } from "./replace_tests.ts";
import { resumedResults } from "./resumed_results.ts";
import { definedOnly } from "../../core/values.ts";
import { exerciseOfSession } from "./exercise_of_session.ts";
import { pluginInfo } from "../plugin/plugin_status.ts";
import { staleResults } from "../../actors/tests/runs_on.ts";

type OwnCommands = Pick<
  TestCommands,
  "list" | "problems" | "discover" | "use" | "create" | "edit" | "delete" | "run" | "runSuite" | "results"
>;

export function testCommands(context: SessionParts): OwnCommands & Pick<Session, "report"> {
  const { live } = context;
  const tests: TestCommands["list"] = (filter = {}) =>
    filterTests(context.tests.known, filter, context.results.statuses());
  const runSuite: TestCommands["runSuite"] = async (suite, options = {}) => {
    const request = { type: "session.run_tests", suite } as const;
    const ran = await withProgress(context, options, () => runTask(context, request, options));
    return { ...ran, ...exercise() };
  };
  const exercise = () => definedOnly({ exercise: exerciseOfSession(context) });
  const findingsOfSession = (results: readonly TestResult[]) =>
    uniqueFindings([
      ...context.results.findings,
      ...live.evidence.findings,
      ...live.evidence.late.values(),
      ...results.flatMap((result) => result.findings),
      ...widerSchemas({ tests: context.tests.all, results, tools: live.plugin.tools }),
    ]);
  return {
    list: tests,
    problems: () => context.tests.problems,
    discover: () => discoverTests(context),
    async use(source) {
      const { tests, texts } = typeof source === "string"
        ? await (await import("../../testing/format/load.ts")).loadValid(source)
        : source;
      context.tests.replaced = true;
      context.tests.texts.clear();
      for (const [file, text] of texts) context.tests.texts.set(file, text);
      return replaceTests(context, tests);
    },
    async create(yaml) {
      refuseSecrets(context, yaml);
      const { addTestFile } = await import("./test_files.ts");
      const test = await addTestFile(await folderForTests(context), context.tests.all, yaml);
      return replaceTests(context, [...context.tests.all, test]).at(-1)!;
    },
    async edit(id, yaml) {
      const index = context.tests.all.findIndex((test) => test.id === id);
      if (index === -1) throw noSuchTest(context, id);
      refuseSecrets(context, yaml);
      const { editTestFile } = await import("./test_files.ts");
      const tests = await editTestFile(await folderForTests(context), context.tests.all, index, yaml);
      context.results.latest.delete(id);
      return replaceTests(context, tests)[index]!;
    },
    async delete(id) {
      const index = context.tests.all.findIndex((test) => test.id === id);
      if (index === -1) throw noSuchTest(context, id);
      // A link that the plugin has put there leads to files of others.
      if (context.tests.all[index]!.file !== undefined) await folderForTests(context);
      const { deleteTestFile } = await import("./test_files.ts");
      const { tests, deleted } = await deleteTestFile(context.tests.all, index);
      context.results.latest.delete(id);
      replaceTests(context, tests);
      return deleted;
    },
    async run(id, suite, options) {
      const test = context.tests.known.find((each) => each.id === id);
      if (test === undefined) throw noSuchTest(context, id);
      const { results } = await runSuite({ ...suite, ids: [id] }, options);
      // Own tests run together.
      const result = results.find((each) => each.id === id);
      if (result !== undefined) return result;
      throw new PthError("NO_SUCH_TEST", `Cannot run ${test.name}: the own tests have it no more`);
    },
    runSuite,
    results(filter = {}) {
      const results = tests(filter)
        .flatMap(({ id }) => context.results.latest.get(id) ?? []);
      const findings = findingsOfSession(results);
      const stale = staleResults(live, results);
      const summary = summarizeSuite(results, live.progress.timings.suite_ms ?? 0);
      return { summary, results, findings, ...(stale === undefined ? {} : { stale }) };
    },
    report() {
      const results = [...context.results.latest.values()];
      const stale = staleResults(live, results);
      return {
        source: live.code.source!,
        tests: context.tests.all,
        results,
        ...(stale === undefined ? {} : { stale }),
        findings: findingsOfSession(results),
        summary: summarizeSuite(results, live.progress.timings.suite_ms ?? 0),
        timings: live.progress.timings,
        ...(context.measurements.suite
          ? { coverage: context.measurements.suite.coverage, impact: context.measurements.suite.impact }
          : {}),
        operations: live.progress.operations.all(),
        ...(live.environment.current ? { environment: live.environment.current.info } : {}),
        ...definedOnly({ plugin: pluginInfo(context) }),
        ...exercise(),
        ...context.measurements.reports,
        ...staleMeasurements(context),
        ...(live.code.resumed === undefined
          ? {}
          : { resumed: resumedResults(live.code.line, live.code.resumed) }),
        ...(context.results.seed === undefined ? {} : { seed: context.results.seed }),
      };
    },
  };
}

/** Measurements of older code than the branch holds. */
function staleMeasurements({ live, measurements: { reports, commits } }: SessionParts): Partial<RunReport> {
  const of = (kind: "matrix" | "performance") =>
    reports[kind] === undefined
      ? undefined
      : live.code.line.stale([definedOnly({ commit: commits?.[kind] })], undefined);
  const stale = definedOnly({ matrix: of("matrix"), performance: of("performance") });
  return Object.keys(stale).length === 0 ? {} : { staleMeasurements: stale };
}

/** Tests go onto the branch. Short values are no secrets that could be told from ordinary text ("true", "8080"). */
export function refuseSecrets({ live: { secrets: { values } } }: SessionParts, yaml: string): void {
  const found = [...values].find(([, value]) =>
    value.length >= 8 && makeRedactor([value]).text(yaml) !== yaml
  );
  if (!found) return;
  throw new PthError("INVALID_INPUT", "Cannot keep the test: it contains the value of a secret", {
    next: [`Name it by its variable instead: \${env:${found[0]}}`],
  });
}

function noSuchTest({ tests }: SessionParts, id: string): PthError {
  const near = tests.known.filter((test) => test.id.includes(id) || test.name === id).slice(0, 5);
  return new PthError("NO_SUCH_TEST", `Cannot find test ${id}: no test has this id`, {
    next: near.length > 0
      ? [`Did you mean: ${near.map((test) => test.id).join(", ")}`]
      : [{ mcp: "List the tests: pth_list_tests" }],
  });
}
