/** Packages of a Cargo project, as Cargo itself describes them. */
import { countFiles } from "./count_files.ts";
import type { TestProject } from "./framework.ts";
import { parseObject } from "./readers/parse_object.ts";

export interface CargoPackages {
  /** Some package has a library whose documentation is tested. */
  hasDocTests: boolean;
  hasLibrary: boolean;
  hasPrograms: boolean;
  /** Names of the targets in `tests/`. */
  testTargets: string[];
}

interface Target {
  kind?: string[];
  name?: string;
  doctest?: boolean;
  test?: boolean;
}

/** Undefined where Cargo cannot read the project; compiling it tells why. */
export async function cargoPackages(project: TestProject): Promise<CargoPackages | undefined> {
  const { code, stdout } = await project.probe([
    "cargo",
    "metadata",
    "--no-deps",
    "--format-version",
    "1",
    "--offline",
  ]);
  if (code !== 0) return undefined;
  const packages = parseObject(stdout)?.packages as
    | { manifest_path?: string; targets?: Target[] }[]
    | undefined;
  if (packages === undefined) return undefined;
  const within = packages.filter(({ manifest_path: path }) => path?.startsWith(`${project.root}/`));
  // Cargo tells real paths: below a folder that is a link, all count, so that no kind of test is left out.
  const here = within.length > 0 ? within : packages;
  const targets = here.flatMap(({ targets = [] }) => targets);
  const isLibrary = ({ kind = [] }: Target) =>
    !kind.some((kind) => /^(?:bin|test|example|bench|custom-build)$/.test(kind));
  return {
    hasDocTests: targets.some((target) => isLibrary(target) && target.doctest === true),
    hasLibrary: targets.some(isLibrary),
    hasPrograms: targets.some(({ kind }) => kind?.includes("bin")),
    testTargets: targets.filter(({ kind }) => kind?.includes("test")).map(({ name = "" }) => name),
  };
}

/** Description of a Cargo project in which no test was found. */
export const rustWithoutTests = async (folder: TestProject["folder"]) => ({
  language: "rust",
  buildSystem: "cargo",
  testFiles: await countFiles(folder, /^(?:.*\/)?tests\/.*\.rs$/),
});
