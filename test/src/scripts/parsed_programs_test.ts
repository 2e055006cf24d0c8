import { join } from "node:path";
import t from "tap";
import parsedPrograms from "../../../scripts/checks/parsed_programs.ts";
import { readTree } from "../../../scripts/checks/tree.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

t.test("a program that its interpreter cannot parse is told with its line, one that it can is not", async (t) => {
  const root = await temporaryFolder(t);
  await runCommand(["git", "init", "--quiet", root]);
  await mkdir(join(root, "src/assets"), { recursive: true });
  await mkdir(join(root, "images"));
  await writeTextFile(join(root, "images/bad.sh"), "case $1 in\n");
  const texts = {
    "good.sh": "if true; then echo; fi\n",
    "bad.sh": "if true; then echo\n",
    "good.py": "def f(): return NAME_OF_THE_HOST\n",
    "bad.py": "x = 1\ndef f(:\n",
    "bad.cjs": "const = 1;\n",
    "page.html": "",
  };
  for (const [name, text] of Object.entries(texts)) await writeTextFile(join(root, "src/assets", name), text);
  const found = await parsedPrograms.run(await readTree(root));
  t.match(found.sort(), [
    /^images\/bad\.sh: sh exits with \d\n/,
    /^src\/assets\/bad\.cjs: node exits with 1\n[^]*bad\.cjs:1/,
    /^src\/assets\/bad\.py: python3 exits with 1\n[^]*line 2/,
    /^src\/assets\/bad\.sh: sh exits with \d\n/,
    /^src\/assets\/page\.html: name its parser/,
  ]);
  t.equal(found.length, 5);
});
