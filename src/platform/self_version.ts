/** PTH's own version and dependencies, from its package.json. */
import { readTextFile } from "./files.ts";
import { ownFile } from "./own_files.ts";

/** Fields of PTH's own package.json. */
export interface SelfPackage {
  version: string;
  /** All packages that it is built of, with their ranges. */
  dependencies: Record<string, string>;
}

let known: Promise<SelfPackage> | undefined;

/** Reads `package.json`, once in a process's life. In the npm package, bundled packages are development dependencies. */
export const selfPackage = (): Promise<SelfPackage> =>
  known ??= readTextFile(ownFile("package.json")).then((text) => {
    const { version, dependencies, devDependencies } = JSON.parse(text) as SelfPackage & {
      devDependencies?: Record<string, string>;
    };
    return { version, dependencies: { ...devDependencies, ...dependencies } };
  });

export const selfVersion = async (): Promise<string> => (await selfPackage()).version;
