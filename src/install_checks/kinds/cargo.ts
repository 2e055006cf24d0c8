import { posix } from "node:path";
import type { InstallFault } from "../../../machines/model/install_check.ts";
import { PthError } from "../../core/errors.ts";
import { visibleName } from "../../core/text.ts";
import { assetText } from "../../platform/asset_text.ts";
import { tomlTable } from "../../plugin/package_json.ts";
import { failureOutput } from "../failure_output.ts";
import type { PackageTree } from "../inside_tree.ts";
import { defineInstallKind, noPackageParts } from "../install_kind.ts";
import { rustFaults } from "../rust_faults.ts";
import { startOutside } from "../start_outside.ts";

const manifestFile = "Cargo.toml";
const limitMs = 900_000;
/** Words of cargo where its registry cannot be reached. */
const noRegistry =
  /failed to (?:download|get)|no matching package named|Could not resolve host|attempting to make an HTTP request|network failure/;

/** A crate with programs: `cargo package`, and `cargo install` of what was packed. */
export default defineInstallKind({
  name: "cargo",
  summary:
    "`cargo package`, `cargo install` of the unpacked crate into a root of its own, each program started",
  detectedBy: "a Cargo.toml with `[package]` and a program, unless `publish = false`",
  needs: ["cargo"],
  archives: /\.crate$/,
  declaresServers: false,
  async detects(folder) {
    const text = await folder.read(manifestFile) ?? "";
    if (!/^\s*\[package\]/m.test(text) || /^\s*publish\s*=\s*false/m.test(text)) return false;
    return /^\s*\[\[bin\]\]/m.test(text) || await folder.exists("src/main.rs") ||
      await folder.exists("src/bin");
  },
  servers: () => Promise.resolve([{ name: "" }]),
  async pack({ env, folder, source, archive, signal }) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const words = ["sh", "-c", assetText("install/pack_crate.sh"), "sh", source ?? "", folder, archive ?? ""];
    const { code, stdout, stderr } = await env.exec(words, { cwd: "/", signal: limit });
    const unpacked = stdout.trim().split("\n");
    if (code === 0 && unpacked.length > 1) return { path: "", notes: [], fault: severalFolders };
    if (code === 0) return { path: unpacked[0]!, notes: [] };
    return { path: "", notes: [], fault: cargoFault("not-packed", "cargo package", stderr, folder) };
  },
  async install({ env, folder, signal }, { path }) {
    const root = posix.join(folder, "root");
    const project = posix.join(folder, "project");
    await env.exec(["mkdir", "-p", project], { cwd: "/" });
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const words = [
      "cargo",
      "install",
      "--path",
      path,
      "--root",
      root,
      "--target-dir",
      posix.join(folder, "target"),
    ];
    const { code, stderr } = await env.exec([...words, "--debug", "--quiet"], {
      cwd: project,
      signal: limit,
    });
    if (code !== 0) {
      const fault = cargoFault("not-installed", "cargo install", stderr, path);
      return { root: path, servers: [], programs: [], notes: [], fault };
    }
    const { stdout } = await env.exec(["ls", "-1", "--", posix.join(root, "bin")], { cwd: "/", signal });
    const names = stdout.split("\n").filter((name) => name !== "");
    const [only] = names;
    return {
      root: path,
      servers: names.length === 1
        ? [{ name: "", command: startOutside(project, {}, [posix.join(root, "bin", only!)]) }]
        : [],
      programs: names.map((name) => ({
        place: `${manifestFile}: bin ${visibleName(name)}`,
        command: [posix.join(root, "bin", name), "--help"],
        cwd: project,
        code: "not-started",
      })),
      notes: names.length > 1 ? ["No server was started: the crate has several programs"] : [],
    };
  },
  inspect: async (trees) => [
    ...await rustFaults(trees),
    ...await bakedRust(trees.installed, trees.sourceRoot),
  ],
  parts: async (tree) => ({ ...noPackageParts, programs: await programsOf(tree) }),
});

const severalFolders: InstallFault = {
  code: "not-installed",
  place: manifestFile,
  message: "the crate does not hold one folder of its name and version alone",
  next: "Pack it with cargo package",
};

/** Programs by the manifest and by the places that cargo looks at. */
async function programsOf(tree: PackageTree): Promise<string[]> {
  const text = await tree.read(manifestFile) ?? "";
  const declared = [...text.matchAll(/^\s*\[\[bin\]\][^[]*?^\s*name\s*=\s*"([^"]+)"/gms)].map(([, name]) =>
    name!
  );
  const { name } = tomlTable(text, "package");
  const found = [...tree.entries.keys()].flatMap((path) => {
    const own = /^src\/bin\/([\w-]+)(?:\.rs|\/main\.rs)$/.exec(path)?.[1];
    return own !== undefined
      ? [own]
      : path === "src/main.rs" && name !== undefined && declared.length === 0
      ? [name]
      : [];
  });
  return [...new Set([...declared, ...found])].sort();
}

/** Sources that name a file by its place on the author's machine. */
async function bakedRust(installed: PackageTree, sourceRoot: string | undefined): Promise<InstallFault[]> {
  const files = [...installed.entries.keys()].filter((path) => path.endsWith(".rs")).slice(0, 1000);
  const found = await Promise.all(files.map(async (path) => {
    const lines = (await installed.read(path) ?? "").split("\n");
    return lines.flatMap((line, index): InstallFault[] => {
      if (/include(?:_str|_bytes)?!\s*\(/.test(line)) return []; // told already
      const named = sourceRoot !== undefined && line.includes(`"${sourceRoot}/`) ? sourceRoot : undefined;
      return named === undefined ? [] : [{
        code: "absolute-path",
        place: `${path}:${index + 1}`,
        message: `${visibleName(named)} is a path of the author's machine`,
        next: "Name the file by its place in the crate",
      }];
    });
  }));
  return found.flat();
}

/** @throws {PthError} `TOOLCHAIN_MISSING` where the registry of the dependencies cannot be reached */
function cargoFault(
  code: "not-packed" | "not-installed",
  command: string,
  output: string,
  folder: string,
): InstallFault {
  const elsewhere =
    /^error: no matching package named `([^`]+)` found\n(?:.*\n)*?location searched: crates\.io/m
      .exec(output)?.[1];
  if (elsewhere === undefined && noRegistry.test(output) && !/failed to read/.test(output)) {
    throw new PthError(
      "TOOLCHAIN_MISSING",
      `Cannot run ${command}: the registry of its dependencies is not reached`,
      {
        output: failureOutput(output, folder),
        next: ["Check in an environment that reaches the registry, or has its crates"],
      },
    );
  }
  const unlinked = new RegExp(
    "(?:unresolved module or unlinked crate|maybe a missing crate|can't find crate for) `(\\w+)`",
  ).exec(output)?.[1];
  const lost = /couldn't read `?([^`:\n]+?)`?[:\n]|file not found for module `(\w+)`/.exec(output);
  const place = /-->\s+(\S+?:\d+)/.exec(output)?.[1] ?? manifestFile;
  return {
    code: lost !== null
      ? "not-packed"
      : unlinked !== undefined
      ? "undeclared-dependency"
      : elsewhere !== undefined
      ? "outside-package"
      : /requires rustc|rust-version|is older than the `\w+` edition|feature `edition\w+` is required/.test(
          output,
        )
      ? "wrong-engine"
      : /does not specify a version|all dependencies must have a version/.test(output)
      ? "outside-package"
      : code,
    place,
    message: `${command} fails: ${visibleName(firstError(output), 300)}`,
    next: lost !== null
      ? "Have the file packed (include and exclude of Cargo.toml)"
      : unlinked !== undefined
      ? `Add ${unlinked} to [dependencies]; one of [dev-dependencies] is for tests alone`
      : elsewhere !== undefined
      ? `Publish ${visibleName(elsewhere)} first`
      : "Correct what the output names",
    output: failureOutput(output, folder),
  };
}

const firstError = (output: string): string =>
  output.split("\n").find((line) => line.startsWith("error"))?.replace(/^error(?:\[\w+\])?:\s*/, "") ??
    output.trim();
