import t from "tap";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { refusalNote } from "../../../../src/testing/exercise/unmet_need.ts";
import { widerSchemas } from "../../../../src/testing/exercise/wider_schemas.ts";

const bake = {
  name: "bake",
  inputSchema: {
    type: "object",
    properties: {
      mode: { type: "string", enum: ["top", "bottom", "fan"] },
      heat: { type: "integer", minimum: 1, maximum: 250 },
      name: { type: "string", minLength: 1, maxLength: 80 },
      path: { type: "string" },
    },
  },
};

/** Inputs that were accepted, and inputs with the words by which they were refused. */
function findingsOf(
  accepted: TestCase["input"][],
  refused: [input: TestCase["input"], words: string][],
): string[] {
  const calls = [
    ...accepted.map((input) => ({ input, note: undefined })),
    ...refused.map(([input, words]) => ({
      input,
      note: refusalNote(words),
    })),
  ];
  const tests = calls.map(({ input }, index) =>
    ({ id: String(index), tool: "bake", input, expect: { well_behaved: true } }) as unknown as TestCase
  );
  const results = calls.map(({ note }, index) =>
    ({
      id: String(index),
      status: note === undefined ? "passed" : "skipped",
      note,
      findings: [],
    }) as unknown as TestResult
  );
  return widerSchemas({ tests, results, tools: [bake] }).map(({ severity, code, message }) =>
    `${severity} ${code}: ${message}`
  );
}

t.test("a member of an enum and a number within its limits that are refused for themselves are findings", (t) => {
  const findings = findingsOf([{ heat: 1 }, { heat: 1, mode: "top" }], [
    [{ heat: 1, mode: "fan" }, "mode fan is not supported"],
    [{ heat: 1, mode: "bottom" }, "mode bottom is not supported"],
    [{ heat: 250 }, "heat must be at most 200"],
  ]);
  t.equal(findings.length, 2, "one for each property");
  t.match(findings[0]!, /^info schema-wider-than-server: bake refuses mode = "fan".*enum.*not supported/);
  t.match(findings[1]!, /bake refuses heat = 250.*minimum 1, maximum 250.*at most 200.*it accepts 1/);
  t.end();
});
const silent: [what: string, accepted: TestCase["input"][], refused: [TestCase["input"], string]][] = [
  ["nothing was accepted", [], [{ heat: 250 }, "heat must be at most 200"]],
  ["two properties differ", [{ heat: 1 }], [{ heat: 250, mode: "fan" }, "mode fan is not supported"]],
  ["something is not there", [{ heat: 1 }], [{ heat: 1, mode: "fan" }, "mode fan: no such oven, unknown"]],
  ["the mode needs more", [{ heat: 1 }], [{ heat: 1, mode: "fan" }, "mode fan requires speed, invalid"]],
  ["the words are about something else", [{ heat: 1 }], [{ heat: 250 }, "invalid state of the oven"]],
  ["the schema gives a type alone", [{ heat: 1 }], [{ heat: 1, path: "x" }, "path x is not allowed"]],
];

for (const [what, accepted, refused] of silent) {
  t.test(`a refusal tells nothing of the schema where ${what}`, (t) => {
    t.same(findingsOf(accepted, [refused]), []);
    t.end();
  });
}
