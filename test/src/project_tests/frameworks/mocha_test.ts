import t from "tap";
import mocha from "../../../../src/project_tests/frameworks/mocha.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const manifest = (test: string) => ({ "package.json": JSON.stringify({ scripts: { test } }) });
const lineOf = async (files: Record<string, string>, request = {}) =>
  (await mocha.plan(projectFor(request, files), place)).runs[0]!.argv[2]!.split("\n")[1];

t.test("is found by a script, its configuration or the dependency", async (t) => {
  const found = async (files: Record<string, string>) =>
    (await mocha.detect(projectFor({}, files)))?.confidence;
  t.equal(await found(manifest("mocha")), 95);
  t.equal(await found({ ".mocharc.yml": "" }), 90);
  t.equal(await found({ "package.json": JSON.stringify({ devDependencies: { "mocha": "1" } }) }), 80);
  t.equal(await found(manifest("echo mocha")), undefined);
});

t.test("a script keeps its arguments and its reporter", async (t) => {
  t.equal(
    await lineOf(manifest("nyc mocha -r esm --reporter dot 'test/**/*.js'")),
    "nyc mocha -r esm --reporter dot 'test/**/*.js' --require=/s/mocha_listener.mjs",
  );
  const files = { ...manifest("mocha -r esm test/*.js"), "test/unit/a.js": "", "test/b.js": "" };
  t.equal(
    await lineOf(files, { level: "unit" }),
    "mocha -r esm --require=/s/mocha_listener.mjs test/unit/a.js",
  );
});

t.test("a rerun starts it as the script does, and a hook with its file", async (t) => {
  const rerunOf = async (test: string, name: string) => {
    const project = projectFor({}, manifest(test));
    await mocha.plan(project, place);
    return mocha.rerun!({ name, suite: "a.ts", status: "failed" }, project);
  };
  t.strictSame(await rerunOf("TZ=UTC nyc mocha -r 'ts node' --grep fast --watch 'test/**/*.ts'", "A > b"), {
    argv: ["npx", "mocha", "-r", "ts node", "a.ts", "--grep", "^A(?: > | )b$"],
    env: { TZ: "UTC" },
  });
  t.strictSame(
    await rerunOf("node --import tsx node_modules/mocha/bin/mocha.js a.ts", 'A > "before all" hook in "A"'),
    {
      argv: ["node", "--import", "tsx", "node_modules/mocha/bin/mocha.js", "a.ts"],
    },
  );
});

// Mocha counts 5 passing, 2 pending and 4 failing.
for (const run of ["tests", "parallel", "version10"]) {
  t.test(`a run is read as it is: ${run}`, (t) => {
    testRecorded(t, mocha, `mocha/${run}`, { passed: 5, failed: 4, skipped: 2 });
  });
}

t.test("functions of the project's frames are worth a trace", (t) => {
  const outcome = outcomesOf(mocha, "mocha/tests")["test/a.js: fails"]!;
  t.strictSame(mocha.suggestTraces!({ name: "fails", ...outcome }), ["inner"]);
  t.end();
});
