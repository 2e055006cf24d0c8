import t from "tap";
import { excerptsAround } from "../../../src/diagnosis/excerpts_around.ts";
import { textSources } from "../../../src/plugin/plugin_sources.ts";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

t.test("places, the handler with what it calls, and imports are there once", async (t) => {
  const sources = textSources({
    "server.ts": `import { save } from "./save.ts";\n${numbered(100)}`,
    "save.ts": numbered(20),
  });
  const excerpts = await excerptsAround([{ path: "server.ts", line: 50 }], [
    { path: "server.ts", from: 40, to: 70 },
    { path: "server.ts", from: 45, to: 52 },
    { path: "save.ts", from: 3, to: 5 },
  ], sources);
  t.strictSame(excerpts.map(({ path, from }) => `${path}:${from}`), [
    "server.ts:1",
    "server.ts:42",
    "server.ts:40",
    "save.ts:3",
  ]);
  t.equal(excerpts.at(-1)?.text, "line 3\nline 4\nline 5");
});

t.test("a long handler is cut to whole lines, and says so", async (t) => {
  const sources = textSources({ "a.py": numbered(300), "b.py": `${"x".repeat(1000)}\n${numbered(3)}` });
  const [long] = await excerptsAround([], [{ path: "a.py", from: 1, to: 300 }], sources);
  t.equal(long?.text.split("\n").length, 80);
  t.equal(long?.leftOut, "220 more lines");
  const [wide] = await excerptsAround([], [{ path: "b.py", from: 1, to: 2 }], sources);
  t.equal(wide?.text.split("\n")[0]?.length, 401);
  t.notOk(wide && "leftOut" in wide);
});
