// test: timeout=200
/** Which fix broke a test: over MCP, at real commits that are built and started beside the session. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Bisection } from "../../../machines/model/fix.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { copyFaults, makeRepository } from "./faulty_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";

const slow = { timeout: 190_000 };
t.setTimeout(slow.timeout);

const { folder, call, succeed } = await openSessionClient(t);
const worktrees = join(folder, "worktrees");

const tests = `
- { name: says hello, tool: greet, input: { name: "" }, expect: { output_equals: Hello } }
- { name: adds, tool: add, input: { a: 2, b: 3 }, expect: { output_equals: "5" } }
- { name: saves, tool: save_note, input: { name: n, text: abc }, expect: { output_equals: saved } }
`;

/** What each fix does to the plugin, oldest first. */
const history: { title: string; edits: Record<string, unknown>[] }[] = [
  { title: "tell of the plugin", edits: [{ path: "README.md", content: "# Faults\n" }] },
  {
    title: "forget a bracket",
    edits: [{ path: "server.mjs", find: "const say = (", replace: "const say = ((" }],
  },
  {
    title: "find the bracket",
    edits: [{ path: "server.mjs", find: "const say = ((", replace: "const say = (" }],
  },
  { title: "greet warmly", edits: [{ path: "server.mjs", find: '"Hello")', replace: '"Hello!")' }] },
  { title: "tell more", edits: [{ path: "README.md", content: "# Faults\n\nPlanted.\n" }] },
];

const git = (path: string, ...args: string[]): string =>
  execFileSync("git", ["-C", path, ...args], { encoding: "utf8" });

const server = async (t: Test) => (await succeed(t, "pth_get_plugin_status")).data["connections"];

t.test("the fix that broke a test is found at real commits; the session stays as it is", slow, async (t) => {
  const path = await copyFaults("js", folder);
  await mkdir(join(path, ".pth/tests"), { recursive: true });
  await writeFile(join(path, ".pth/tests/tests.yaml"), tests);
  await writeFile(join(path, ".gitignore"), "dist\n");
  await makeRepository(path);
  const { data } = await succeed(t, "pth_start_session", { pluginPath: path });
  const { session: { source: { worktree } } } = data as { session: { source: { worktree: string } } };
  const ask = (brokeTest: string) => call("pth_get_fix_history", { brokeTest });

  t.match((await ask("says hello")).text, "[NO_SUCH_TEST]");
  await succeed(t, "pth_provision_environment", { runtime: "sandbox" });
  await succeed(t, "pth_load_plugin", {
    build: "node --check server.mjs && mkdir -p dist && cp -r server.mjs lib dist/",
    command: ["node", "dist/server.mjs"],
  });
  t.match((await ask("says hello")).text, "[NOT_NOW]", "no fix, nothing to search");
  t.match((await succeed(t, "pth_run_test_suite")).data, { summary: { passed: 2, failed: 1 } });
  const commits: string[] = [];
  for (const { title, edits } of history) {
    const { data } = await succeed(t, "pth_apply_fix", { tests: ["adds"], title, edits });
    commits.push((data as { fix: { commit: string } }).fix.commit);
  }
  await succeed(t, "pth_reload_plugin");
  t.match((await succeed(t, "pth_run_test_suite")).data, { summary: { passed: 1, failed: 2 } });

  await writeFile(join(worktree, "scribbled.txt"), "not committed");
  const state = () => git(worktree, "status", "--porcelain", "--branch") + git(path, "for-each-ref");
  const before = { state: state(), server: await server(t) };
  const heard: string[] = [];
  const found = await call("pth_get_fix_history", { brokeTest: "says hello" }, {
    onprogress: ({ message }) => void heard.push(message ?? ""),
  });
  t.notOk(found.isError, found.text);
  const { culprits, tried } = found.data as unknown as Bisection;
  t.match(culprits, [{ commit: commits[3], title: "greet warmly", files: ["server.mjs"] }], found.text);
  t.equal(culprits.length, 1);
  t.ok(tried.length <= 6, `${tried.length} tries`);
  t.match(tried.map(({ title }) => title).slice(0, 2), ["tell more", "before the first fix"]);
  const broken = tried.find(({ title }) => title === "forget a bracket");
  t.match(broken?.says, /could not run: Cannot build plugin/);
  t.notOk(broken && "passed" in broken, "what does not build is neither good nor bad");
  t.match(found.text, /^says hello fails since this commit:\n.*greet warmly/);
  t.match(found.text, `pth_revert_fix({ commit: "${commits[3]!.slice(0, 10)}", reload: true })`);
  t.ok(heard.some((message) => /^bisect: trying [0-9a-f]{10} \w/.test(message)), heard.join("\n"));

  t.match(
    (await succeed(t, "pth_get_fix_history", { brokeTest: "saves" })).text,
    /passes with the newest commit/,
  );
  t.match(
    (await succeed(t, "pth_get_fix_history", { brokeTest: "adds" })).text,
    /failed before the first fix/,
  );
  t.match((await call("pth_get_fix_history", { brokeTest: "adds", test: "adds" })).text, "[INVALID_INPUT]");

  const stop = new AbortController();
  const cut = call("pth_get_fix_history", { brokeTest: "says hello" }, {
    signal: stop.signal,
    onprogress: ({ message }) => void (/^bisect: trying/.test(message ?? "") && stop.abort()),
  });
  await t.rejects(cut, "a search can be cancelled");
  // A cancelled request has no answer to wait for; the copy's branch and lock go after its folder.
  const isGone = async () => (await readdir(worktrees)).length === 1 && state() === before.state;
  await eventually(isGone, 60_000);
  t.equal((await readdir(worktrees)).length, 1, "the copies are gone");
  t.strictSame(
    { state: state(), server: await server(t) },
    before,
    "branches, worktree and server are as before",
  );
  await succeed(t, "pth_end_session");
});
