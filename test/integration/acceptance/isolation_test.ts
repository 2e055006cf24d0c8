// test: timeout=180
/**
 * What a server sees of the host: in docker and sandbox another host name, other processes, other mounts, another home,
 * and none of the host's files; on the host runtime all of it, which shows that the tool reports truly.
 */
import { randomUUID } from "node:crypto";
import { homedir, hostname } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import t from "tap";
import { createHarness } from "../../../src/app/create_harness.ts";
import {
  copyFile,
  mkdir,
  pathExists,
  readTextFile,
  readTextIfExists,
  removeIfExists,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { fixture, makePlace } from "../../support/pth_run.ts";
import { type EnvironmentName, readiness } from "../../support/readiness.ts";

t.setTimeout(180_000);
const place = await makePlace(t);
Object.assign(process.env, place.env);

const plugin = join(place.folder, "reporter");
await mkdir(plugin, { recursive: true });
await copyFile(fixture("faulty_servers/faulty.mjs"), join(plugin, "faulty.mjs"));

const markers = [homedir(), "/tmp", "/srv"].map((folder) => join(folder, `.pth-marker-${randomUUID()}`));
for (const marker of markers) {
  if (!await pathExists(dirname(marker))) throw new Error(`${dirname(marker)} is not there to hold a marker`);
  t.teardown(() => removeIfExists(marker));
  await writeTextFile(marker, "of the host");
}
const mountsOfHost = async () => (await readTextFile("/proc/self/mounts")).trim().split("\n");
const hostMounts = await mountsOfHost();

interface Seen {
  hostname: string;
  pid: number;
  home: string | null;
  mounts: string[];
  readable: boolean | null;
}

/** What the server reports in an environment, and which of the paths it can read. */
async function look(env: EnvironmentName, paths: string[]): Promise<{ seen: Seen; readable: string[] }> {
  const harness = await createHarness();
  try {
    const command = ["node", "faulty.mjs", "--fault", "reports_host"];
    await harness.startSession({ target: plugin, command }, { mode: "run" });
    const session = harness.session();
    await session.environment.provision({ runtime: env });
    await session.plugin.load({});
    const ask = async (path: string) => JSON.parse((await session.plugin.call("act", { path })).text) as Seen;
    const readable: string[] = [];
    for (const path of paths) if ((await ask(path)).readable) readable.push(path);
    return { seen: await ask("/"), readable };
  } finally {
    await harness.close();
  }
}

/** True when the pid, taken as one of the host, is the server. */
const isServerOnHost = async (pid: number): Promise<boolean> =>
  (await readTextIfExists(`/proc/${pid}/cmdline`) ?? "").includes("reports_host");

const skips = await readiness();

t.test("on the host the server sees everything: the reports are true", { skip: skips.host }, async (t) => {
  const { seen, readable } = await look("host", markers);
  t.equal(seen.hostname, hostname());
  // Containers, and other tests' disks, come and go meanwhile.
  const after = await mountsOfHost();
  const lasting = hostMounts.filter((line) => after.includes(line));
  t.same(lasting.filter((line) => !seen.mounts.includes(line)), [], "it sees every mount");
  t.same(readable, markers);
});

for (const env of ["sandbox", "docker"] as const) {
  t.test(`in ${env} the server sees nothing of the host`, { skip: skips[env] }, async (t) => {
    const paths = [...markers, join(plugin, "faulty.mjs"), place.env.PTH_HOME, "/var/run/docker.sock"];
    const { seen, readable } = await look(env, paths);
    t.not(seen.hostname, hostname(), "host name");
    t.notOk(await isServerOnHost(seen.pid), `pid ${seen.pid} is its own, not the host's`);
    t.notSame(seen.mounts, hostMounts, "mounts");
    const shared = seen.mounts.filter((line) => hostMounts.includes(line)).map((line) => line.split(" ")[2]!);
    t.same(
      shared.filter((type) => /^(ext|xfs|btrfs|zfs|nfs)/.test(type)),
      [],
      "no disk of the host as it is",
    );
    t.not(seen.home, homedir(), "home");
    t.same(readable, [], "no file of the host can be read");
  });
}
