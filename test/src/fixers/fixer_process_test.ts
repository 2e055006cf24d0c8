import t from "tap";
import { readPrinted } from "../../../src/fixers/fixer_process.ts";

const patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n";

t.test("message and patch are told apart", (t) => {
  const cases: [string, string, ReturnType<typeof readPrinted>][] = [
    ["nothing", "", {}],
    ["white space", " \n\n", {}],
    ["a title", "Guard against null\n", { title: "Guard against null" }],
    ["title and body", "# Guard\r\n\r\nIt was null.\r\n", { title: "Guard", body: "It was null." }],
    ["a patch alone", patch, { patch }],
    ["a patch of git", `diff --git a/a.txt b/a.txt\n${patch}`, {
      patch: `diff --git a/a.txt b/a.txt\n${patch}`,
    }],
    ["a title, then a patch", `Say two\n\n${patch}`, { title: "Say two", patch }],
    [
      "a patch between fences",
      `Say two\n\n\`\`\`diff\n${patch}\`\`\`\nThat is all.\n`,
      { title: "Say two", body: "That is all.", patch },
    ],
    ["a fence that does not end", `\`\`\`\n${patch}`, { patch }],
    ["dashes that are no patch", "--- not a file\nno\n", { title: "--- not a file", body: "no" }],
  ];
  for (const [name, text, expected] of cases) t.strictSame(readPrinted(text), expected, name);
  t.end();
});

t.test("a sentence that is too long for a title is kept whole in the body", (t) => {
  const sentence = "word ".repeat(50).trim();
  const { title, body } = readPrinted(sentence);
  t.ok(title!.length <= 100);
  t.match(title, /…$/);
  t.equal(body, sentence);
  t.end();
});
