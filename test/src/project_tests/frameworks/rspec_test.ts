import t from "tap";
import rspec from "../../../../src/project_tests/frameworks/rspec.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const plain = ["rspec", "--require", "/s/rspec_listener.rb"];
const wordsOf = async (files: Record<string, string>, request = {}, probes = {}) =>
  (await rspec.plan(projectFor(request, files, probes), place)).runs[0]!.argv;

t.test("is found by its configuration, a dependency, or files that are named so", async (t) => {
  const found = async (files: Record<string, string>) =>
    (await rspec.detect(projectFor({}, files)))?.confidence;
  t.equal(await found({ ".rspec": "" }), 90);
  t.equal(await found({ "spec/spec_helper.rb": "" }), 90);
  t.equal(await found({ "Gemfile": "gem 'rspec', '~> 3'\n" }), 80);
  t.equal(await found({ "shop.gemspec": 's.add_development_dependency "rspec"\n' }), 80);
  t.equal(await found({ "lib/a_spec.rb": "" }), 70);
  t.equal(await found({ "Gemfile": 'gem "minitest"\n', "spec/a.rb": "" }), undefined);
});

t.test("runs as the project does: a program of its own, Bundler where that has it, else RSpec", async (t) => {
  t.strictSame(await wordsOf({ "bin/rspec": "", "Gemfile": "" }), ["bin/rspec", ...plain.slice(1)]);
  t.strictSame(await wordsOf({ "Gemfile": "" }), plain, "its gems are not installed");
  t.strictSame(await wordsOf({ "Gemfile": "" }, {}, { "bundle exec rspec --version": {} }), [
    "bundle",
    "exec",
    ...plain,
  ]);
});

t.test("levels are folders or names of files, and a single test a pattern of all its name", async (t) => {
  const files = { "spec/unit/a_spec.rb": "", "spec/system/b_spec.rb": "" };
  t.strictSame(await wordsOf(files, { level: "e2e" }), [...plain, "spec/system/b_spec.rb"]);
  await t.rejects(wordsOf(files, { level: "integration" }), { code: "INVALID_INPUT" });
  t.strictSame(await wordsOf(files, { test: "Calc#divide (2) #2" }), [
    ...plain,
    "--example-matches",
    "^Calc#divide \\(2\\)$",
  ]);
  t.strictSame(await wordsOf(files, { test: "Calc (./spec/a_spec.rb:3)" }), [...plain, "./spec/a_spec.rb:3"]);
});

// RSpec counts 18 examples, 9 failures, 3 pending, and 1 error outside of examples.
t.test("a run is read as it is", (t) => {
  testRecorded(t, rspec, "rspec/tests", { passed: 6, failed: 10, skipped: 3 });
});

t.test("files that cannot be loaded are failures with their place", (t) => {
  testRecorded(t, rspec, "rspec/errors", { passed: 0, failed: 0, skipped: 0 });
});

t.test("a test that exits with 0 leaves the run incomplete", (t) => {
  testRecorded(t, rspec, "rspec/left", { passed: 1, failed: 0, skipped: 0 });
});

t.test("a rerun names the file and the test, and functions of the project are worth a trace", (t) => {
  const outcome = outcomesOf(rspec, "rspec/tests")["spec/calc_spec.rb: Calc raises"]!;
  t.strictSame(rspec.suggestTraces!({ name: "Calc raises", ...outcome }), ["divide"]);
  t.strictSame(
    rspec.rerun!({ name: "Calc raises", suite: "spec/calc_spec.rb", status: "failed" }, projectFor()).argv,
    ["rspec", "spec/calc_spec.rb", "--example-matches", "^Calc raises$"],
  );
  t.end();
});
