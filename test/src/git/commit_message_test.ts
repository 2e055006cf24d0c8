import t from "tap";
import { readCommitMessage, writeCommitMessage } from "../../../src/git/commit_message.ts";

t.test("a fix's message has the trailers of the specification, one per test and file", (t) => {
  const message = writeCommitMessage({
    type: "fix",
    title: "handle missing group in user creation",
    body: "Added existence check before calling.",
    tests: ["create_user_nonexistent_group", "other"],
    category: "runtime-exception",
    files: ["src/tools/user management.ts", "src/b.ts"],
    iteration: 3,
    distro: "debian12",
  });
  t.equal(
    message,
    `fix: handle missing group in user creation

Added existence check before calling.

PTH-Test: create_user_nonexistent_group
PTH-Test: other
PTH-Category: runtime-exception
PTH-Files: src/tools/user management.ts
PTH-Files: src/b.ts
PTH-Iteration: 3
PTH-Distro: debian12
PTH-Type: fix
`,
  );
  t.end();
});

t.test("whatever a name holds is read back as it was", (t) => {
  const tests = [
    "two\nlines",
    "tab\there",
    ' "quoted" ',
    '"looks like JSON"',
    "PTH-Type: evil",
    "a: b",
    "ünï 🎉",
    "back\\slash\\n",
    "",
    "x\u2028y",
    "\r\n\0",
  ];
  const facts = {
    type: "fix",
    title: "t",
    body: "first\n\nPTH-Test: forged\n\nlast",
    tests,
    files: ["a\nb"],
  };
  const read = readCommitMessage(writeCommitMessage(facts));
  t.strictSame(read.tests, tests);
  t.strictSame(read.files, ["a\nb"]);
  t.equal(read.type, "fix");
  t.equal(read.body, facts.body);
  t.end();
});

t.test("a title is one line, and a body without paragraphs is none", (t) => {
  const read = readCommitMessage(writeCommitMessage({ type: "fix", title: " a\nb \t c ", body: " \n " }));
  t.match(read, { title: "a b c", body: "" });
  t.end();
});

t.test("commits of other hands are read as well as they can be", (t) => {
  t.match(readCommitMessage("Tidy up\n\nBecause.\n"), { type: "other", title: "Tidy up", body: "Because." });
  t.match(readCommitMessage("fix: x\n\nPTH-Test: t\nSigned-off-by: me\n"), { type: "fix", tests: ["t"] });
  const hash = "a".repeat(40);
  t.match(readCommitMessage(`Revert "x"\n\nThis reverts commit ${hash}.\n`), {
    type: "other",
    reverts: hash,
  });
  t.end();
});
