import { join } from "node:path";
import t from "tap";
import {
  keepCorpusResult,
  parseCorpusFile,
  readCorpus,
  resultsFile,
} from "../../../../scripts/corpus/corpus_files.ts";
import { unlistedTools } from "../../../../scripts/corpus/corpus_figures.ts";
import { corpusJudgements, serverList } from "../../../../scripts/corpus/corpus_schema.ts";
import { serverResult } from "../../../../scripts/corpus/server_result.ts";
import { withoutPaths, wordsOfRun } from "../../../../scripts/corpus/test_published_server.ts";
import type { Report } from "../../../../src/testing/report/report_schema.ts";

const facts = {
  version: "1.0.0",
  commit: "11111111",
  date: "2026-01-02",
  environment: "sandbox",
  seconds: 3,
  withoutPaths: (text: string) => text,
};

t.test("a mistake in the list is told with its line", (t) => {
  const server = (name: string) => `- { package: ${name}, version: 1.0.0, kind: a, language: b, sdk: c }\n`;
  t.throws(() => parseCorpusFile("servers.yaml", server("b") + server("a"), serverList), {
    message: /servers\.yaml:2:14 .*a stands after b: sort by name/,
  });
  t.throws(
    () =>
      parseCorpusFile(
        "servers.yaml",
        "- { package: a, version: latest, kind: a, language: b, sdk: c }",
        serverList,
      ),
    {
      message: /servers\.yaml:1:\d+ .*expected one version, as 1\.2\.3/,
    },
  );
  t.throws(() => parseCorpusFile("judgements.yaml", "a:\n  b: { fault: true }\n", corpusJudgements), {
    message: /judgements\.yaml:2:6 .*reason/,
  });
  t.end();
});

const report = (of: Partial<Report>): Report => ({
  schema: "pth-report/1",
  plugin: { name: "alpha", source: "npm:alpha@1.0.0" },
  summary: { total: 2, passed: 1, failed: 1, skipped: 0, flaky: 0, duration_ms: 5 },
  tests: [],
  findings: [],
  timings: {},
  notes: [],
  exit_code: 1,
  ...of,
});

t.test("a row of a report tells tools, failures and findings, without paths of this machine", (t) => {
  const row = serverResult(
    report({
      exercise: [
        { tool: "read", state: "exercised" },
        { tool: "write", state: "refused", needs: "fixture", reason: "no /home/me/pth/x/file.txt" },
      ],
      tests: [
        {
          id: "read-valid",
          name: "read - valid",
          tier: 1,
          status: "failed",
          duration_ms: 1,
          generated_from: "schema",
          message: "crashed\n  at /home/me/a.js",
        },
        {
          id: "read-other",
          name: "read - other",
          tier: 1,
          status: "passed",
          duration_ms: 1,
          generated_from: "schema",
        },
      ],
      findings: [
        { severity: "info", code: "noise", message: "a" },
        { severity: "info", code: "empty", message: "b" },
        { severity: "info", code: "noise", message: "c" },
      ],
    }),
    "",
    { ...facts, withoutPaths: withoutPaths(["/home/me", "/home/me/pth", undefined]) },
  );
  t.strictSame(row, {
    version: "1.0.0",
    commit: "11111111",
    date: "2026-01-02",
    environment: "sandbox",
    seconds: 3,
    tests: { passed: 1, failed: 1, skipped: 0, flaky: 0 },
    tools: {
      read: { state: "exercised" },
      write: { state: "refused", needs: "fixture", reason: "no …/x/file.txt" },
    },
    failures: [{ test: "read-valid", name: "read - valid", message: "crashed at …/a.js" }],
    findings: { empty: 1, noise: 2 },
  });
  t.end();
});

t.test("a run without a report, and one that could not load the server, tell why", (t) => {
  t.equal(serverResult(undefined, "exit code 3: out of memory", facts).error, "exit code 3: out of memory");
  const lost = report({ error: { code: "START_FAILED", message: "Cannot start plugin: exited with 1" } });
  t.equal(serverResult(lost, "", facts).error, "Cannot start plugin: exited with 1");
  t.end();
});

t.test("a tool that the list names and the server does not have is told", (t) => {
  const need = { needs: "network", reason: "asks a page" } as const;
  const outside = { "*": need, fetch: need, gone: need };
  const row = serverResult(report({ exercise: [{ tool: "fetch", state: "exercised" }] }), "", facts);
  const server = {
    package: "a",
    version: "1.0.0",
    kind: "b",
    language: "c",
    sdk: "d",
    arguments: [],
    variables: {},
  };
  t.strictSame(unlistedTools({ ...server, outside }, row), ["gone"]);
  t.strictSame(unlistedTools({ ...server, outside }, { ...row, error: "it never started" }), []);
  t.end();
});

t.test("results of other servers stay, and all are sorted by package", async (t) => {
  const root = t.testdir({ test: { corpus: {} } });
  const path = join(root, resultsFile);
  const row = serverResult(report({}), "", facts);
  await keepCorpusResult(path, "beta", row);
  await keepCorpusResult(path, "alpha", row);
  await keepCorpusResult(path, "beta", { ...row, seconds: 9 });
  const { results, servers } = await readCorpus(root);
  t.strictSame(Object.entries(results).map(([name, { seconds }]) => [name, seconds]), [["alpha", 3], [
    "beta",
    9,
  ]]);
  t.strictSame(servers, []);
});

t.test("a server is run as its user would: the package with arguments, or a plugin that starts its program", (t) => {
  const place = {
    plugin: "/c/a",
    environment: "sandbox",
    reportPath: "/c/a.json",
    config: "/c/a.config.json",
  };
  const server = { package: "a", version: "1.0.0", kind: "b", language: "c", sdk: "d", outside: {} };
  const given = { ...server, arguments: ["--stdio"], variables: { ROOT: "/srv" } };
  const options = ["--env", "sandbox", "--reporter", "json:/c/a.json"];
  const variables = ["--config", "/c/a.config.json", "--var", "ROOT=/srv"];
  t.strictSame(wordsOfRun(given, place), ["run", "npm:a@1.0.0", ...options, ...variables, "--", "--stdio"]);
  t.strictSame(wordsOfRun({ ...given, command: "bin/a" }, place), ["run", "/c/a", ...options, ...variables]);
  t.strictSame(wordsOfRun({ ...server, arguments: [], variables: {} }, { ...place, config: undefined }), [
    "run",
    "npm:a@1.0.0",
    ...options,
  ]);
  t.end();
});
