import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { openConfined } from "../../../../src/platform/confined/open_confined.ts";
import { runCommand, spawnProcess } from "../../../../src/platform/process.ts";
import { fittingNode } from "../../../../src/plugin/installed_trees/fitting_node.ts";
import { unpackWith } from "../../../../src/plugin/installed_trees/tree_access.ts";
import { treeKey } from "../../../../src/plugin/installed_trees/tree_key.ts";
import { openTreeStore } from "../../../../src/plugin/installed_trees/tree_store.ts";
import { hostAccess } from "../helpers.ts";

const linux = "Linux x86_64\n";

/** A store that has a Node of a version, which is a script that says so, and an environment without any. */
async function makeRequest(t: Test, version: string, says = `echo v${version}`) {
  const top = await mkdtemp(join(tmpdir(), "pth-fitting-node-"));
  t.teardown(() => rm(top, { recursive: true, force: true }));
  const store = openTreeStore(join(top, "kept"), { maxBytes: 10_000_000, maxAgeMs: 3_600_000 });
  await mkdir(join(top, "node/bin"), { recursive: true });
  await writeFile(join(top, "node/bin/node"), `#!/bin/sh\n${says}\n`);
  await chmod(join(top, "node/bin/node"), 0o755);
  const families = [treeKey("node", "linux-x64", version.split(".")[0]!)];
  await store.keep({ key: treeKey("node", version), name: `node@${version}`, families }, async (path) => {
    await runCommand(["tar", "-C", join(top, "node"), "-cf", path, "."]);
  });
  await mkdir(join(top, "world/source"), { recursive: true });
  const trees = {
    store,
    runtime: "host",
    source: openConfined(top),
    reads: true,
    keeps: true,
    unpack: unpackWith((words) => spawnProcess(words)),
    copyOut: (from: string, to: string) => copyFile(from, to),
  };
  const env = hostAccess(join(top, "world/source"));
  const ask = (range: string, node: string | undefined, text = linux) =>
    fittingNode({ env, trees, facts: { text, node, path: "", hasPackages: false }, name: "p", range });
  return { ask, env };
}

t.test("a Node that fits is brought in from what is kept, and said", async (t) => {
  const { ask } = await makeRequest(t, "22.9.0");
  const found = await ask(">=22.5", "20.1.0");
  t.equal(
    found?.note,
    "p asks for Node >=22.5, and the environment has 20.1.0: Node 22.9.0 was brought in, and runs its install, build and server.",
  );
  const { stdout } = await runCommand([`${found?.bin}/node`]);
  t.equal(stdout, "v22.9.0\n");
  t.same(await ask(">=22.5", "20.1.0"), found, "and a second time");
});

t.test("where the environment's Node fits, or where it has none, nothing is brought in", async (t) => {
  const { ask, env } = await makeRequest(t, "22.9.0");
  t.equal(await ask(">=18", "20.1.0"), undefined);
  t.equal(await ask(">=18", undefined), undefined);
  t.equal(await ask("whatever", "20.1.0"), undefined);
  t.same(env.ran, []);
});

t.test("where no Node can be brought in, the note says why and what to do, and the environment's own stays", async (t) => {
  const { ask } = await makeRequest(t, "22.9.0", "echo 'libatomic.so.1 is missing' >&2; exit 127");
  const failed = await ask(">=22", "20.1.0");
  t.equal(failed?.bin, undefined);
  t.match(
    failed?.note,
    /No other could be brought in \(it does not run there: libatomic\.so\.1 is missing\).*choose an image/,
  );
  const musl = await ask(">=22", "20.1.0", `${linux}/lib/ld-musl-x86_64.so.1\n`);
  t.equal(musl?.bin, undefined);
  t.match(musl?.note, /there is none for musl/);
});
