// test: timeout=300
/** `pth run --config FILE` with plugins that the one under test depends on, as a user runs it. */
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { pth, root, startPth } from "../../support/pth.ts";

t.setTimeout(200_000);
const folder = await mkdtemp(join(tmpdir(), "pth-deps-"));
t.teardown(() => rm(folder, { recursive: true, force: true }));
await cp(join(root, "test/fixtures/shop"), join(folder, "plugins"), { recursive: true });
const worktrees = join(folder, "worktrees");
const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: worktrees, PTH_RETRIES: "0" };
const shop = join(folder, "plugins/shop");

const left = () => readdir(worktrees).catch(() => []);

/** Writes a configuration beside the plugins and runs the shop's tests with it. */
async function run(dependencies: string, ...options: string[]) {
  const config = join(folder, "plugins", "env.yaml");
  await writeFile(config, `runtime: host\ndependency_plugins:\n${dependencies}\n`);
  return await pth(["run", shop, "--config", config, ...options], { env });
}

const stock = `  - source: stock
    command: [node, server.mjs, "{port}"]
    config_values: { STOCK_TOKEN: parrot-tulip-0815 }`;

t.test("dependencies named in the file start first, and the plugin's tests use them", async (t) => {
  const { code, stdout, stderr } = await run(`${stock}\n  - { source: ledger, command: [node, server.mjs] }`);
  t.equal(code, 0, stdout + stderr);
  const said = stdout + stderr;
  t.ok(said.indexOf("stock: stock 0.1.0 runs") < said.indexOf("ledger: ledger 0.1.0 runs"), said);
  t.ok(said.indexOf("ledger: ledger 0.1.0 runs") < said.indexOf("shop 0.1.0, protocol"), said);
  t.notMatch(said, /parrot-tulip/);
  t.strictSame(await left(), []);
});

t.test("one that fails is told with its output and the ways on; nothing stays", async (t) => {
  const broken =
    "  - { source: ledger, command: [node, server.mjs], build_command: 'echo no such rule >&2; exit 2' }";
  const { code, stdout, stderr } = await run(`${stock}\n${broken}`);
  t.equal(code, 3, stdout);
  t.match(stderr, /Cannot build dependency ledger: exited with 2/);
  t.match(stderr, /no such rule/);
  t.match(stderr, /Fix the dependency in its own folder.*take it out of dependency_plugins/s);
  t.strictSame(await left(), []);
});

t.test("mistakes in the file are told by their place before anything starts", async (t) => {
  const { code, stderr } = await run("  - { sorce: stock }");
  t.equal(code, 2);
  t.match(stderr, /env\.yaml:3:\d+ /);
  const missing = await run("  - { source: no-such-folder }");
  t.equal(missing.code, 2, missing.stderr);
  t.match(missing.stderr, new RegExp(`there is no such folder|${join(folder, "plugins", "no-such-folder")}`));
  t.strictSame(await left(), []);
});

t.test("an interruption while a dependency is built ends it and leaves nothing", async (t) => {
  const config = join(folder, "plugins", "slow.yaml");
  await writeFile(
    config,
    "runtime: host\ndependency_plugins:\n  - { source: ledger, command: [node, server.mjs], build_command: sleep 60 }\n",
  );
  const child = await startPth(["run", shop, "--config", config], env);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said += String(chunk));
  while (!said.includes("ledger: sleep 60")) await new Promise((resolve) => setTimeout(resolve, 50));
  process.kill(child.pid, "SIGINT");
  t.match(await child.exited, { code: 130 }, said);
  t.strictSame(await left(), []);
});

t.test("configuration that is missing is told with the difference and every way to give it", async (t) => {
  const greeter = join(folder, "plugins/greeter");
  const { code, stderr } = await pth(["run", greeter, "--env", "host"], { env });
  t.equal(code, 2);
  t.match(stderr, /it needs GREETING, API_KEY/);
  t.match(stderr, /API_KEY: missing \(secret, package\.json\)/);
  for (const way of ["--var GREETING", "--secret API_KEY", "--secrets-file"]) t.match(stderr, way);
  const given = await pth(["run", greeter, "--env", "host", "--var", "GREETING=hi", "--secret", "API_KEY"], {
    env: { ...env, API_KEY: "tulip-mania-1637" },
  });
  t.equal(given.code, 0, given.stderr);
  t.notMatch(given.stdout + given.stderr, /tulip-mania/);
});
