// What others change on the host while a box lives is none of the box's drift. The "host" is changed in a mount namespace alone.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import t from "tap";
import type { DriftReport } from "../../../machines/model/environment.ts";
import { runCommand } from "../../../src/platform/process.ts";

const skip = process.getuid?.() === 0 ? false : "a mount namespace of its own needs root";

/** Programs of this runtime: Deno needs its permissions. */
const program = "Deno" in globalThis ? [process.execPath, "run", "-A"] : [process.execPath];

const script = `
set -e
for folder in etc var/lib/dpkg; do
  [ -d /$folder ] || continue
  mkdir -p "$1/$folder"; cp -a /$folder/. "$1/$folder"; mount --bind "$1/$folder" /$folder
done
shift; exec "$@"
`;

await t.test(
  "a change on the host alone is no drift of a box, one within the box is",
  { skip },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "pth-host-"));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const owner = fileURLToPath(new URL("./drifting_host.ts", import.meta.url));
    const words = ["unshare", "--mount", "sh", "-c", script, "sh", folder, ...program, owner];
    const { code, stdout, stderr } = await runCommand(words, { env: { PTH_HOME: join(folder, "home") } });
    t.equal(code, 0, stderr);
    const { host, both } = JSON.parse(stdout) as { host: DriftReport; both: DriftReport };
    t.same(host.changes, []);
    const told = both.changes.map(({ group, change, name }) => `${group} ${change} ${name}`);
    t.same(told.sort(), [
      "config added /etc/pth-box.conf",
      "config changed /etc/passwd",
      "link changed /etc/localtime",
      "mode changed /etc/pth-host.conf",
      "user added boxuser",
    ]);
  },
);
