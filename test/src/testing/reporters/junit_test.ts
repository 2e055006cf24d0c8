import t from "tap";
import junit from "../../../../src/testing/reporters/junit.ts";
import { fullRun } from "./full_run.ts";
import { died, facts, finished, nasty, written } from "./recorded_run.ts";
import { parseXml } from "../../parse_xml.ts";

t.test("is well-formed XML with a suite per tool, whatever the texts hold", (t) => {
  const elements = parseXml(written(junit, facts, finished));
  const named = (name: string) => elements.filter((element) => element.name === name);
  t.match(named("testsuites")[0]!.attributes, {
    tests: "5",
    failures: "1",
    errors: "0",
    skipped: "1",
    time: "4.200",
  });
  t.same(named("testsuite").map(({ attributes }) => attributes.name), ["echo", "store", "server"]);
  t.equal(named("testcase").length, 5);
  t.match(named("testcase")[2]!.attributes, {
    classname: "sample.store",
    file: "tests/store.yaml",
    line: "7",
  });
  t.match(named("failure")[0]!.attributes, {
    type: "runtime-exception",
    message: "Server crashed: exited with 1",
  });
  t.match(named("failure")[0]!.text, `a <b> & "c" 'd' ]]> red`);
  t.match(named("skipped")[0]!.attributes.message, "needs a fixture");
  t.match(named("system-err")[0]!.text, "Error: boom");
  t.match(named("property").map(({ attributes }) => attributes), [{ name: "runtime", value: "docker" }]);
  t.end();
});

t.test("suites have an account of their tool, the server's one of those without tests", (t) => {
  const properties = parseXml(written(junit, facts, fullRun)).filter(({ name }) => name === "property")
    .map(({ attributes }) => attributes).filter(({ name }) => name!.startsWith("exercise"));
  t.same(properties.map(({ name }) => name), ["exercise", "exercise", "exercise.fetch", "exercise.wipe"]);
  t.match(properties[0], { value: "exercised" });
  t.match(properties[3], { value: 'excluded: its name says "wipe"' });
  t.end();
});

t.test("holds no control characters and no half characters", (t) => {
  const xml = written(junit, facts, finished);
  // deno-lint-ignore no-control-regex -- they are what this is about
  t.ok(/[\u0000\u0007\u001b]/.test(nasty), "the recorded texts do hold them");
  // deno-lint-ignore no-control-regex -- they are what this is about
  t.notMatch(xml, /[\u0000-\u0008\u000b-\u001f]/);
  t.equal(xml, xml.toWellFormed());
  t.end();
});

t.test("a run that died is one error, so that CI shows it", (t) => {
  const elements = parseXml(written(junit, facts.slice(0, 5), died));
  t.match(elements[0]!.attributes, { tests: "1", errors: "1", failures: "0" });
  const error = elements.find(({ name }) => name === "error")!;
  t.match(error.attributes, { type: "INSTALL_FAILED", message: "Cannot install plugin: npm exited with 1" });
  t.match(error.text, "npm ERR!");
  t.end();
});

t.test("a flaky test has passed, and tells how it failed", (t) => {
  const elements = parseXml(written(junit, facts, fullRun));
  const flaky = elements.find(({ name }) => name === "flakyFailure")!;
  t.match(flaky.attributes, { type: "flaky", message: "failed 1 of 4 times, 25 % of 40 known runs" });
  t.match(flaky.text, "passed on the second run");
  t.equal(elements.filter(({ name }) => name === "failure").length, 2);
  t.end();
});
