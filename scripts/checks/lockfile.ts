/** The lock file works with any registry: it names packages and hashes, no hosts. */
import { defineCheck } from "./check.ts";

export default defineCheck({
  name: "the lock file names no registry",
  async run(tree) {
    const hosts = /"resolved": "(https?:\/\/[^/"]+)/g;
    const found = new Set(
      [...(await tree.read("package-lock.json")).matchAll(hosts)].map(([, host]) => host),
    );
    return [...found].map((host) =>
      `package-lock.json: names ${host}; run npm install with --omit-lockfile-registry-resolved`
    );
  },
});
