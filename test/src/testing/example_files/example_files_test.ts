import { execFile, spawnSync } from "node:child_process";
import { Buffer } from "node:buffer";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { inflateSync } from "node:zlib";
import t from "tap";
import { exampleFiles } from "../../../../src/testing/example_files/example_files.ts";
import { hasExample } from "../../../../src/testing/example_files/example_paths.ts";

const files = exampleFiles();
const textOf = (path: string): string => Buffer.from(files.get(path)!).toString("latin1");
const run = promisify(execFile);

const hasPython = spawnSync("python3", ["-c", "import sqlite3"]).status === 0;
const noPython = { skip: hasPython ? false : "python3 with SQLite is missing" };

t.test("there is a file for each extension that paths may have, and of no other", (t) => {
  const extensions = [...files.keys()].flatMap((path) => /^example\.(\w+)$/.exec(path)?.[1] ?? []);
  t.ok(extensions.length > 30);
  t.ok(extensions.every(hasExample));
  for (const [path, bytes] of files) t.ok(bytes.length > 0 && bytes.length < 10_000, path);
  t.end();
});

t.test("the same bytes come each time", (t) => {
  for (const [path, bytes] of exampleFiles()) t.ok(Buffer.from(bytes).equals(files.get(path)!), path);
  t.end();
});

t.test("the picture is a PNG whose rows are whole", (t) => {
  const png = Buffer.from(files.get("example.png")!);
  t.equal(png.subarray(1, 4).toString(), "PNG");
  t.same([png.readUInt32BE(16), png.readUInt32BE(20)], [32, 32]);
  const start = png.indexOf("IDAT") + 4;
  t.equal(inflateSync(png.subarray(start, start + png.readUInt32BE(start - 8))).length, 32 * (1 + 32 * 3));
  t.end();
});

t.test("the PDF's table of objects points at them", (t) => {
  const pdf = textOf("example.pdf");
  const places = [...pdf.matchAll(/^(\d{10}) 00000 n/gm)].map(([, place]) => Number(place));
  t.equal(places.length, 10);
  places.forEach((place, index) => t.ok(pdf.startsWith(`${index + 1} 0 obj`, place)));
  t.ok(pdf.startsWith("xref", Number(/startxref\n(\d+)/.exec(pdf)![1])));
  t.end();
});

t.test("archives list what they hold", noPython, async (t) => {
  const folder = t.testdir();
  for (const name of ["example.zip", "example.xlsx", "example.docx"]) {
    await writeFile(join(folder, name), files.get(name)!);
    const test =
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(*z.namelist())";
    const { stdout } = await run("python3", ["-c", test, join(folder, name)]);
    t.match(stdout, name === "example.zip" ? "example.txt" : "[Content_Types].xml");
  }
});

t.test("the database holds its rows", noPython, async (t) => {
  const path = join(t.testdir(), "example.db");
  await writeFile(path, files.get("example.db")!);
  const look =
    "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); print(d.execute('pragma integrity_check').fetchall(), " +
    "d.execute('select * from example').fetchall())";
  const { stdout } = await run("python3", ["-c", look, path]);
  t.equal(stdout.trim(), "[('ok',)] [(1, 'example', 1), (2, 'other', 2)]");
});

t.test("git takes the repository for one, with a commit, a staged file, a stash and a remote that answers", async (t) => {
  const folder = t.testdir();
  for (const [path, bytes] of files) {
    if (!path.startsWith("repository/")) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  const cwd = join(folder, "repository");
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const git = async (...words: string[]) => (await run("git", words, { cwd, env })).stdout.trim();
  await git("fsck", "--strict");
  t.equal(await git("status", "--porcelain"), "A  notes.md");
  t.equal(await git("log", "--format=%s"), "Add example files");
  t.match(await git("branch", "--format=%(refname:short)"), /main\nother/);
  await git("fetch");
  await git("stash", "pop");
  t.equal(await git("status", "--porcelain"), "M README.md\nA  notes.md".trim());
  await git("commit", "-m", "Change it");
});
