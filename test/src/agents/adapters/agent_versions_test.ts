import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { agentProgram, systemName } from "../../../../src/agents/adapters/agent_program.ts";
import {
  agentOfVersion,
  cachedAgents,
  unusedAgents,
} from "../../../../src/agents/adapters/agent_versions.ts";
import { agentNamed } from "../../../../src/agents/adapters/agents.ts";
import {
  chmod,
  listFolder,
  mkdir,
  pathExists,
  readTextIfExists,
  rename,
  writeTextFile,
} from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

/** An npm that has gemini 1.2.3 and 1.2.4, and pi 0.7.3 under its old name; it writes down what it is asked for. */
const npm = `#!/bin/sh
for spec; do :; done
echo "$*" >>"$(dirname "$0")/asked"
case "$spec" in
  @google/gemini-cli@1.2.[34]) program=gemini ;;
  @mariozechner/pi-coding-agent@0.7.3) program=pi ;;
  @qwen-code/qwen-code@5.5.5) echo 'npm error nospc ENOSPC: no space left on device, write' >&2; exit 1 ;;
  @openai/codex@5.5.5) echo 'npm error network' >&2; exit 1 ;;
  *) echo 'npm error code ETARGET' >&2; exit 1 ;;
esac
name=\${spec%@*}
mkdir -p "node_modules/.bin" "node_modules/$name"
echo run >"node_modules/$name/cli.js"
ln -s "../$name/cli.js" "node_modules/.bin/$program"`;

async function openPlace(t: Test) {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "bin"));
  await writeTextFile(join(folder, "bin/npm"), npm);
  await chmod(join(folder, "bin/npm"), 0o755);
  const { PATH, PTH_AGENT_CACHE_MB } = process.env;
  process.env["PATH"] = `${join(folder, "bin")}:${PATH}`;
  t.teardown(() => {
    process.env["PATH"] = PATH;
    if (PTH_AGENT_CACHE_MB === undefined) delete process.env["PTH_AGENT_CACHE_MB"];
    else process.env["PTH_AGENT_CACHE_MB"] = PTH_AGENT_CACHE_MB;
  });
  const root = join(folder, "agents");
  return {
    root,
    ask: (agent: string, version: string) => agentOfVersion(agentNamed(agent), version, { root }),
    asked: async () => (await readTextIfExists(join(folder, "bin/asked")) ?? "").split("\n").filter(Boolean),
  };
}

t.test("a version is installed once, without running its scripts, under whichever name npm has it", async (t) => {
  const { root, ask, asked } = await openPlace(t);
  const program = await ask("gemini", "1.2.3");
  t.match(program, /\/node_modules\/@google\/gemini-cli\/cli\.js$/);
  t.equal(await ask("gemini", "1.2.3"), program);
  t.match(await asked(), [/--ignore-scripts .*@google\/gemini-cli@1\.2\.3$/]);
  t.equal((await asked()).length, 1, "npm was asked once");
  t.match(await ask("pi", "0.7.3"), /@mariozechner/);
  t.match((await cachedAgents(root)).map(({ agent, version }) => [agent, version]), [["gemini", "1.2.3"], [
    "pi",
    "0.7.3",
  ]]);
});

t.test("a version that there is not, or that cannot be fetched, is one error, and nothing is left", async (t) => {
  const { root, ask } = await openPlace(t);
  await t.rejects(ask("gemini", "9.9.9"), {
    code: "INVALID_INPUT",
    message: "Cannot install gemini 9.9.9: npm has no such version",
  });
  await t.rejects(ask("pi", "9.9.9"), { code: "INVALID_INPUT" });
  await t.rejects(ask("gemini", "latest"), { code: "INVALID_INPUT", message: /is no whole version/ });
  await t.rejects(ask("command", "1.2.3"), { code: "INVALID_INPUT", message: /without versions/ });
  await t.rejects(ask("codex", "5.5.5"), { code: "INSTALL_FAILED", context: { output: /network/ } });
  await t.rejects(ask("qwen", "5.5.5"), { code: "DISK_FULL" });
  t.strictSame(await unusedAgents(root), []);
  t.strictSame(await cachedAgents(root), []);
});

t.test("beyond the limit those go that were used longest ago, but none that a living process uses", async (t) => {
  const { root, ask } = await openPlace(t);
  await ask("gemini", "1.2.3");
  const folder = join(root, `gemini@1.2.3-${systemName()}`);
  process.env["PTH_AGENT_CACHE_MB"] = "0";
  await ask("gemini", "1.2.4");
  t.ok(await pathExists(folder), "this process uses it");
  t.strictSame(await unusedAgents(root), []);
  const [own] = await listFolder(join(folder, "uses"));
  await rename(join(folder, "uses", own!.name), join(folder, "uses/1999999999.7"));
  t.strictSame(await unusedAgents(root), [folder]);
  await ask("gemini", "1.2.4");
  t.notOk(await pathExists(folder));
});

t.test("what belongs to a program is its package, the packages around it, or the platform's own program", async (t) => {
  const folder = await temporaryFolder(t);
  const write = async (path: string, text: string) => {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeTextFile(join(folder, path), text);
  };
  const native = { packages: ["big"], native: (system: string) => `big-${system}/big` };
  await write("node_modules/big/package.json", '{ "version": "1.2.3" }');
  await write("node_modules/big/start.js", "");
  const starter = join(folder, "node_modules/big/start.js");
  t.strictSame(await agentProgram(native, starter), { program: starter, root: starter });
  await write(`node_modules/big-${systemName()}/big`, "");
  const own = join(folder, `node_modules/big-${systemName()}/big`);
  t.strictSame(await agentProgram(native, starter), { program: own, root: own, version: "1.2.3" });

  const script = { packages: ["@a/b"] };
  await write("node_modules/@a/b/package.json", '{ "version": "4.5.6", "engines": { "node": ">=22" } }');
  const program = join(folder, "node_modules/@a/b/cli.js");
  const facts = { program, version: "4.5.6", node: ">=22" };
  t.strictSame(await agentProgram(script, program), { ...facts, root: join(folder, "node_modules/@a/b") });
  await write("node_modules/.package-lock.json", "{}");
  t.strictSame(await agentProgram(script, program), { ...facts, root: join(folder, "node_modules") });
  t.strictSame(await agentProgram(script, "/usr/bin/other"), {
    program: "/usr/bin/other",
    root: "/usr/bin/other",
  });
});
