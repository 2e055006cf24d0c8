import t from "tap";
import { flagsIn, shellCommands } from "../../../../src/project_tests/javascript/shell_words.ts";

const raws = (line: string) => shellCommands(line).map((words) => words.map(({ raw }) => raw));

t.test("commands in a row are told apart, and words keep their quotes", (t) => {
  t.strictSame(raws("a 'b && c' \"d;e\" && f\\ g; h"), [["a", "'b && c'", '"d;e"'], ["f\\ g"], ["h"]]);
  t.strictSame(shellCommands(`x 'a b'"c \\" d"\\ e`)[0]![1]!.text, 'a bc " d e');
  t.end();
});

t.test("what output goes into, and what only a failure starts, is left away", (t) => {
  t.strictSame(raws("tape test/*.js | tap-spec && done"), [["tape", "test/*.js"], ["done"]]);
  t.strictSame(raws("a > out.txt 2>&1 || exit 1"), [["a"]]);
  t.end();
});

t.test("a line with an open quote is no command", (t) => {
  t.strictSame(raws("a 'b"), []);
  t.end();
});

t.test("options are kept with their values", (t) => {
  const words = shellCommands("-r esm --exit test/*.js --timeout=3 other.js")[0]!;
  t.strictSame(flagsIn(words, /^-r$/).map(({ raw }) => raw), ["-r", "esm", "--exit", "--timeout=3"]);
  t.end();
});
