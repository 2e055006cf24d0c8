import t from "tap";
import check from "../../../../src/testing/checks/answers_ping.ts";
import type { CheckContext } from "../../../../src/testing/check.ts";
import { runCheckOn } from "./faulty_check.ts";

t.test("a ping with an empty result passes", async (t) => {
  t.match(await runCheckOn(t, "answers_ping", "none"), { status: "passed", findings: [] });
});

t.test("an error as answer fails, and says what clients make of it", async (t) => {
  t.match(await runCheckOn(t, "answers_ping", "no_ping"), {
    status: "failed",
    category: "protocol-error",
    message: /error -32601.*\n.*take this one for dead/,
  });
});

t.test("a revision without ping is not asked", async (t) => {
  const server = { protocolVersion: "2026-07-28", capabilities: {} };
  const ask = () => Promise.reject(new Error("asked"));
  t.match(await check.run({ server, ask } as unknown as CheckContext), {
    status: "skipped",
    note: /no ping/,
  });
});
