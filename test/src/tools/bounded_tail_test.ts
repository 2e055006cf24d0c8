import t from "tap";
import { boundedTail } from "../../../src/tools/bounded_tail.ts";

const limits = { lines: 3, characters: 40 };

t.test("short text stays as it is, without its last line feed", (t) => {
  t.equal(boundedTail("a\nb\n", limits), "a\nb");
  t.equal(boundedTail("", limits), "");
  t.end();
});

t.test("only the last lines are kept, and how many are missing is said", (t) => {
  t.equal(boundedTail("1\n2\n3\n4\n5\n", limits), "… 2 lines left out; ask with detail: true\n3\n4\n5");
  t.equal(boundedTail("1\n2\n3\n4", limits, ""), "… 1 line left out\n2\n3\n4");
  t.end();
});

t.test("long lines count by their characters", (t) => {
  const [first, second] = ["a".repeat(30), "b".repeat(30)];
  t.equal(boundedTail(`${first}\n${second}`, limits, ""), `… 1 line left out\n${second}`);
  t.end();
});

t.test("a single line that is too long is cut at its beginning", (t) => {
  t.equal(boundedTail(`x${"y".repeat(40)}`, limits), `… 1 characters left out …${"y".repeat(40)}`);
  t.end();
});
