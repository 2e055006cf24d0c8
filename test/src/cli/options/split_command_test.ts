import t from "tap";
import { splitCommand } from "../../../../src/cli/options/split_command.ts";

t.test("words, quotes and backslashes as in sh", (t) => {
  const cases: [string, string[]][] = [
    ["node index.js", ["node", "index.js"]],
    [`  node   'my server.js' "a \\"b\\" c" d\\ e `, ["node", "my server.js", 'a "b" c', "d e"]],
    [`x "" ''`, ["x", "", ""]],
    [`x "C:\\dir" 'a\\b'`, ["x", "C:\\dir", "a\\b"]],
    ["x --port={port}", ["x", "--port={port}"]],
    [`x 'a|b' "c;d" '$HOME'`, ["x", "a|b", "c;d", "$HOME"]],
  ];
  for (const [command, words] of cases) t.same(splitCommand(command), words, command);
  t.end();
});

t.test("what needs a shell gets one", (t) => {
  for (const command of ["cd a && node b", "x | y", "x > log", "x $HOME", 'x "$HOME"', "a; b", "x `y`"]) {
    t.same(splitCommand(command), ["sh", "-c", command]);
  }
  t.end();
});

t.test("an open quote, a last backslash and nothing at all are refused", (t) => {
  t.throws(() => splitCommand('node "x'), { message: 'a " is not closed' });
  t.throws(() => splitCommand("node x\\"), { message: "it ends in a backslash" });
  t.throws(() => splitCommand("   "), { message: "it is empty" });
  t.end();
});
