/** `pth install` in a home of its own, in which all six agents are. */
import { writeFileSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { runCli } from "../../../src/cli/main.ts";
import type { CommandContext } from "../../../src/cli/command.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

/** Configuration as people write it, by path in the home. */
const written: Record<string, string> = {
  ".claude.json":
    '{\n  "numStartups": 3,\n  "mcpServers": {\n    "a": {\n      "command": "b"\n    }\n  }\n}',
  ".claude/settings.json": "{}\n",
  ".config/opencode/opencode.jsonc": '{\n  // mine\n  "theme": "dark", // keep\n}\n',
  ".codex/config.toml": '# mine\nmodel = "m"\n\n[mcp_servers.x]\ncommand = "y" # c\n',
  ".gemini/settings.json":
    '{ "mcpServers": { "a": { "command": "b", "env": { "API_KEY": "sk-12345" } } } }\n',
  ".config/Code/User/settings.json": "{}\n",
};

const skillFolders = [
  ".claude/skills",
  ".config/opencode/skills",
  ".codex/skills",
  ".gemini/skills",
  ".cursor/skills",
  ".copilot/skills",
];

interface Home {
  folder: string;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  /** All files with their texts. */
  all(): Promise<Record<string, string>>;
  pth(...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  run(
    args: string[],
    extras: Partial<Pick<CommandContext, "onKey">>,
  ): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  /** At a terminal where these keys are pressed, one for each question. */
  answering(keys: string, ...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }>;
}

async function openHome(t: Test, files = written): Promise<Home> {
  const folder = await temporaryFolder(t);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await mkdir(join(folder, ".cursor"));
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const run = async (args: string[], extras: Partial<Pick<CommandContext, "onKey">> = {}) => {
    const variables = { HOME: folder, PATH: "/nowhere" };
    const kept = keptContext(scriptedHarness(), { ...extras, variables });
    const exitCode = await runCli(["install", ...args], kept.context);
    return { exitCode, stdout: kept.stdout(), stderr: kept.stderr() };
  };
  return {
    folder,
    read: (path) => readFile(join(folder, path), "utf8"),
    write,
    async all() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const texts = entries.filter((entry) => entry.isFile()).map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(folder.length + 1), await readFile(path, "utf8")] as const;
      });
      return Object.fromEntries(await Promise.all(texts));
    },
    run,
    pth: (...args) => run(args),
    answering(keys, ...args) {
      const left = [...keys];
      return run(args, {
        onKey(listener) {
          listener(left.shift()!);
          return () => {};
        },
      });
    },
  };
}

const serverIn = (text: string) => {
  const { mcpServers, servers } = JSON.parse(text) as Record<string, Record<string, { args: string[] }>>;
  return (mcpServers ?? servers)!["pth"]!;
};

t.test("all agents get the server and the skill, once, and everything is taken out again", async (t) => {
  const home = await openHome(t);
  const before = await home.all();
  const shown = await home.pth("--dry-run");
  t.equal(shown.exitCode, 0, shown.stderr);
  t.match(shown.stdout, /\+ {4}"pth": \{\n {4}\+ {6}"type": "stdio",/);
  t.match(shown.stdout, "Nothing was written: --dry-run");
  t.notMatch(shown.stdout, "sk-12345", "another server's secret is not shown");
  t.strictSame(await home.all(), before);

  const installed = await home.pth("--yes");
  t.equal(installed.exitCode, 0, installed.stderr);
  t.match(
    installed.stdout,
    "Restart Claude Code, OpenCode, Codex, Gemini CLI, Cursor, VS Code where they run",
  );
  for (
    const path of [".claude.json", ".gemini/settings.json", ".cursor/mcp.json", ".config/Code/User/mcp.json"]
  ) {
    t.strictSame(serverIn(await home.read(path)).args.slice(-3), ["mcp", "--tools", "test"], path);
  }
  t.match(await home.read(".codex/config.toml"), /command = "y" # c\n\n\[mcp_servers\.pth\]\ncommand = "\//);
  t.match(await home.read(".config/opencode/opencode.jsonc"), /"theme": "dark", \/\/ keep\n {2}"mcp": \{/);
  t.equal((await stat(join(home.folder, ".cursor/mcp.json"))).mode & 0o777, 0o600);
  for (const folder of skillFolders) {
    t.match(await home.read(`${folder}/pth-tdd/SKILL.md`), /^---\nname: pth-tdd\n/);
  }

  const after = await home.all();
  const again = await home.pth("--yes");
  t.match(again, { exitCode: 0, stdout: /Nothing to change\.\n$/ });
  t.strictSame(await home.all(), after, "twice is once");

  t.match(await home.pth("--undo", "--yes"), { exitCode: 0, stderr: "" });
  t.strictSame(await home.all(), before);
  t.strictSame((await readdir(home.folder)).sort(), [
    ".claude",
    ".claude.json",
    ".codex",
    ".config",
    ".cursor",
    ".gemini",
  ]);
  t.match(await home.pth("--undo", "--yes"), { exitCode: 0, stdout: /Nothing to change\.\n$/ });
});

t.test("undo leaves what was changed since, also where the agent has written its file anew", async (t) => {
  const home = await openHome(t, { ".claude.json": "{}" });
  await mkdir(join(home.folder, ".codex"));
  await home.pth("--yes");
  const config = JSON.parse(await home.read(".claude.json"));
  await home.write(".claude.json", JSON.stringify({ later: [1], ...config }, undefined, 2));
  await home.write(".codex/config.toml", `${await home.read(".codex/config.toml")}\n[later]\na = 1 # c\n`);
  await home.write(".cursor/skills/pth-tdd/SKILL.md", "my own words\n");
  const undone = await home.pth("--undo", "--yes");
  t.equal(undone.exitCode, 0, undone.stderr);
  t.match(undone.stdout, /SKILL\.md was changed by hand, and stays/);
  await rm(join(home.folder, ".pth"), { recursive: true });
  t.strictSame(await home.all(), {
    ".claude.json": '{\n  "later": [\n    1\n  ]\n}',
    ".codex/config.toml": "\n[later]\na = 1 # c\n",
    ".cursor/skills/pth-tdd/SKILL.md": "my own words\n",
  });
});

t.test("an entry of another PTH is replaced, with what was added to it; other servers stay", async (t) => {
  const old = {
    command: "/old/node",
    args: ["/old/cli.js", "mcp", "--tools", "test"],
    env: { A: "1" },
    timeout: 5,
  };
  const other = { command: "/x/node", args: ["/x/cli.js", "mcp", "--tools", "test"] };
  const text = JSON.stringify({ mcpServers: { pth: old, "pth-other": other } }, undefined, 4);
  const home = await openHome(t, { ".cursor/mcp.json": text });
  t.equal((await home.pth("--yes")).exitCode, 0);
  const { mcpServers } = JSON.parse(await home.read(".cursor/mcp.json"));
  t.strictSame(mcpServers["pth-other"], other);
  t.match(mcpServers.pth, { type: "stdio", env: { A: "1" }, timeout: 5 });
  t.not(mcpServers.pth.command, "/old/node");
  await home.pth("--undo", "--yes");
  t.equal(await home.read(".cursor/mcp.json"), text, "the earlier entry is back");
  t.match(
    await home.pth("--undo", "--yes"),
    { exitCode: 0, stdout: /Nothing to change/ },
    "it is another PTH's",
  );
});

t.test("undo after two installs of different PTHs restores the first state", async (t) => {
  const home = await openHome(t);
  const before = await home.all();
  await home.pth("--yes");
  for (const path of [".claude.json", ".codex/config.toml", ".config/opencode/opencode.jsonc"]) {
    await home.write(path, (await home.read(path)).replace(/"--tools",?/, '"--quiet", $&'));
  }
  t.match(await home.pth("--yes"), { exitCode: 0, stdout: /change .*\.claude\.json/ });
  await home.pth("--undo", "--yes");
  t.strictSame(await home.all(), before);
});

t.test("a server of that name that is another one is refused", async (t) => {
  const home = await openHome(t, { ".cursor/mcp.json": '{"mcpServers": {"pth": {"command": "other"}}}' });
  const before = await home.all();
  const refused = await home.pth("--yes");
  t.equal(refused.exitCode, 2);
  t.match(
    refused.stderr,
    /Cannot install in Cursor: .*mcp\.json already names a server "pth" that is another one/,
  );
  t.match(refused.stderr, 'Rename that entry of "mcpServers"');
  t.strictSame(await home.all(), before);
  t.match(await home.pth("--undo", "--yes"), { exitCode: 0, stdout: /Nothing to change/ });
});

t.test("a broken file is named with its place, and nothing is written anywhere", async (t) => {
  const home = await openHome(t, { ...written, ".gemini/settings.json": '{\n  "mcpServers": }\n' });
  const before = await home.all();
  const refused = await home.pth("--yes");
  t.equal(refused.exitCode, 2);
  t.match(refused.stderr, /\.gemini\/settings\.json:2:17 not valid JSON/);
  t.strictSame(await home.all(), before);
  t.equal((await home.pth("--agent", "cursor", "--agent", "codex", "--yes")).exitCode, 0, "others alone");
});

t.test("a linked file is refused, and nothing is written anywhere", async (t) => {
  const home = await openHome(t);
  await cp(join(home.folder, ".codex/config.toml"), join(home.folder, "dotfile"));
  await rm(join(home.folder, ".codex/config.toml"));
  await symlink("../dotfile", join(home.folder, ".codex/config.toml"));
  const before = await home.all();
  const refused = await home.pth("--yes");
  t.match(refused, { exitCode: 2, stderr: /config\.toml: it is a symbolic link/ });
  t.strictSame(await home.all(), before);
});

t.test("a file that changes while one is asked fails the install, and those written are taken back", async (t) => {
  const home = await openHome(t);
  const before = await home.all();
  const refused = await home.run(["--all"], {
    onKey(listener) {
      writeFileSync(join(home.folder, ".cursor/mcp.json"), "{}");
      listener("y");
      return () => {};
    },
  });
  t.match(refused, { exitCode: 2, stderr: /\.cursor\/mcp\.json: another program has changed it meanwhile/ });
  t.strictSame(await home.all(), { ...before, ".cursor/mcp.json": "{}" });
});

t.test("an interruption at the question writes nothing", async (t) => {
  const home = await openHome(t);
  const before = await home.all();
  const kept = keptContext(scriptedHarness(), {
    variables: { HOME: home.folder },
    onKey() {
      kept.interrupt("SIGINT");
      return () => {};
    },
  });
  t.equal(await runCli(["install", "--all"], kept.context), 130);
  t.strictSame(await home.all(), before);
});

t.test("at a terminal each agent is asked for, or all at once", async (t) => {
  const home = await openHome(t, { ".codex/config.toml": "" });
  const chosen = await home.answering("ny");
  t.match(chosen, { exitCode: 0, stderr: "Write these changes? [y/N] \nWrite these changes? [y/N] \n" });
  t.match(chosen.stdout, /Restart Cursor where it runs\.\npth install --undo takes it out again\.\n$/);
  t.equal(await home.read(".codex/config.toml"), "");
  t.match(await home.answering("n", "--all"), { exitCode: 0, stdout: /Nothing was written\.\n$/ });
  t.equal((await home.answering("y", "--all")).exitCode, 0);
  t.match(await home.read(".codex/config.toml"), "[mcp_servers.pth]");
});

t.test("without a terminal there must be --yes", async (t) => {
  const home = await openHome(t);
  const before = await home.all();
  t.match(await home.pth(), { exitCode: 2, stdout: "", stderr: /stdin is no terminal[^]*pth install --yes/ });
  t.strictSame(await home.all(), before);
});

t.test("in a project the files of the project are written, and nothing in the home", async (t) => {
  const home = await openHome(t);
  const before = await home.all();
  const project = join(home.folder, "work");
  await mkdir(project);
  await writeFile(join(project, "opencode.json"), "{}\n");
  t.equal((await home.pth("--project", project, "--yes")).exitCode, 0);
  t.strictSame(
    Object.keys(await home.all()).filter((path) => path.startsWith("work/") && !path.includes("skills"))
      .sort(),
    [
      ".codex/config.toml",
      ".cursor/mcp.json",
      ".gemini/settings.json",
      ".mcp.json",
      ".vscode/mcp.json",
      "opencode.json",
    ]
      .map((path) => `work/${path}`),
  );
  for (const folder of [".claude", ".opencode", ".codex", ".gemini", ".cursor", ".github"]) {
    t.match(await home.read(`work/${folder}/skills/pth-tdd/SKILL.md`), "name: pth-tdd");
  }
  await home.pth("--project", project, "--undo", "--yes");
  t.strictSame(await home.all(), { ...before, "work/opencode.json": "{}\n" });
  t.strictSame(await readdir(project), ["opencode.json"]);
});

t.test("what is asked for must be here", async (t) => {
  const home = await openHome(t, {});
  t.match(await home.pth("--agent", "codex"), { exitCode: 2, stderr: /there is no Codex here/ });
  t.match(await home.pth("--agent", "curser"), { exitCode: 2, stderr: /did you mean "cursor"/ });
  t.match(await home.pth("--agent", "cursor", "--all"), { exitCode: 2, stderr: /exclude each other/ });
  t.match(await home.pth("--project", "/nowhere"), { exitCode: 2, stderr: /is no folder/ });
  await rm(join(home.folder, ".cursor"), { recursive: true });
  t.match(await home.pth("--yes"), { exitCode: 2, stderr: /there is no Claude Code, OpenCode/ });
});
