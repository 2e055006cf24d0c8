// test: timeout=300
/** PTH as the real Claude Code installs it from a git repository, on a machine that has none of its packages. */
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { exists, readDir, writeTextFile } from "../../../src/platform/files.ts";
import { run } from "../../../src/platform/process.ts";
import { openClaudeCode, withoutClaude } from "./claude_code.ts";
import { startModelServer } from "./model_server.ts";
import { offeredIn, seenIn } from "./seen.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const preflight = "mcp__plugin_pth_pth__pth_preflight";

t.test("the first session has the tools at once, and its first call waits for the installation", {
  skip: withoutClaude,
}, async (t) => {
  t.setTimeout(280_000);
  const claude = await openClaudeCode(t);
  const repository = join(claude.folder, "repository");
  await commitTree(repository);
  const address = "https://github.com/pth/plugin-test-harness.git";
  await writeTextFile(
    join(claude.home, ".gitconfig"),
    `[url "file://${repository}"]\n\tinsteadOf = ${address}\n`,
  );
  for (
    const args of [["marketplace", "add", "pth/plugin-test-harness"], ["install", "pth@plugin-test-harness"]]
  ) {
    const { code, stdout, stderr } = await claude.claude(["plugin", ...args]);
    t.equal(code, 0, stdout + stderr);
  }
  const plugin = join(claude.home, ".claude/plugins/cache/plugin-test-harness/pth");
  const [version] = await Array.fromAsync(readDir(plugin), ({ name }) => join(plugin, name));
  t.notOk(await exists(join(version!, "node_modules")), "Claude Code installs no packages by itself");

  const model = await startModelServer(t, { turns: [{ calls: [{ tool: preflight }] }, { text: "ok" }] });
  // The machine's registry, without what it has fetched.
  const env = {
    npm_config_userconfig: join(homedir(), ".npmrc"),
    npm_config_cache: join(claude.folder, "cache"),
  };
  const result = await claude.converse({ prompt: "hello", model, env, timeoutMs: 240_000 });
  t.equal(result.code, 0, result.stderr);
  t.same(model.faults, []);
  t.ok(offeredIn(model.requests[0]!).includes(preflight), "in the very first request");
  t.match(seenIn(model.requests.at(-1)!).last.text, /runtime host: /, "the server's own answer");
  const megabytes = Number((await run(["du", "-sm", version!])).stdout.split("\t")[0]);
  t.ok(megabytes < 120, `${megabytes} MB with the sources`);

  const listed = await claude.claude(["plugin", "list"]);
  t.match(listed.stdout, /✔ enabled/);
  t.notMatch(listed.stdout, /Note:|not installed/);
  t.same(await claude.leftProcesses(), []);
});

/** Makes a git repository of the files as they are now. */
async function commitTree(folder: string): Promise<void> {
  await run(["git", "clone", "--quiet", "--shared", root, folder]);
  const diff = await run(["git", "diff", "--binary", "HEAD"], { cwd: root });
  await run(["git", "apply", "--index", "--allow-empty", "-"], { cwd: folder, stdin: diff.stdout });
  const author = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
  const result = await run(["git", ...author, "commit", "--quiet", "--allow-empty", "-m", "as it is"], {
    cwd: folder,
  });
  if (result.code !== 0) throw new Error(result.stderr);
}
