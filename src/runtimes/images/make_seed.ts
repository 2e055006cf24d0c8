/** cloud-init's seed for a machine that is being made: our key for root, and a host key that is known beforehand. */
import { join } from "node:path";
import { mkdir, readTextFile, remove, writeTextFile } from "../../platform/files.ts";
import { type BuildOptions, runOrFail } from "./context.ts";

export interface Seed {
  /** With `user-data` and `meta-data` (NoCloud). */
  folder: string;
  /** File of the private key. */
  key: string;
  /** The machine's public host key, as in `known_hosts`. */
  hostKey: string;
}

/** Makes both pairs of keys; the client's private one stays in `keys`, the machine's is only in the seed. */
export async function makeSeed(keys: string, folder: string, options: BuildOptions): Promise<Seed> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const key = join(keys, "id_ed25519");
  const host = join(folder, "host_key");
  for (const file of [key, host]) {
    await runOrFail(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "pth", "-f", file], options);
  }
  const hostKey = (await readTextFile(`${host}.pub`)).trim();
  const userData = seedOf((await readTextFile(`${key}.pub`)).trim(), {
    private: await readTextFile(host),
    public: hostKey,
  });
  await writeTextFile(join(folder, "user-data"), userData);
  await writeTextFile(join(folder, "meta-data"), "instance-id: pth\nlocal-hostname: pth\n");
  for (const file of [host, `${host}.pub`]) await remove(file);
  return { folder, key, hostKey };
}

/** cloud-init's user data; JSON is YAML. */
export const seedOf = (clientKey: string, host: { private: string; public: string }): string =>
  "#cloud-config\n" + JSON.stringify(
    {
      disable_root: false,
      ssh_pwauth: false,
      users: [{ name: "root", ssh_authorized_keys: [clientKey] }],
      ssh_deletekeys: true,
      ssh_keys: { ed25519_private: host.private, ed25519_public: host.public },
    },
    null,
    2,
  ) + "\n";
