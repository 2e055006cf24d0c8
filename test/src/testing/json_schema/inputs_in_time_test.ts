import t from "tap";
import { OutOfTime } from "../../../../src/platform/bounded.ts";
import { inputsInTime } from "../../../../src/testing/json_schema/inputs_in_time.ts";

const schemaOf = (pattern: string) => ({
  type: "object",
  properties: { word: { type: "string", pattern } },
});

t.test("what ran out of time for a schema is not tried for it again, nor for another list's copy", (t) => {
  let tries = 0;
  const endless = () => {
    tries++;
    throw new OutOfTime(1000);
  };
  const first = inputsInTime("example", schemaOf("(a+)+1"), endless);
  const before = tries;
  t.match(first.problem, "inputs for it are not done within 1 s");
  t.same(inputsInTime("example", schemaOf("(a+)+1"), endless), first);
  t.equal(tries, before);
  t.match(inputsInTime("tests", schemaOf("(a+)+1"), () => "made"), { result: "made" });
  t.match(inputsInTime("example", schemaOf("(a+)+2"), () => "made"), { result: "made" });
  t.end();
});

t.test("what a busy machine had no time for is tried again", (t) => {
  const starved = () => {
    throw new OutOfTime(4000, { starved: true });
  };
  t.match(inputsInTime("example", schemaOf("(b+)+1"), starved).problem, "within 4 s on a busy machine");
  t.match(inputsInTime("example", schemaOf("(b+)+1"), () => "made"), { result: "made" });
  t.end();
});

t.test("what is done in time is done each time", (t) => {
  let tries = 0;
  const work = () => ++tries;
  t.same([1, 2].map(() => inputsInTime("example", schemaOf("a"), work).result), [1, 2]);
  t.end();
});

t.test("a schema too long to be remembered is tried again", (t) => {
  let tries = 0;
  const endless = () => {
    tries++;
    throw new RangeError("too deep");
  };
  const long = schemaOf("a".repeat(200_000));
  for (let n = 0; n < 2; n++) t.ok(inputsInTime("example", long, endless).problem);
  t.equal(tries, 2);
  t.end();
});
