import t from "tap";
import type { ImpactMap } from "../../../../machines/model/coverage.ts";
import { type ChangedPlace, changedPlaces, impactOf } from "../../../../src/testing/coverage/impact_of.ts";

/** `register` runs at the start and holds two handlers; `each` is called back within the first; `idle` never runs. */
const map: ImpactMap = {
  source: "measured",
  tests: {
    add: [{ path: "a.js", ranges: [[3, 5]], functions: ["add:3", "each:4"] }],
    empty: [{ path: "a.js", ranges: [[3, 5]], functions: ["add:3"] }],
    divide: [{ path: "a.js", ranges: [[8, 8]], functions: ["divide:8"] }, {
      path: "late.js",
      ranges: [[1, 2]],
      functions: ["late:2"],
    }],
  },
  startup: [{ path: "a.js", ranges: [[1, 2]], functions: ["register:2"] }],
  functions: {
    "a.js": [
      { name: "register", line: 2, endLine: 10 },
      { name: "add", line: 3, endLine: 6 },
      { name: "each", line: 4, endLine: 4 },
      { name: "divide", line: 8, endLine: 8 },
      { name: "idle", line: 12, endLine: 15 },
    ],
    "late.js": [{ name: "late", line: 2, endLine: 4 }],
  },
  notes: [],
};
const all = ["divide", "add", "empty", "not run"];
const ask = (...places: ChangedPlace[]) => impactOf(map, places, all, (path) => path.endsWith(".js"));
const at = (path: string, line: number): ChangedPlace => ({ path, lines: [line, line] });

t.test("a line within a function names the tests that run it, in the order of the suite", (t) => {
  t.strictSame(ask(at("a.js", 5)).tests, ["add", "empty"]);
  t.strictSame(ask(at("a.js", 8)).tests, ["divide"], "also a function of one line");
  t.strictSame(ask(at("a.js", 5), at("a.js", 8)).tests, ["divide", "add", "empty"]);
  t.end();
});

t.test("a callback of one line is also a line of the function around it", (t) => {
  t.strictSame(ask(at("a.js", 4)).tests, ["add", "empty"]);
  t.strictSame(ask(at("a.js", 4)).changes.map((change) => change.function), ["each:4", "add:3"]);
  t.end();
});

t.test("the first line of a handler is not a line of what registers it", (t) => {
  t.strictSame(ask(at("a.js", 3)).tests, ["add", "empty"]);
  t.end();
});

t.test("what runs while the server starts concerns every test that ran", (t) => {
  t.strictSame(ask(at("a.js", 7)).tests, ["divide", "add", "empty"], "within register");
  t.strictSame(ask(at("a.js", 1)).tests, ["divide", "add", "empty"], "outside of all functions");
  t.end();
});

t.test("a function that no test enters affects none, nor does a file that none loads", (t) => {
  t.match(ask(at("a.js", 13)), { tests: [], changes: [{ reason: "no test reaches this function" }] });
  t.match(ask({ path: "other.js" }), {
    tests: [],
    unknown: [],
    changes: [{ reason: "no test loads this file" }],
  });
  t.end();
});

t.test("the top of a file that a test loads late concerns the tests that load it", (t) => {
  t.strictSame(ask(at("late.js", 1)).tests, ["divide"]);
  t.end();
});

t.test("a file that is no source of the plugin is unknown, which is not the same as no test", (t) => {
  t.match(ask({ path: "config.json" }), { tests: [], unknown: ["config.json"], changes: [] });
  t.end();
});

t.test("a whole file names the tests that run any of it", (t) => {
  t.strictSame(ask({ path: "a.js" }).tests, ["divide", "add", "empty"]);
  t.end();
});

t.test("a map read from the source answers by file where it knows no lines", (t) => {
  const read: ImpactMap = {
    source: "static",
    tests: { add: [{ path: "a.js", functions: ["add:3"] }], divide: [{ path: "b.js", functions: [] }] },
    notes: ["read from the source"],
  };
  const impact = impactOf(read, [at("a.js", 5)], ["add", "divide"], () => true);
  t.match(impact, { source: "static", tests: ["add"], notes: ["read from the source"] });
  t.strictSame(impactOf(read, [at("c.js", 1)], ["add"], () => true).unknown, ["c.js"], "it may miss files");
  t.end();
});

t.test("changes of a file are told in lines of how it was", (t) => {
  const before = "one\ntwo\nthree\nfour\n";
  t.strictSame(changedPlaces("a.js", before, before), []);
  t.strictSame(changedPlaces("a.js", before, "one\n2\nthree\nfour\n"), [{ path: "a.js", lines: [2, 2] }]);
  t.strictSame(changedPlaces("a.js", before, "one\nfour\n"), [{ path: "a.js", lines: [2, 3] }]);
  t.strictSame(
    changedPlaces("a.js", before, "zero\nzero\none\ntwo\nthree\n4\n"),
    [{ path: "a.js", lines: [1, 0] }, { path: "a.js", lines: [4, 4] }],
    "lines that moved down are named as they stood",
  );
  t.end();
});

t.test("what is put between two lines belongs to the function that holds both", (t) => {
  t.strictSame(ask({ path: "a.js", lines: [6, 5] }).tests, ["add", "empty"]);
  t.strictSame(ask({ path: "a.js", lines: [14, 13] }).tests, [], "within the function that never runs");
  t.strictSame(ask({ path: "a.js", lines: [12, 11] }).tests.length, 3, "before it, outside of all functions");
  t.end();
});

t.test("blank lines and comments change nothing that runs", (t) => {
  t.strictSame(changedPlaces("a.js", "one\ntwo\n", "one\n\n// more\ntwo\n"), []);
  t.strictSame(changedPlaces("a.py", "one\ntwo\n", "one\n# more\ntwo\n"), []);
  t.equal(changedPlaces("a.js", "one\n", "one\n#field = 1\n").length, 1, "# is no comment in JavaScript");
  t.end();
});
