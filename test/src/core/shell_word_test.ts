import t from "tap";
import { pastedWord, shellWord } from "../../../src/core/shell_word.ts";
import { plainLine } from "../../../src/core/text.ts";
import { runCommand } from "../../../src/platform/process.ts";

const words = [
  "plain",
  "a b",
  "it's $(id) `x`",
  "\\n",
  "line\nfeed\ttab",
  "\u001b[31m'\\",
  "é ☃\u200b\u202e\u{e0041}",
];

t.test("a shell reads a quoted word as itself", async (t) => {
  const { stdout } = await runCommand(["sh", "-c", `printf '%s|' ${words.map(shellWord).join(" ")}`]);
  t.equal(stdout, words.map((word) => `${word}|`).join(""));
});

t.test("so does bash what is pasted from a terminal, which shows all of it", async (t) => {
  const line = words.map(pastedWord).join(" ");
  t.equal(plainLine(line), line);
  const { stdout } = await runCommand(["bash", "-c", `LC_ALL=C.UTF-8; printf '%s|' ${line}`]);
  t.equal(stdout, words.map((word) => `${word}|`).join(""));
});
