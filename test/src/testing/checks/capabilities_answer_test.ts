import t from "tap";
import { runCheckOn } from "./faulty_check.ts";

const name = "capabilities_answer";

t.test("what is advertised and answers passes", async (t) => {
  t.match(await runCheckOn(t, name, "all_capabilities"), {
    status: "passed",
    note: "resources, prompts, completions, logging",
    findings: [],
  });
  t.match(await runCheckOn(t, name, "none"), { status: "passed", note: /nothing but tools/, findings: [] });
});

t.test("what is advertised and does not exist fails, each named", async (t) => {
  const verdict = await runCheckOn(t, name, "empty_promises");
  t.match(verdict, { status: "failed", category: "protocol-error" });
  t.match(verdict.message, /resources is advertised, and resources\/list is answered with -32601/);
  t.match(verdict.message, "prompts/list");
  t.match(verdict.findings.map(({ code }) => code), ["capability-not-answered", "capability-not-answered"]);
});

t.test("lists and completions of another shape fail", async (t) => {
  const { status, message } = await runCheckOn(t, name, "broken_lists");
  t.equal(status, "failed");
  t.match(message, /resources\/list: item 0 has no text "name"/);
  t.match(message, /"completion.values" is not an array/);
});

t.test("logging whose level cannot be set is a finding, and fails when strict", async (t) => {
  const finding = { severity: "warning", code: "capability-not-answered", message: /logging\/setLevel/ };
  t.match(await runCheckOn(t, name, "silent_logging"), { status: "passed", findings: [finding] });
  t.match(await runCheckOn(t, name, "silent_logging", { strict: true }), {
    status: "failed",
    message: /logging/,
  });
});

t.test("a list that answers and is not advertised is a finding", async (t) => {
  const { status, findings } = await runCheckOn(t, name, "unadvertised_lists");
  t.equal(status, "passed");
  t.match(findings.map(({ message }) => message), [
    /resources\/list answers 2 items/,
    /prompts\/list answers 1 item,/,
  ]);
});

t.test("a list that is refused, or waits for something outside, skips with the reason", async (t) => {
  t.match(await runCheckOn(t, name, "refused_lists"), {
    status: "skipped",
    note: /resources\/list: the database/,
  });
  t.match(await runCheckOn(t, name, "silent_lists", { limitMs: 300 }), {
    status: "skipped",
    note: /resources\/list: no answer in time/,
  });
});
