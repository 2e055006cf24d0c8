import { Ajv2020 } from "ajv/dist/2020.js";
import { default as addFormats } from "ajv-formats";
import t from "tap";
import { fullRun } from "./full_run.ts";
import { readTextFile, writeTextFile } from "../../../../src/platform/files.ts";
import { readEnv } from "../../../../src/platform/host.ts";
import { type Report, reportJsonSchema, reportSchema } from "../../../../src/testing/report/report_schema.ts";
import json from "../../../../src/testing/reporters/json.ts";
import { died, facts, finished, written } from "./recorded_run.ts";

const published = "docs/report.schema.json";

t.test("the published schema is the one in the code (PTH_UPDATE=1 writes it)", async (t) => {
  if (readEnv("PTH_UPDATE") === "1") await writeTextFile(published, reportJsonSchema());
  t.equal(await readTextFile(published), reportJsonSchema());
});

t.test("every report fits the published schema", async (t) => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(await readTextFile(published)));
  for (
    const [name, end] of Object.entries({ finished, fullRun, died, "without a plugin": withoutPlugin() })
  ) {
    const report = JSON.parse(written(json, facts, end));
    t.ok(validate(report), name, { errors: validate.errors });
    t.ok(reportSchema.safeParse(report).success);
  }
  t.notOk(validate({ schema: "pth-report/1" }), "the schema does refuse");
});

function withoutPlugin() {
  const { plugin: _plugin, environment: _environment, ...report } = finished.report!;
  return { ...finished, report };
}

t.test("names plugin, environment, counts, tests, findings and times in snake_case", (t) => {
  const report = JSON.parse(written(json, facts, finished)) as Report;
  t.match(report, {
    schema: "pth-report/1",
    plugin: { name: "sample", version: "1.2.3", source: "./sample" },
    environment: { runtime: "docker", tier: 1, image: "pth-base-debian12" },
    summary: { total: 5, passed: 2, failed: 1, skipped: 1, flaky: 1, duration_ms: 1600 },
    timings: { provision_ms: 120.4, install_ms: 2000, start_ms: 300, suite_ms: 1600 },
    notes: ["uncommitted changes are included"],
    exit_code: 1,
  });
  t.equal(report.tests.length, 5);
  t.match(report.tests[2], {
    tool: "store",
    status: "failed",
    category: "runtime-exception",
    duration_ms: 1500,
    file: "tests/store.yaml",
    line: 7,
    generated_from: "schema",
  });
  t.equal(report.findings.length, 1, "a finding that the session and a result both tell is there once");
  t.end();
});

t.test("a run that died says why, and has no tests", (t) => {
  const report = JSON.parse(written(json, [], died)) as Report;
  t.match(report, { exit_code: 3, error: { code: "INSTALL_FAILED" }, summary: { total: 0 }, tests: [] });
  t.equal(report.plugin.source, "./sample");
  t.end();
});
