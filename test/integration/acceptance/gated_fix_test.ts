// test: timeout=400
/**
 * A snapshot-gated dependency fix that breaks a test is rolled back by one call: a marker in /etc, the package list and the
 * installed modules are as before.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { FixRecord } from "../../../machines/model/fix.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { openSessionClient, type SessionClient } from "../../support/session_client.ts";

const slow = { timeout: 180_000 };
t.setTimeout(380_000);

/** Weeks are understood by the one version of the package, and not by the other. */
const server = `import { createInterface } from "node:readline";
import ms from "ms";
const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "durations", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "parse", description: "Milliseconds", inputSchema: schema }] }),
  "tools/call": (call) => ({ content: [{ type: "text", text: String(ms(call.arguments.text)) }] }),
  ping: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
`;

/** Holds the plugin to a version that is not the newest of its range: only the lockfile can bring it back. */
async function lockfile(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pth lockfile "));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "package.json"), plugin["package.json"].replace("^2.1.0", "2.1.1"));
  const { code, stderr } = await runCommand(["npm", "install", "--package-lock-only", "--no-audit"], {
    cwd: folder,
  });
  if (code !== 0) throw new Error(stderr);
  const text = await readFile(join(folder, "package-lock.json"), "utf8");
  return text.replace('"ms": "2.1.1"', '"ms": "^2.1.0"');
}

const plugin = {
  "package.json": JSON.stringify({
    name: "durations",
    version: "1.0.0",
    type: "module",
    main: "server.mjs",
    dependencies: { ms: "^2.1.0" },
  }),
  ".mcp.json": '{"mcpServers":{"durations":{"command":"node","args":["server.mjs"]}}}\n',
  ".gitignore": "node_modules\n",
  ".pth/tests/weeks.yaml":
    'name: a week has its milliseconds\ntool: parse\ninput: {text: 1w}\nexpect: {output_equals: "604800000"}\n',
  "server.mjs": server,
};

/** What a person who mends a plugin might do to the system; the package is made on the spot. */
const changeSystem = `set -e
echo after > /etc/pth-marker
mkdir -p /tmp/made/DEBIAN
printf 'Package: pth-made\\nVersion: 1\\nArchitecture: all\\nMaintainer: t <t@example.org>\\nDescription: made\\n' \
  > /tmp/made/DEBIAN/control
dpkg-deb --build /tmp/made /tmp/made.deb
dpkg --install /tmp/made.deb`;

/** The three of them, and the lockfile, as one text each. */
const looks = {
  marker: "cat /etc/pth-marker",
  packages: "dpkg-query --show | sort | sha256sum",
  lockfile: "sha256sum package-lock.json",
  modules: "find node_modules -type f ! -name '.*' | sort | xargs sha256sum; cat node_modules/.pth-stamp",
};

async function look(t: Test, { succeed }: SessionClient): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  for (const [what, command] of Object.entries(looks)) {
    const { data } = await succeed(t, "pth_exec_in_environment", { command, cwd: "/work/plugin" });
    t.equal(data["exitCode"], 0, `${what} can be looked at: ${JSON.stringify(data["stderr"])}`);
    seen[what] = data["stdout"];
  }
  return seen;
}

const verdict = async (t: Test, { succeed }: SessionClient) =>
  (await succeed(t, "pth_run_test_suite")).data["summary"];

/** Whether the snapshot is still on this machine, seen from outside of PTH. */
async function isThere(runtime: string, snapshot: string, home: string): Promise<boolean> {
  if (runtime === "docker") return (await runCommand(["docker", "image", "inspect", snapshot])).code === 0;
  const names = await readdir(join(home, "boxes"), { recursive: true });
  return names.some((name) => name.endsWith(`snapshots/${snapshot}`));
}

const olderPackage = {
  title: "use another version of ms",
  edits: [{ path: "package.json", find: '"ms":"^2.1.0"', replace: '"ms":"2.0.0"' }],
  snapshot: true,
  reload: true,
};

for (const runtime of ["sandbox", "docker"]) {
  t.test(
    `one call takes back a gated dependency fix in ${runtime}: code, system, modules`,
    slow,
    async (t) => {
      const client = await openSessionClient(t);
      const { succeed, home } = client;
      const files = { ...plugin, "package-lock.json": await lockfile(t) };
      if (!await client.begin(t, files, runtime)) return;
      const mark = { command: "echo before > /etc/pth-marker" };
      await succeed(t, "pth_exec_in_environment", mark);
      const before = await look(t, client);
      t.match(await verdict(t, client), { passed: 1, failed: 0 });

      const { data } = await succeed(t, "pth_apply_fix", olderPackage);
      const { commit, files: changedFiles } = data["fix"] as FixRecord;
      t.strictSame(changedFiles, ["package-lock.json", "package.json"], "the lockfile comes along");
      const snapshot = String(data["snapshot"]);
      const changed = await succeed(t, "pth_exec_in_environment", { command: changeSystem });
      t.match(changed.data, { exitCode: 0 }, changed.text);
      const between = await look(t, client);
      for (const what of Object.keys(looks)) t.not(between[what], before[what], `${what} changed`);
      t.match(await verdict(t, client), { passed: 0, failed: 1 }, "the fix broke the test");
      t.ok(await isThere(runtime, snapshot, home), "the snapshot waits");

      const reverted = await succeed(t, "pth_revert_fix", { commit });
      t.match(reverted.data, { rolledBack: true, lostSnapshot: false, reload: { tools: { total: 1 } } });
      t.strictSame(await look(t, client), before, "all are as before");
      t.match(await verdict(t, client), { passed: 1, failed: 0 });
      t.notOk(await isThere(runtime, snapshot, home), "and the snapshot is gone");

      const again = await succeed(t, "pth_apply_fix", { ...olderPackage, title: "once more" });
      const left = String(again.data["snapshot"]);
      t.ok(await isThere(runtime, left, home));
      await succeed(t, "pth_end_session");
      t.notOk(await isThere(runtime, left, home), "a snapshot that nobody dropped goes with the session");
    },
  );
}

t.test("once the tests are green nobody goes back: the loop drops the snapshot", slow, async (t) => {
  const client = await openSessionClient(t);
  const wrong = { ...plugin, "package.json": plugin["package.json"].replace("^2.1.0", "2.0.0") };
  if (!await client.begin(t, wrong, "sandbox")) return;
  const { data } = await client.succeed(t, "pth_apply_fix", {
    title: "use a version of ms that knows weeks",
    edits: [{ path: "package.json", find: '"ms":"2.0.0"', replace: '"ms":"2.1.3"' }],
    snapshot: true,
    reload: true,
  });
  const snapshot = String(data["snapshot"]);
  t.ok(await isThere("sandbox", snapshot, client.home));
  const { text } = await client.succeed(t, "pth_run_iteration");
  t.match(text, "All tests pass");
  t.notOk(await isThere("sandbox", snapshot, client.home));
  await client.succeed(t, "pth_end_session");
});
