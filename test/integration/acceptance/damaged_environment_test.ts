// test: timeout=900
/**
 * Tests that damage their environment (remove /etc/passwd, fill its sized disk, kill what they run in) are named, and followed
 * by a rollback and a green suite; what they left is drift.
 */
import t from "tap";
import { makeRepository } from "../../src/session/helpers.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { type EnvironmentName, readiness } from "../../support/readiness.ts";

t.setTimeout(880_000);
const notReady = await readiness();

const serverFilling = (filled: string) => `
import { createInterface } from "node:readline";
import { execFileSync } from "node:child_process";
const sh = (script) => execFileSync("sh", ["-c", script], { encoding: "utf8" }).trim();
const tools = {
  whoami: () => sh("id -un"),
  remembers: () => sh("echo kept >/root/note && cat /root/note"),
  removes_users: () => sh("rm -f /etc/passwd; echo done"),
  fills_disk: () => sh("head -c 2G /dev/zero >${filled}/full 2>/dev/null; echo done"),
  kills_itself: () => sh("kill -9 $PPID"),
};
const write = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "damages", version: "1" };
    write({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    const list = Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } }));
    write({ id, result: { tools: list } });
  } else if (method === "tools/call") {
    let result;
    try {
      result = { content: [{ type: "text", text: tools[params.name]() }] };
    } catch (error) {
      result = { isError: true, content: [{ type: "text", text: String(error.stderr || error) }] };
    }
    write({ id, result });
  } else if (id !== undefined) write({ id, result: {} });
}
`;

const testsFilling = (filled: string) => `
- name: knows its user
  tool: whoami
  expect: { output_equals: root }
  tags: [sane]
- name: remembers
  tool: remembers
  expect: { output_equals: kept }
  tags: [sane]
- name: leaves no trace of users
  tool: removes_users
  verify: [{ exec: "grep ^root: /etc/passwd" }]
- name: leaves room on the disk
  tool: fills_disk
  verify: [{ exec: "cat /etc/hostname >${filled}/more" }]
- name: survives itself
  tool: kills_itself
`;

/** Where a disk of the environment has a size, and what is filled then. An engine that enforces none has /dev/shm. */
const disks: Record<Exclude<EnvironmentName, "host">, { filled: string; full: RegExp; resources?: object }> =
  {
    sandbox: { filled: "/root", full: /The disk is (9[5-9]|100) % full/, resources: { diskGB: 0.2 } },
    docker: { filled: "/dev/shm", full: /\/dev\/shm is (9[5-9]|100) % full/ },
    systemd: { filled: "/dev/shm", full: /\/dev\/shm is (9[5-9]|100) % full/ },
    vm: { filled: "/dev/shm", full: /\/dev\/shm is (9[5-9]|100) % full/ },
  };

for (const [runtime, { filled, full, resources }] of Object.entries(disks)) {
  const skip = notReady[runtime as EnvironmentName];
  t.test(`${runtime}: damage is named, rolled back, and all is green again`, { skip }, async (t) => {
    const { folder, succeed, call } = await openSessionClient(t);
    const pluginPath = `${folder}/plugin`;
    await makeRepository(pluginPath, {
      "server.mjs": serverFilling(filled),
      "package.json": JSON.stringify({ name: "damages", version: "1.0.0", main: "server.mjs" }),
      ".pth/tests/all.yaml": testsFilling(filled),
    });
    await succeed(t, "pth_start_session", { pluginPath });
    const provisioned = await call("pth_provision_environment", {
      runtime,
      ...(resources ? { resources } : {}),
    });
    if (/\[(RUNTIME_UNAVAILABLE|IMAGE_MISSING)\]/.test(provisioned.text)) {
      t.pass(`${runtime} is not ready here`, { skip: provisioned.text });
      await succeed(t, "pth_end_session");
      return;
    }
    t.notOk(provisioned.isError, provisioned.text);
    await succeed(t, "pth_load_plugin");
    const sane = async () => (await succeed(t, "pth_run_test_suite", { tag: "sane" })).text;
    t.match(await sane(), /2 tests: 2 passed/);
    const { data, text: saved } = await succeed(t, "pth_snapshot_environment", { tag: "sane" });
    t.match(saved, /it contains: disk/);

    await t.test("the failing tests name it, after the environment's own state", async (t) => {
      const { text } = await succeed(t, "pth_run_test_suite", { grep: "leaves|survives" });
      t.match(text, /^3 tests: [^\n]*\nThe environment is degraded, which may be why 3 tests failed: /);
      t.match(text, /\/etc\/passwd is missing/);
      t.match(text, full);
      t.match(text, /✗ leaves-no-trace-of-users[^]*\/etc\/passwd: No such file/);
      t.match(text, /✗ leaves-room-on-the-disk[^]*No space left/);
      t.match(text, /✗ survives-itself \[runtime-exception\]/);
    });

    await t.test("health and diagnoses say so first, and drift shows what is gone", async (t) => {
      const health = await succeed(t, "pth_check_environment_health");
      t.match(health.text, /^Not healthy:\n- \/etc\/passwd is missing/);
      t.match(
        (await succeed(t, "pth_diagnose_failure")).text,
        /^The environment is degraded, which may be the cause: /,
      );
      const drift = await succeed(t, "pth_check_environment_drift");
      t.match(
        drift.text,
        /^Drifted: [^]*Users:\n- removed: root, [^]*- \/etc\/passwd removed\n +@@[^]*-root:x:0/,
      );
    });

    await t.test("a rollback brings back users, disk and server, and a suite is green", async (t) => {
      const { text } = await succeed(t, "pth_rollback_environment", { snapshot: data.snapshot });
      t.match(text, /The plugin was loaded again/);
      t.match(await sane(), /2 tests: 2 passed/);
      t.match((await succeed(t, "pth_check_environment_health")).text, /^Healthy/);
      t.match(
        (await succeed(t, "pth_check_environment_drift")).text,
        /^(No drift|Drifted: 1 change[^]*\/root\/note added)/,
      );
    });

    await t.test("snapshots are listed with age and contents, and can be dropped", async (t) => {
      t.match(
        (await succeed(t, "pth_inspect_environment")).text,
        new RegExp(`Snapshots:\n- ${data.snapshot}: disk( and memory)?, taken [\\d.]+ m?s ago`),
      );
      await succeed(t, "pth_snapshot_environment", { drop: data.snapshot });
      t.notMatch((await succeed(t, "pth_inspect_environment")).text, /Snapshots:/);
      t.match((await call("pth_snapshot_environment", { drop: data.snapshot })).text, /\[NO_SUCH_SNAPSHOT\]/);
    });
    await succeed(t, "pth_end_session");
  });
}
