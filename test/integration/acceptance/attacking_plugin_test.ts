// test: timeout=600
/**
 * A plugin that attacks while PTH works on its source: swapped repositories, folders and files, links, devices, setuid
 * programs. Nothing outside its environment is read, written or run, and no commit holds what it wrote.
 */
import { chmod, chown, lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { listFolder } from "../../../src/platform/files.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { userGit } from "../../src/session/helpers.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { fixture } from "../../support/pth_run.ts";

t.setTimeout(600_000);

const secret = "of the host, and nobody else's";
const fixes = 6;
/** The worktree may be another user's. */
const anyOwner = ["-c", "safe.directory=*"];

const files = async (canary: string): Promise<Record<string, string>> => ({
  "package.json": JSON.stringify({ name: "attacker", version: "1.0.0", type: "module" }),
  ".mcp.json": JSON.stringify({
    mcpServers: { attacker: { command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/server.mjs", canary] } },
  }),
  ".claude-plugin/plugin.json": JSON.stringify({ name: "attacker", version: "1.0.0" }),
  "server.mjs": await readFile(fixture("attacking_plugin/server.mjs"), "utf8"),
  "settings.json": '{ "level": 0 }\n',
  "README.md": "written by the author\n",
  "src/a.js": "export const number = 0;\n",
  ".pth/tests/rounds.yaml": [
    "name: rounds are zero",
    "tier: 1",
    "tool: rounds",
    "input: {}",
    "expect: { output_equals: attacked 0 times }",
    "",
  ].join("\n"),
});

/** Kind, mode, owner, time of change and content of all that lies in a folder. */
async function photograph(folder: string): Promise<string[]> {
  const lines: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    const { mode, uid, mtimeMs, size } = await lstat(path);
    lines.push([name, mode.toString(8), uid, mtimeMs, size].join(" "));
  }
  return lines;
}

/** The user called nobody. */
const unprivileged = 65534;
const cases: { runtime: string; uid?: number; skip?: string }[] = [
  { runtime: "sandbox" },
  {
    runtime: "sandbox",
    uid: unprivileged,
    ...(process.getuid?.() === 0 ? {} : { skip: "the test runs as another user than root already" }),
  },
  { runtime: "docker" },
  { runtime: "systemd" },
];

for (const { runtime, uid, skip } of cases) {
  const who = uid === undefined ? runtime : `${runtime} of an unprivileged user`;
  await t.test(
    `a plugin that attacks from ${who} reaches nothing of the host`,
    { skip: skip ?? false },
    async (t) => {
      const canary = await temporaryFolder(t);
      await writeFile(join(canary, "secret"), secret);
      await chmod(join(canary, "secret"), 0o600);
      await writeFile(join(canary, "a.js"), "not the plugin's\n");
      await mkdir(join(canary, "deep"));

      if (uid !== undefined) await chown(join(canary, "a.js"), uid, uid);
      const before = await photograph(canary);
      const client = await openSessionClient(t, {}, uid);
      if (!await client.begin(t, await files(canary), runtime)) return;
      const { worktree, branch, base } = await sourceOf(client.folder);
      const { text } = await client.succeed(t, "pth_call_plugin_tool", { tool: "rounds", input: {} });
      t.match(text, /attacked \d/, "it is there");

      for (let number = 1; number <= fixes; number++) {
        await client.succeed(t, "pth_apply_fix", {
          tests: ["rounds are zero"],
          category: "wrong-output",
          title: `Raise the number to ${number}`,
          edits: [
            { path: "src/a.js", content: `export const number = ${number};\n` },
            { path: "settings.json", find: `"level": ${number - 1}`, replace: `"level": ${number}` },
          ],
        });
        // One that finds its files gone fails by the plugin's own fault: what counts is that it is answered.
        if (number % 3 === 0) await client.call("pth_reload_plugin");
      }
      const fixer = "printf 'fixed\\n' >>src/a.js; git status --short >/dev/null; cat >/dev/null";
      await client.call("pth_run_iteration_loop", { fixer, maxIterations: 2, patience: 1 });
      for (const path of ["settings.json", "src", "package.json", "pipe", "disk"]) {
        await client.call("pth_copy_from_environment", {
          envPath: path,
          hostPath: join(client.folder, "out", path),
        });
      }

      const log = userGit(worktree, ...anyOwner, "log", "--patch", "--format=%B", `${base}..${branch}`);
      t.notMatch(log, secret, "no commit holds a file of the host");
      t.notMatch(log, "written by the plugin", "no commit holds what the plugin wrote");
      t.notMatch(log, "fsmonitor = ", "nor its repository");
      t.equal(await readFile(join(worktree, "README.md"), "utf8"), "written by the author\n");
      const names = (await listFolder(worktree)).map(({ name }) => name);
      t.notOk(
        ["shell", "pipe", "disk", "src.away"].some((name) => names.includes(name)),
        "the worktree is the host's",
      );
      const mode = (await lstat(worktree)).mode & 0o777;
      await client.succeed(t, "pth_end_session");

      t.same(await photograph(canary), before, "nothing of the host was written, removed or run");
      t.equal(await readFile(join(canary, "secret"), "utf8"), secret);
      t.equal(mode & 0o077, 0, "nobody else reaches the worktree");
      const copied = join(client.folder, "out", "settings.json");
      const out = await readFile(copied, "utf8").catch(() => ""); // a copy may be refused
      t.notMatch(out, secret, "a link that the plugin made was not followed on the host");
    },
  );
}

/** The session's worktree and branch, as its folder for worktrees holds them. */
async function sourceOf(folder: string): Promise<{ worktree: string; branch: string; base: string }> {
  const parent = join(folder, "worktrees");
  const [name] = (await readdir(parent)).filter((entry) => entry.startsWith("pth"));
  const worktree = join(parent, name!);
  const [branch, base] = [["--abbrev-ref", "HEAD"], ["HEAD"]].map((words) =>
    userGit(worktree, ...anyOwner, "rev-parse", ...words).trim()
  );
  return { worktree, branch: branch!, base: base! };
}
