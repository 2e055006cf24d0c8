import t from "tap";
import type { Corpus } from "../../../../scripts/corpus/corpus_files.ts";
import { corpusPage } from "../../../../scripts/corpus/corpus_page.ts";
import { serverList, type ServerResult } from "../../../../scripts/corpus/corpus_schema.ts";

const servers = serverList.parse([
  { package: "alpha", version: "1.0.0", kind: "files", language: "Go", sdk: "mcp-go" },
  {
    package: "beta",
    version: "2.1.0",
    kind: "web",
    language: "TypeScript",
    sdk: "official SDK 2",
    outside: { fetch_page: { needs: "network", reason: "asks <any> page" } },
  },
]);

const result = (of: Partial<ServerResult>): ServerResult => ({
  version: "1.0.0",
  commit: "22222222",
  date: "2026-01-02",
  environment: "sandbox",
  seconds: 30,
  tests: { passed: 1, failed: 0, skipped: 0, flaky: 0 },
  tools: {},
  failures: [],
  findings: {},
  ...of,
});

const failure = { test: "read-valid", name: "read - valid", message: "said a|b <c> *d*" };
const refused = { state: "refused", reason: "no such file" } as const;
const exercised = { state: "exercised" } as const;
const corpus: Corpus = {
  servers,
  baseline: {
    alpha: result({ commit: "11111111", tools: { read: refused, list: exercised }, failures: [failure] }),
  },
  results: {
    alpha: result({ tools: { read: exercised, list: exercised } }),
    beta: result({ tools: { fetch_page: refused, count: refused }, findings: { noise: 2 } }),
  },
  judgements: { alpha: { "read-valid": { fault: false, reason: "it was only slow" } } },
};

const shows = (of: Corpus, line: string): boolean => corpusPage(of).split("\n").includes(line);

t.test("a server's figures stand beside its earlier ones, and alike ones are told once", (t) => {
  t.ok(shows(corpus, "| alpha 1.0.0 | Go, mcp-go | 2 | 2 | 1 → 2 | 0 / 1 / 0 → 0 / 0 / 0 | 0 | 30 |"));
  t.ok(
    shows(
      corpus,
      "| beta 2.1.0 | TypeScript, official SDK 2 | – → 2 | – → 1 | – → 0 | – → 0 / 0 / 0 | – → 2 | – → 30 |",
    ),
  );
  t.end();
});

t.test("the share is of tools that need nothing from outside", (t) => {
  t.ok(shows(corpus, "| exercised of those that need nothing | 1 of 2 (50 %) | 2 of 3 (66 %) |"));
  t.ok(shows(corpus, "| exercised | 1 of 2 (50 %) | 2 of 4 (50 %) |"));
  t.ok(shows(corpus, "| beta | fetch\\_page | network: asks &lt;any> page |"));
  t.ok(shows(corpus, "| beta | count | refused: no such file |"));
  t.notOk(shows(corpus, "| beta | fetch\\_page | refused: no such file |"));
  t.end();
});

t.test("a failure tells who is at fault, and one that no person judged says so", (t) => {
  const row = "| alpha | read - valid | said a\\|b &lt;c> \\*d\\* | baseline";
  t.ok(shows(corpus, `${row} | false alarm | it was only slow |`));
  t.ok(shows({ ...corpus, judgements: {} }, `${row} | not judged |  |`));
  t.ok(shows({ ...corpus, judgements: {} }, "| failures not judged | 1 | 0 |"));
  t.ok(shows(corpus, "| false alarms | 1 | 0 |"));
  t.end();
});

t.test("a server that was not loaded shows no figures, but why", (t) => {
  const lost = { ...corpus, results: { alpha: result({ error: "it never started" }) } };
  t.ok(
    shows(
      lost,
      "| alpha 1.0.0 | Go, mcp-go | 2 → not loaded | 2 → not loaded | 1 → not loaded | 0 / 1 / 0 → not loaded | 0 → not loaded | 30 → not loaded |",
    ),
  );
  t.ok(shows(lost, "| alpha |  | it never started |"));
  t.ok(shows(lost, "| loaded | 1 | 0 |"));
  t.end();
});

t.test("failures of one judgement, and tools that lack the same, share a row", (t) => {
  const failures = ["read-valid", "read-other", "list-valid"].map((test) => ({
    ...failure,
    test,
    name: test,
  }));
  const judgements = { alpha: { "read-*": { fault: true, reason: "it logs there" } } };
  const tools = { read: refused, list: refused, find: exercised };
  const many = { ...corpus, judgements, results: { alpha: result({ failures, tools }) } };
  const message = "said a\\|b &lt;c> \\*d\\*";
  t.ok(shows(many, `| alpha | read-other | ${message} | latest | fault | it logs there |`));
  t.ok(shows(many, `| alpha | list-valid | ${message} | latest | not judged |  |`));
  t.ok(shows(many, "| alpha | read, list | refused: no such file |"));
  const apart = { ...many, baseline: {} };
  t.ok(shows(apart, `| alpha | read-valid, and 1 more | ${message} | latest | fault | it logs there |`));
  t.end();
});

t.test("the same files make the same page", (t) => {
  t.equal(corpusPage(corpus), corpusPage(structuredClone(corpus)));
  t.end();
});
