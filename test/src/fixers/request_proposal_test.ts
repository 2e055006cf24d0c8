import t from "tap";
import type { Diagnosis, DiagnosisReport } from "../../../machines/model/diagnosis.ts";
import type { FixRequest } from "../../../machines/model/fix.ts";
import { PthError } from "../../../src/core/errors.ts";
import type { Fixer } from "../../../src/api/fixer.ts";
import type { RefusedFix } from "../../../machines/iteration/iteration_state.ts";
import { requestProposal } from "../../../src/fixers/request_proposal.ts";

const diagnosisOf = (testId: string): Diagnosis => ({
  testId,
  testName: `test ${testId}`,
  category: "wrong-output",
  evidence: [],
  error: "",
  exchange: [],
  stderr: "",
  places: [],
  excerpts: [],
  previousFixes: [],
  environment: { problems: [], processes: 0 },
});

const diagnosis: DiagnosisReport = {
  groups: ["a", "b"].map((id) => ({ id, category: "wrong-output", cause: `cause ${id}`, testIds: [id] })),
  diagnoses: [diagnosisOf("a"), diagnosisOf("b")],
};
const signal = new AbortController().signal;
const edits = [{ path: "x", content: "y" }];

async function collect(
  fixer: Fixer | undefined,
  fixes?: FixRequest[],
): Promise<(FixRequest | RefusedFix)[]> {
  const all: (FixRequest | RefusedFix)[] = [];
  const input = {
    number: 3,
    run: fixes ? { fixes } : { fixer: "mend" },
    diagnosis,
    records: [],
    plugin: { name: "p", folder: "/p" },
    fixerOf: () => fixer!,
  };
  for (let index = 0;; index++) {
    const proposal = await requestProposal({ ...input, index }, signal);
    if (proposal === undefined) return all;
    all.push(proposal);
  }
}

t.test("given fixes come as they are, with the category of their tests where they name none", async (t) => {
  const given = [
    { tests: ["a"], title: "one", edits },
    { tests: ["test b"], title: "two", category: "timeout", edits },
    { tests: [], title: "asked for", edits },
  ];
  const all = await collect(undefined, given);
  t.same(all.map((fix) => "category" in fix ? fix.category : undefined), [
    "wrong-output",
    "timeout",
    undefined,
  ]);
});

t.test("a fixer is asked once for each root cause, and told its diagnoses", async (t) => {
  const asked: string[] = [];
  const all = await collect(({ group, diagnoses, iteration }) => {
    asked.push(`${iteration} ${group.id} ${diagnoses.map(({ testId }) => testId).join()}`);
    return Promise.resolve(group.id === "a" ? { title: "mend a", edits } : undefined);
  });
  t.same(asked, ["3 a a", "3 b b"]);
  t.same(all[0], { title: "mend a", edits, category: "wrong-output", tests: ["test a"] });
  t.match(all[1], { title: "cause b", reason: "changed nothing and printed nothing" });
});

t.test("a fixer whose work is of no use costs its own cause only; any other error ends the asking", async (t) => {
  const all = await collect(({ group }) =>
    group.id === "a"
      ? Promise.reject(new PthError("FIXER_FAILED", "Cannot use the fixer's work: it exited with 1"))
      : Promise.resolve({ title: "mend b", edits })
  );
  t.match(all, [{ title: "cause a", reason: "it exited with 1" }, { title: "mend b" }]);
  await t.rejects(collect(() => Promise.reject(new PthError("GIT_FAILED", "Cannot git: no disk"))), {
    code: "GIT_FAILED",
  });
});
