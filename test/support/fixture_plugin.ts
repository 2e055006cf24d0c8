/** Copies of the plugins in test/fixtures. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fixture } from "./root.ts";
import { vendorModules, vendorPackages } from "./vendored_packages.ts";

/** Neither what was installed there, nor the lock of a session that tests the original right now. */
const leftOut = /(node_modules|dist|active-session\.lock)$/;

/**
 * Copies a fixture into the folder, under its own name, and answers its path.
 * @param packages where what it depends on comes from: npm's registry, archives in the copy, or its folder `vendor`, where nothing is
 * to be installed
 */
export async function copyFixture(
  name: string,
  folder: string,
  packages: "registry" | "archives" | "vendor" = "registry",
): Promise<string> {
  const plugin = join(folder, name);
  await cp(fixture(name), plugin, { recursive: true, filter: (path) => !leftOut.test(path) });
  if (packages === "archives") await vendorPackages(plugin);
  if (packages === "vendor") await vendorModules(plugin);
  return plugin;
}
