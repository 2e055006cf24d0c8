import t from "tap";
import { runCheckOn } from "./faulty_check.ts";

const name = "answers_unknown_methods";

t.test("method not found passes", async (t) => {
  t.match(await runCheckOn(t, name, "none"), { status: "passed", findings: [] });
});

t.test("another error passes with information about its code, also when strict", async (t) => {
  const verdict = await runCheckOn(t, name, "own_error_code", { strict: true });
  t.match(verdict, { status: "passed", findings: [{ severity: "info", code: "unknown-method-code" }] });
  t.match(verdict.findings[0]?.message, "-32602");
});

t.test("silence, a result and a crash fail", async (t) => {
  t.match(await runCheckOn(t, name, "silent_on_unknown", { limitMs: 300 }), {
    status: "failed",
    category: "timeout",
    message: /never answered .*\n.*-32601/,
  });
  t.match(await runCheckOn(t, name, "answers_anything"), {
    status: "failed",
    category: "protocol-error",
    message: /with a result: \{\}/,
  });
  t.match(await runCheckOn(t, name, "dies_on_unknown"), {
    status: "failed",
    category: "runtime-exception",
    message: /exited with 5/,
  });
});
