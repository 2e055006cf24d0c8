// test: timeout=300
/** `pth run --config FILE` with files, scripts and services beside the plugin; and all that can be wrong with them. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { pth, root } from "../../support/pth.ts";

t.setTimeout(250_000);
const folder = await mkdtemp(join(tmpdir(), "pth-fixtures-"));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const plugin = join(folder, "plugin");
await cp(join(root, "test/fixtures/counter_plugin"), plugin, { recursive: true });
await mkdir(join(folder, "given/deep"), { recursive: true });
await writeFile(join(folder, "given/deep/file.txt"), "from the host");
await writeFile(join(folder, "prepare"), "#!/usr/bin/env node\nconsole.log('prepared');\n");
const worktrees = join(folder, "worktrees");
const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: worktrees, PTH_RETRIES: "0" };
const store = `node ${plugin}/store.mjs`;

/** Processes of this test that still run: their command lines name its folder. */
async function running(): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const line = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => ""); // it ended meanwhile
    if (line.includes(`${folder}/plugin/store.mjs`) || line.includes("pth-fixture-sleeper")) found.push(line);
  }
  return found;
}

/** Writes a configuration beside the plugin and runs its tests with it. */
async function run(config: string, more: Record<string, string> = {}, ...options: string[]) {
  await writeFile(join(folder, "env.yaml"), config);
  const result = await pth(["run", plugin, "--config", join(folder, "env.yaml"), ...options], {
    env: { ...env, ...more },
  });
  return { ...result, said: result.stdout + result.stderr };
}

/** Nothing of a failed or finished run stays. */
async function nothingLeft(t: Test) {
  t.strictSame(await running(), []);
  t.strictSame(await readdir(worktrees).catch(() => []), []);
}

t.test("a service starts before the plugin, which finds it by its variables; nothing stays", async (t) => {
  const { code, said } = await run(`runtime: host
fixtures:
  setup_scripts: [{ script: prepare }]
  services:
    - name: store
      command: ${store} {port}
      url: redis://{host}:{port}
      setup: test "$PTH_SERVICE_STORE_PORT" = {port}
target_plugin: { config_values: { REDIS_URL: "\${PTH_SERVICE_STORE_URL}" } }
`);
  t.equal(code, 0, said);
  t.match(said, /setup script prepare.*service store.*✓ counts up/s);
  await nothingLeft(t);
});

t.test("files come with content, from the host, and as folders, also into folders that are not there", async (t) => {
  const { code, said } = await run(
    `runtime: sandbox
fixtures:
  files:
    - { path: /srv/new/secret.txt, content: "key=\${env:COUNTER_KEY}", mode: "0640", owner: "daemon:daemon" }
    - { path: /srv/copy, from: given }
    - { path: /srv/empty, folder: true, mode: "0700" }
  setup_scripts:
    - stat -c '%a %U %G' /srv/new/secret.txt && cat /srv/new/secret.txt && cat /srv/copy/deep/file.txt && stat -c %a /srv/empty; exit 3
`,
    { COUNTER_KEY: "tulip-mania-1637" },
  );
  if (/Cannot create sandbox/.test(said)) return t.pass("no sandbox here", { skip: said });
  t.equal(code, 3, said);
  t.match(said, /640 daemon daemon\s+key=\[REDACTED\]/, "the value of a variable by name is not told");
  t.notMatch(said, /tulip-mania/);
  t.match(said, /from the host\s*700/);
  t.match(said, /setup script "stat .*" exited with 3/);
  await nothingLeft(t);
});

t.test("a service that is not ready in time is told with what it and its check said", async (t) => {
  const { code, said } = await run(`runtime: host
fixtures:
  services: [{ name: slow, command: "echo waiting for nothing; sleep 300 # pth-fixture-sleeper", ready: "echo not yet; false", timeout: 1 }]
`);
  t.equal(code, 3, said);
  t.match(said, /Cannot start service slow: not ready after 1 s/);
  t.match(said, /waiting for nothing\s+not yet/);
  await nothingLeft(t);
});

t.test("one that ends at once is told with how, whether it failed or went into the background", async (t) => {
  const failed = await run(`runtime: host
fixtures: { services: [{ name: db, command: "echo no such data folder >&2; exit 7" }] }
`);
  t.equal(failed.code, 3);
  t.match(failed.said, /Cannot start service db: it exited with 7 before it was ready.*no such data folder/s);
  const daemon = await run(`runtime: host
fixtures: { services: [{ name: db, command: "true", ready: { port: 1 } }] }
`);
  t.match(daemon.said, /exited with 0 before it was ready.*stay in the foreground/s);
  await nothingLeft(t);
});

t.test("a port that is taken is told before the service starts", async (t) => {
  const server = createServer().listen(0);
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const { code, said } = await run(`runtime: host
fixtures: { services: [{ name: db, command: "${store} ${port}", port: ${port} }] }
`);
  t.equal(code, 3, said);
  t.match(said, new RegExp(`something listens on port ${port}.*write \\{port\\}`, "s"));
  await nothingLeft(t);
});

t.test("mistakes are told at their places before anything starts", async (t) => {
  const { code, said } = await run(`runtime: host
fixtures:
  files:
    - { path: relative, content: x }
    - { path: /both, content: x, from: y }
  services:
    - { name: none }
    - { name: two, command: a, unit: b }
    - { name: bad, command: a, ready: { log: "(" } }
    - { name: odd, comand: a }
`);
  t.equal(code, 2, said);
  t.match(said, /env\.yaml:4:15 .*absolute path/);
  t.match(said, /env\.yaml:5:7 \S+ expected one of content, from, folder/);
  t.match(said, /env\.yaml:7:7 \S+ expected one of command, image, unit/);
  t.match(said, /env\.yaml:8:7 \S+ expected one of command, image, unit/);
  t.match(said, /env\.yaml:9:\d+ /);
  t.match(said, /env\.yaml:10:\d+ "comand" is not known here/);
  const missing = await run("runtime: host\nfixtures: { files: [{ path: /x, from: nowhere }] }\n");
  t.equal(missing.code, 2, missing.said);
  t.match(missing.said, new RegExp(`there is no ${join(folder, "nowhere")}`));
  const unset = await run('runtime: host\nfixtures: { setup_scripts: ["echo ${env:PTH_UNSET_NAME}"] }\n');
  t.equal(unset.code, 2, unset.said);
  t.match(unset.said, /no variable or secret is named PTH_UNSET_NAME/);
  await nothingLeft(t);
});

t.test("a setup script that takes too long is ended, with what it said", async (t) => {
  await writeFile(join(folder, "long.sh"), "echo still there; sleep 300 # pth-fixture-sleeper\n");
  const { code, said } = await run(
    "runtime: host\nfixtures: { setup_scripts: [{ script: long.sh, timeout: 1 }] }\n",
  );
  t.equal(code, 3, said);
  t.match(said, /setup script long\.sh took longer than 1 s.*still there/s);
  await nothingLeft(t);
});
