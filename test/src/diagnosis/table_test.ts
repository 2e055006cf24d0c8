import t from "tap";
import { errorCodes, PthError } from "../../../src/core/errors.ts";
import { factLines, recoveryTable } from "../../../src/diagnosis/table.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

t.test("each row has codes of its own, facts and ways out", (t) => {
  const codes = recoveryTable.flatMap((row) => row.codes);
  t.same(codes.filter((code) => !(code in errorCodes)), []);
  t.equal(new Set(codes).size, codes.length, "a code tells which failure it is");
  for (const { failure, facts, options } of recoveryTable) {
    t.ok("output" in facts || "branch" in facts, `${failure}: the raw output is told`);
    t.ok(nextStepsFor("mcp", options).length > 0, `${failure}: there is a way out`);
  }
  t.end();
});

t.test("facts are shown in the order of the table, without what is not known", (t) => {
  const error = new PthError("SERVER_LOST", "x", {
    output: "stays where it is",
    lastCall: "hello at noon",
    exitCode: 7,
    signal: null,
    coreDump: "",
    other: "no fact of the table",
  });
  t.same(factLines(error), ["Exit code: 7", "Last successful call: hello at noon"]);
  const full = new PthError("DISK_FULL", "x", { disk: ["/: 100% used", "/tmp: 3% used"] });
  t.same(factLines(full), ["Disks of the host:", "  /: 100% used", "  /tmp: 3% used"]);
  t.same(factLines(new PthError("INVALID_INPUT", "x", { disk: "full" })), []);
  t.end();
});
