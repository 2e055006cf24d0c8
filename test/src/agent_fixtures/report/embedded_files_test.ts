import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { embedTest, gitStateOf } from "../../../../src/agent_fixtures/report/embedded_files.ts";
import { readFixtures } from "../../../../src/agent_fixtures/format/read_fixtures.ts";
import { reproduceCommands } from "../../../../src/agent_fixtures/report/reproduce_commands.ts";
import {
  chmod,
  makeTempDir,
  mkdir,
  readTextFile,
  removeIfExists,
  symlink,
  writeTextFile,
} from "../../../../src/platform/files.ts";
import { runCommand } from "../../../../src/platform/process.ts";
import { agentTest } from "./report_of.ts";

async function folderWith(t: Test, files: Record<string, string>): Promise<string> {
  const folder = await makeTempDir({ prefix: "pth-embed-" });
  t.teardown(() => removeIfExists(folder));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
  return folder;
}

async function sh(script: string, cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(["sh", "-e", "-c", script], { cwd });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

const { playbook: _, ...real } = agentTest;

const commit = "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q -m";

t.test("a plugin's files are those of its repository, without variables and what is ignored", async (t) => {
  const repository = await folderWith(t, {
    "plugin/plugin.json": "{}\n",
    "plugin/new.md": "new\n",
    "plugin/gone.md": "gone\n",
    "plugin/.env": "KEY=secret\n",
    "plugin/node_modules/a.js": "a\n",
    "plugin/made/b.js": "b\n",
    "plugin/.gitignore": "made\n",
    "other.txt": "other\n",
  });
  await sh(
    `git init -q -b main; git add plugin/plugin.json plugin/gone.md; ${commit} a; rm plugin/gone.md`,
    repository,
  );
  const { plugin } = await embedTest(join(repository, "plugin"), {
    start: { ...agentTest.start, files: [] },
  });
  t.same(plugin.files.map(({ path }) => path), [".gitignore", "new.md", "plugin.json"]);
  t.match(await gitStateOf(join(repository, "plugin")), {
    branch: "main",
    commit: /^[0-9a-f]{40}$/,
    modified_files: [
      "plugin/gone.md",
      "other.txt",
      "plugin/.env",
      "plugin/.gitignore",
      "plugin/new.md",
      "plugin/node_modules/a.js",
    ],
  });
  const alone = await folderWith(t, {
    "plugin.json": "{}\n",
    ".env.local": "K=s\n",
    "node_modules/a.js": "a\n",
  });
  const { plugin: bare } = await embedTest(alone, { start: { ...agentTest.start, files: [] } });
  t.same(bare.files.map(({ path }) => path), ["plugin.json"]);
  t.same(await gitStateOf(alone), { branch: "", commit: "", modified_files: [] });
});

t.test("the commands make a branch's files, then the test's, with what a shell could change", async (t) => {
  const root = await folderWith(t, {
    "README.md": "of the branch\n",
    "kept.txt": "kept\n",
    "data/tabs.txt": "a\tb\n",
    "data/sub/crlf.txt": "a\r\nb",
    "data/$(id).txt": "'END'\nEND\n",
    "data/run.sh": "#!/bin/sh\necho run\n",
  });
  await chmod(join(root, "data/run.sh"), 0o755);
  await sh(`git init -q -b main; git checkout -q -b test/a/b; git add README.md kept.txt; ${commit} a`, root);
  await writeTextFile(join(root, "README.md"), "of the test\n");
  const start = {
    ...agentTest.start,
    root,
    branch: "test/a/b",
    files: [{ from: "data", to: "in" }, { from: "README.md", to: "README.md" }],
    git: true,
    commands: ["echo begun > begun.txt"],
  };
  const embedded = await embedTest(await folderWith(t, { "plugin.json": "{}\n" }), { start });
  await removeIfExists(root);
  const empty = await folderWith(t, {});
  const { setup_commands: setup, cleanup_commands: cleanup } = reproduceCommands({
    fixture: "herbarium",
    test: { ...real, start },
    embedded,
  });
  await sh(setup.join("\n"), empty);
  const at = (path: string) => readTextFile(join(empty, "project", path));
  t.equal(await at("README.md"), "of the test\n");
  t.equal(await at("kept.txt"), "kept\n");
  t.equal(await at("in/tabs.txt"), "a\tb\n");
  t.equal(await at("in/sub/crlf.txt"), "a\r\nb");
  t.equal(await at("in/$(id).txt"), "'END'\nEND\n");
  t.equal(await at("begun.txt"), "begun\n");
  t.equal(
    await sh("project/in/run.sh; git -C project log --format=%s; git -C project status --short", empty),
    "run\nStart\n?? begun.txt\n",
  );
  await sh(cleanup.join("\n"), empty);
  t.equal(await sh("ls -A", empty), "");
});

t.test("what is too much, or reached by a link, is copied from where it lies, and named", async (t) => {
  const secret = await folderWith(t, { "passwords.txt": "secret\n" });
  const root = await folderWith(t, { "long.txt": "x".repeat(200_000), "small.txt": "small\n" });
  await symlink(secret, join(root, "out"));
  const files = [{ from: "long.txt", to: "a/long.txt" }, { from: "small.txt", to: "small.txt" }];
  const start = { ...agentTest.start, root, files, git: false, commands: [] };
  const plugin = await folderWith(t, { "plugin.json": "{}\n" });
  await symlink(secret, join(plugin, "link"));
  const embedded = await embedTest(plugin, { start });
  t.notMatch(JSON.stringify(embedded), /secret\\n/);
  const { setup_commands: setup, notes } = reproduceCommands({
    fixture: "herbarium",
    test: { ...real, start },
    embedded,
  });
  t.match(notes, [/costs/, new RegExp(`The plugin takes .*${plugin}`), new RegExp(`${root}/long.txt`)]);
  const empty = await folderWith(t, {});
  await sh(setup.join("\n"), empty);
  t.equal(
    await sh("cat project/small.txt; wc -c < project/a/long.txt; cat plugin/plugin.json", empty),
    "small\n200000\n{}\n",
  );
  await t.rejects(
    embedTest(plugin, { start: { ...start, files: [{ from: "out/passwords.txt", to: "a.txt" }] } }),
    { code: "PATH_REFUSED" },
  );
});

t.test("a test on a playbook is a fixture of its own, which reads as the test was planned", async (t) => {
  const root = await folderWith(t, { "data/a.txt": "a\n" });
  const plugin = await folderWith(t, { ".claude-plugin/plugin.json": '{"name":"herbarium"}\n' });
  const test = {
    ...agentTest,
    id: "report-001[word=a rose,n=1]",
    prompt: "tabs\tand \u202ehidden 'words'\n---\nend: `x`",
    model: "opus",
    asksPermission: true,
    start: { ...agentTest.start, root, files: [{ from: "data", to: "in" }] },
    playbook: {
      name: "p",
      lanes: [
        { name: "main", turns: [{ text: "yes" }] },
        { name: "finder", subagent: "x:*", turns: [{ text: "no" }] },
      ],
    },
    teardown: ["rm -rf in"],
  };
  const embedded = await embedTest(plugin, test);
  const commands = reproduceCommands({ fixture: "herbarium", test, embedded, place: { runtime: "host" } });
  t.equal(commands.test_command, "pth agent test test_reproduced.yaml --env host");
  const empty = await folderWith(t, {});
  await sh(commands.setup_commands.join("\n"), empty);
  const { fixtures } = await readFixtures(join(empty, "test_reproduced.yaml"));
  t.match(fixtures, [{ name: "herbarium", plugin: join(empty, "plugin") }]);
  const { file: _, line: __, start, id, expectations, ...read } = fixtures[0]!.tests[0]!;
  const { file: ___, line: ____, start: planned, id: _____, ...wanted } = test;
  const again = { ...read, expectations: expectations.map(({ line: _at, ...each }) => each) };
  t.same(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(wanted)));
  t.equal(id, "report-001-word-a-rose-n-1");
  t.match(start, { git: true, commands: planned.commands, files: [{ from: "project", to: "." }] });
  await sh(commands.cleanup_commands.join("\n"), empty);
  t.equal(await sh("ls -A", empty), "");
});

t.test("a real model is asked by the agent itself, with its tools, model and permissions", (t) => {
  const embedded = { plugin: { files: [], copies: [] }, project: { files: [], copies: [] } };
  const claude = reproduceCommands({ fixture: "f", test: { ...real, model: "opus" }, embedded });
  t.match(
    claude.test_command,
    /claude -p '\/herbarium:report --short' .*--model opus --tools Bash --dangerously-skip-permissions/,
  );
  const dashed = reproduceCommands({ fixture: "f", test: { ...real, prompt: "-v" }, embedded });
  t.match(dashed, { test_command: /claude -p ' -v' /, notes: [/costs/, /claude/, /A space/] });
  t.same(claude.environment, { ANTHROPIC_API_KEY: "(required)" });
  t.notMatch(
    reproduceCommands({ fixture: "f", test: { ...real, asksPermission: true }, embedded }).test_command,
    /dangerously/,
  );
  const codex = reproduceCommands({
    fixture: "f",
    test: { ...real, agent: "codex", prompt: "-v" },
    embedded,
    place: { runtime: "docker", image: "debian12" },
  });
  t.equal(
    codex.test_command,
    'pth agent test test_reproduced.yaml --env docker --image debian12 --upstream "$UPSTREAM" --upstream-key UPSTREAM_KEY',
  );
  t.match(codex.notes!.join("\n"), /costs/);
  t.end();
});
