import t from "tap";
import { reportedEvents } from "../../../../src/project_tests/readers/reported_events.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const finished = (id: number, name: string) =>
  line({ type: "finished", id, test: { name, suite: "/project/a.js" }, outcome: { status: "passed" } });
const reader = () => reportedEvents(projectFor());

t.test("a run is complete once its reporter says so, and every test that began has ended", (t) => {
  const end = (
    text: string,
    exit: { code: number | null; signal: string | null } = { code: 0, signal: null },
  ) => {
    const one = reader();
    one.push("events", text);
    return one.end(exit);
  };
  t.match(end(finished(1, "a") + line({ type: "end" })), [{ type: "suite_ended", complete: true }]);
  t.match(end(finished(1, "a")), [{ complete: false, reason: /ended with exit code 0 before it said/ }]);
  t.match(end("", { code: null, signal: "SIGKILL" }), [{ complete: false, reason: /SIGKILL/ }]);
  const begun = line({ type: "started", id: 1, test: { name: "a" } });
  t.match(end(begun + line({ type: "end" })), [{ complete: false, reason: /1 tests had begun/ }]);
  const broken = line({ type: "suite_ended", suite: "/project/a.js", complete: false });
  t.match(end(broken + line({ type: "end" })), [{ complete: false }]);
  t.end();
});

t.test("tests of one name are numbered, and their ends find their beginnings", (t) => {
  const one = reader();
  const events = one.push(
    "events",
    line({ type: "started", id: 1, test: { name: "same" } }) +
      line({ type: "started", id: 2, test: { name: "same" } }) +
      line({ type: "finished", id: 2, outcome: { status: "failed" } }) +
      line({ type: "finished", id: 1, outcome: { status: "passed" } }),
  );
  t.match(events.slice(2), [
    { test: { name: "same #2" }, outcome: { status: "failed" } },
    { test: { name: "same" }, outcome: { status: "passed" } },
  ]);
  t.end();
});

t.test("what is no event is told as unreadable, and never as a test", (t) => {
  const one = reader();
  const texts = [
    "no JSON",
    "[1]",
    "null",
    line({ type: "finished", id: 7, outcome: { status: "passed" } }),
    line({ type: "finished", id: 7, test: { name: 3 }, outcome: { status: "passed" } }),
    line({ type: "finished", id: 7, test: { name: "a" }, outcome: { status: "fine" } }),
    line({ type: "started", test: {} }),
    line({ type: "constructor" }),
  ];
  for (const text of texts) t.match(one.push("events", text), [{ type: "unreadable" }], text);
  t.match(one.push("stdout", line({ type: "end" })), [{ type: "output" }], "what tests print is output");
  t.match(one.end({ code: 0, signal: null }), [{ complete: false }]);
  t.end();
});

t.test("more tests than can be told apart make the run incomplete", (t) => {
  const one = reader();
  for (let id = 0; id < 100_001; id++) one.push("events", finished(id, "same"));
  one.push("events", line({ type: "end" }));
  t.match(one.end({ code: 0, signal: null }), [{ complete: false, reason: /more than 100000 tests/ }]);
  t.end();
});
