import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { readSecretsFile } from "../../../src/plugin/read_secrets_file.ts";

const folder = await mkdtemp(join(tmpdir(), "pth-secrets-"));
t.teardown(() => rm(folder, { recursive: true, force: true }));

t.test("comments, export, quotes and carriage returns are understood", async (t) => {
  const path = join(folder, "good.env");
  await writeFile(path, "# keys\n\nexport A = 'one two'\r\nB=\"x=y\"\nC=\n");
  t.strictSame(await readSecretsFile(path), { secrets: { A: "one two", B: "x=y", C: "" }, problems: [] });
});

t.test("a line that is wrong is named by its place, never by its text", async (t) => {
  const path = join(folder, "bad.env");
  await writeFile(path, "A=1\nhunter2\n1B=2\n");
  const { problems } = await readSecretsFile(path);
  t.strictSame(problems, [`${path}:2:1 expected NAME=value`, `${path}:3:1 expected NAME=value`]);
});

t.test("a file that is not there, and a folder, are problems", async (t) => {
  t.match(await readSecretsFile(join(folder, "nowhere")), { problems: [/there is no such file/] });
  t.equal((await readSecretsFile(folder)).problems.length, 1);
});
