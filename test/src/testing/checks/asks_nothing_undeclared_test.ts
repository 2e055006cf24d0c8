import t from "tap";
import { runCheckOn } from "./faulty_check.ts";

const name = "asks_nothing_undeclared";

t.test("a server that only answers passes", async (t) => {
  t.match(await runCheckOn(t, name, "none"), { status: "passed", findings: [] });
  t.match(await runCheckOn(t, name, "asks_client"), { status: "passed" }, "one that asks when it is called");
});

t.test("a request at start that the client did not declare fails", async (t) => {
  t.match(await runCheckOn(t, name, "asks_at_start"), {
    status: "failed",
    category: "protocol-error",
    message: /roots\/list/,
  });
});

t.test("in a revision that only advises against it, the request is a finding, and fails when strict", async (t) => {
  const args = ["--protocol", "2024-11-05"];
  const finding = { severity: "warning", code: "undeclared-request" };
  t.match(await runCheckOn(t, name, "asks_at_start", { args }), { status: "passed", findings: [finding] });
  t.match(await runCheckOn(t, name, "asks_at_start", { args, strict: true }), {
    status: "failed",
    message: /roots/,
  });
});
