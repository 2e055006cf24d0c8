/** What a fresh marketplace install does: the sources alone, no dependencies, started by scripts/mcp.sh. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import {
  copyFile,
  exists,
  makeTempDir,
  mkdir,
  removeIfExists,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { collect, run, spawnProcess } from "../../../src/platform/process.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The repository's files as git would give them, without the tests, in a folder outside of it. */
async function freshCopy(t: Test): Promise<string> {
  const folder = await makeTempDir({ prefix: "pth-plugin-" });
  t.teardown(() => removeIfExists(folder));
  const listed = await run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  for (const path of listed.stdout.split("\0")) {
    if (path === "" || path.startsWith("test/") || !(await exists(join(root, path)))) continue;
    await mkdir(join(folder, path, ".."), { recursive: true });
    await copyFile(join(root, path), join(folder, path));
  }
  return folder;
}

/** Starts the server as Claude Code does and answers its reply to `initialize` with its stderr. */
async function initialize(folder: string): Promise<{ reply: string; stderr: string; code: number | null }> {
  const server = await spawnProcess(["sh", join(folder, "scripts/mcp.sh")], { cwd: "/" });
  const stderr = collect(server.stderr);
  const stdout = collect(server.stdout);
  server.stdin.write(`${
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    })
  }\n`);
  while (!stdout.text().includes("\n") && server.stdout.readable) {
    await new Promise((done) => setTimeout(done, 20));
  }
  server.stdin.end();
  const { code } = await server.exited;
  return { reply: stdout.text(), stderr: stderr.text(), code };
}

t.test("the first start installs once for all who wait, the next ones start at once and say nothing", async (t) => {
  const folder = await freshCopy(t);
  const both = await Promise.all([initialize(folder), initialize(folder)]);
  for (const { reply, stderr } of both) {
    t.equal(JSON.parse(reply.split("\n")[0]!).result?.serverInfo?.name, "pth", stderr);
  }
  t.equal(
    both.filter(({ stderr }) => stderr.includes("installing dependencies")).length,
    1,
    "one of them installed",
  );
  t.notOk(await exists(join(folder, "node_modules/tap")), "no development tools");
  t.notOk(await exists(join(folder, ".bootstrap")), "nothing half-done is left");

  const later = await initialize(folder);
  t.equal(later.stderr, "");
  t.equal(later.code, 0, "ends when its stdin ends");
});

t.test("an installation that cannot work says why and keeps stdout clean", async (t) => {
  const folder = await freshCopy(t);
  await writeTextFile(join(folder, "package-lock.json"), "{ broken");
  const { reply, stderr, code } = await initialize(folder);
  t.equal(reply, "");
  t.equal(code, 3);
  t.match(stderr, /Cannot start PTH: installing its dependencies failed/);
  t.match(stderr, /npm/);
  t.notOk(await exists(join(folder, ".bootstrap.lock")), "the next start may try again");
});

t.test("without npm it says what to install", async (t) => {
  const folder = await freshCopy(t);
  const path = join(folder, "bin");
  await mkdir(path);
  for (const tool of ["sh", "dirname"]) await linkTool(tool, path);
  const result = await run(["sh", join(folder, "scripts/mcp.sh")], { env: { PATH: path } });
  t.equal(result.code, 3);
  t.equal(result.stdout, "");
  t.match(result.stderr, /npm is not on PATH/);
});

t.test("a lock whose owner is dead is no obstacle", async (t) => {
  const folder = await freshCopy(t);
  await mkdir(join(folder, ".bootstrap.lock"));
  await writeTextFile(join(folder, ".bootstrap.lock/pid"), "999999999");
  await removeIfExists(join(folder, "package.json"));
  const { stderr, code } = await initialize(folder);
  t.equal(code, 3, "without package.json the attempt fails, but it was made");
  t.match(stderr, /installing dependencies/);
  t.match(stderr, /package\.json/);
});

t.test("a developer's own node_modules is left alone", async (t) => {
  const folder = await freshCopy(t);
  await mkdir(join(folder, "node_modules/mine"), { recursive: true });
  const { stderr, code } = await initialize(folder);
  t.not(code, 0, "the server cannot find its packages");
  t.match(stderr, /xstate|zod|modelcontextprotocol|npm package/);
  t.ok(await exists(join(folder, "node_modules/mine")));
  t.ok(await exists(join(folder, "scripts/deno/node_modules/deno/deno")), "the missing Deno was fetched");
});

async function linkTool(name: string, folder: string): Promise<void> {
  const found = await run(["sh", "-c", `command -v ${name}`]);
  await run(["ln", "-s", found.stdout.trim(), join(folder, name)]);
}
