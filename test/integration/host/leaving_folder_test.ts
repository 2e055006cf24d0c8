/** The end of an environment on the host: what holds much is taken out of the way, and removed by a process of its own. */
import { randomUUID } from "node:crypto";
import { access, chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import host from "../../../src/runtimes/host.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const home = await temporaryFolder(t);
process.env.PTH_HOME = home;
const hosts = join(home, "hosts");

async function environmentWith(files: number) {
  const runtime = host.create();
  const id = `leaving-${randomUUID().slice(0, 8)}`;
  const handle = await runtime.provision({
    environmentId: id,
    sessionId: id,
    tier: 1,
    env: {},
    resources: {},
  });
  const folder = join(handle.sourcePath, "node_modules");
  await mkdir(folder);
  for (let file = 0; file < files; file++) await writeFile(join(folder, `${file}.js`), "");
  return { runtime, handle, folder };
}

t.test("an environment that holds little is gone once it is destroyed", async (t) => {
  const { runtime, handle } = await environmentWith(10);
  await runtime.destroy(handle);
  t.same(await readdir(hosts), []);
});

t.test("one that holds much leaves its place at once, and nothing of it stays, folders without rights neither", async (t) => {
  const { runtime, handle, folder } = await environmentWith(400);
  await chmod(folder, 0o555);
  await runtime.destroy(handle);
  await t.rejects(access(handle.sourcePath), { code: "ENOENT" });
  t.ok(await eventually(async () => (await readdir(hosts)).length === 0));
});

t.test("a removal that was killed is a leftover of no session, once its PTH has ended", async (t) => {
  const ended = 2 ** 22 + 1; // above the highest pid
  const folder = join(hosts, `e1.leaving-${ended}`);
  await mkdir(folder, { recursive: true });
  const note = { environmentId: "e1", sessionId: "s1", ownerPid: ended, outside: [] };
  for (const withNote of [true, false]) {
    await mkdir(join(folder, "source"), { recursive: true });
    if (withNote) await writeFile(join(folder, "environment.json"), JSON.stringify(note));
    const [found] = (await host.leftovers()).filter(({ name }) => name === folder);
    t.match(found, { kind: "scratch", disposable: true });
    await found!.remove();
  }
  t.same(await readdir(hosts), []);
});
