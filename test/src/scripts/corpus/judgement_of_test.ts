import t from "tap";
import { judgementOf } from "../../../../scripts/corpus/judgement_of.ts";

const failure = {
  test: "read-file-boundary",
  name: "read_file - boundary",
  message: "wrote a line on stdout",
};
const of = (alpha: Record<string, { says?: string; fault: boolean; reason: string }>) =>
  judgementOf({ alpha }, "alpha", failure)?.reason;

t.test("a judgement is found by the id of the test, and a whole id comes first", (t) => {
  const [all, one, other] = ["all", "one", "other"].map((reason) => ({ fault: true, reason }));
  t.equal(of({ "*": all!, "read-file-boundary": one! }), "one");
  t.equal(of({ "read-*": all!, "*-boundary": one! }), "all");
  t.equal(
    of({ "read-file": other!, "read.*": other! }),
    undefined,
    "a part of the id, or a pattern, is none",
  );
  t.equal(judgementOf({ beta: { "*": all! } }, "alpha", failure), undefined, "it is another server's");
  t.end();
});

t.test("a judgement of what a failure says is not of another failure", (t) => {
  t.equal(of({ "*": { says: "on stdout", fault: true, reason: "noise" } }), "noise");
  t.equal(of({ "*": { says: "no answer", fault: false, reason: "slow" } }), undefined);
  t.end();
});
