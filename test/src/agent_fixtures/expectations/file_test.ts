/** `file` on changes of a project, and the files that are there at the end. */
import t from "tap";
import { checksOf, ended, judge, sessionOf } from "../session_of.ts";

const changes = [
  { path: "report.md", change: "added" as const },
  { path: "src/a.ts", change: "changed" as const },
  { path: "old.txt", change: "removed" as const },
];
const files = "./report.md\n./src/a.ts\n./src/b.ts\n./.config\n";

function judged(expected: { path: string; is?: string; content?: string }, text?: string) {
  const outcomes = [ended(0, files), ended(text === undefined ? 1 : 0, text, "no such file")];
  return judge("file", expected, sessionOf([], { changes, checks: checksOf("file", expected, outcomes) }));
}

t.test("what the agent made, changed and removed counts, by globs", (t) => {
  t.match(judged({ path: "*.md", is: "created" }), { pass: true, actual: { path: "report.md" } });
  t.match(judged({ path: "src/*", is: "changed" }), { pass: true });
  t.match(judged({ path: "old.txt", is: "removed" }), { pass: true });
  t.match(judged({ path: "src/a.ts", is: "created" }), {
    pass: false,
    reason: "no file src/a.ts was created; src/a.ts was changed",
  });
  t.match(judged({ path: "x", is: "changed" }), {
    pass: false,
    reason: /no file x was changed; report\.md was added/,
  });
  t.end();
});

t.test("a file is untouched only where it is there", (t) => {
  t.match(judged({ path: "src/b.ts", is: "untouched" }), { pass: true });
  t.match(judged({ path: "src/*", is: "untouched" }), { pass: false, reason: /src\/a\.ts was changed/ });
  t.match(judged({ path: "never.txt", is: "untouched" }), {
    pass: false,
    reason: /there is no file never\.txt/,
  });
  t.match(judged({ path: ".config" }), { pass: true });
  t.match(judged({ path: "old.txt", is: "absent" }), { pass: true });
  t.match(judged({ path: "src/*", is: "absent" }), { pass: false, reason: "src/a.ts is there" });
  t.match(judge("file", { path: "a" }, sessionOf([])), { pass: false, reason: /not listed/ });
  t.end();
});

t.test("a text that does not match, or cannot be read, is no match", (t) => {
  t.match(judged({ path: "report.md", is: "created", content: "north" }, "The north"), { pass: true });
  t.match(judged({ path: "report.md", content: "south" }, "The north"), {
    pass: false,
    reason: /the text of report\.md does not match/,
  });
  t.match(judged({ path: "report.md", content: "south" }), {
    pass: false,
    reason: /could not be read: no such file/,
  });
  for (const wrong of [{ path: "../x" }, { path: "/x" }, { path: "*", content: "x" }]) {
    t.throws(() => judged(wrong), /expected a path/);
  }
  t.throws(() => judged({ path: "x", is: "absent", content: "x" }), /no content of a file that is not there/);
  t.end();
});
