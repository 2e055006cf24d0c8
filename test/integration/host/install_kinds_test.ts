// test: timeout=240
/** Wheels and crates with planted faults, packed and installed by the real pip and cargo. */
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import cargo from "../../../src/install_checks/kinds/cargo.ts";
import wheel from "../../../src/install_checks/kinds/wheel.ts";
import { insideTree } from "../../../src/install_checks/inside_tree.ts";
import type { InstallKind } from "../../../src/install_checks/install_kind.ts";
import { tryPrograms } from "../../../src/install_checks/try_programs.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { hostAccess } from "../../src/plugin/helpers.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const signal = new AbortController().signal;

const env = hostAccess("/");

/** Codes and places of all faults from packing to comparing. */
async function faultsOf(t: Test, kind: InstallKind, files: Record<string, string>): Promise<string[]> {
  const folder = await temporaryFolder(t);
  const source = join(folder, "source");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeTextFile(join(source, path), text);
  }
  const place = {
    env,
    folder: join(folder, "check"),
    source,
    archive: undefined,
    signal,
    copySource: () => Promise.reject(new Error("not asked for")),
    bringAgent: () => Promise.resolve(undefined),
  };
  const packed = await kind.pack(place);
  if (packed.fault !== undefined) return [`${packed.fault.code} ${packed.fault.place}`];
  const installed = await kind.install(place, packed);
  if (installed.fault !== undefined) return [`${installed.fault.code} ${installed.fault.place}`];
  t.equal(installed.servers.length, 1, "there is a server to start");
  const [before, after] = await Promise.all(
    [source, installed.root].map((path) => insideTree(env.exec, path)),
  );
  const trees = { env, root: installed.root, sourceRoot: source, signal, tools: undefined };
  const faults = [
    ...await tryPrograms(env, installed.programs, signal),
    ...await kind.inspect({ ...trees, source: before, installed: after! }),
  ];
  return faults.map(({ code, place }) => `${code} ${place}`).sort();
}

const has = async (...command: string[]): Promise<boolean> =>
  await runCommand(command).then(({ code }) => code === 0, () => false); // there is no such program

/** A build system that needs no package index: it packs the files that `packed.txt` names. */
const backend = `
import zipfile
from pathlib import Path

INFO = "small_py-1.0.0.dist-info"


def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "small_py-1.0.0-py3-none-any.whl"
    files = {path: Path(path).read_text() for path in Path("packed.txt").read_text().split()}
    files[f"{INFO}/METADATA"] = "Metadata-Version: 2.1\\nName: small-py\\nVersion: 1.0.0\\n"
    files[f"{INFO}/WHEEL"] = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[f"{INFO}/entry_points.txt"] = "[console_scripts]\\nsmall-py = small_py.server:main\\n"
    files[f"{INFO}/RECORD"] = "".join(f"{path},,\\n" for path in [*files, f"{INFO}/RECORD"])
    with zipfile.ZipFile(Path(folder) / name, "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    return name
`;

const python = {
  "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "made"\nbackend-path = ["backend"]\n' +
    '[project]\nname = "small-py"\nversion = "1.0.0"\n[project.scripts]\nsmall-py = "small_py.server:main"\n',
  "backend/made.py": backend,
  "packed.txt": "small_py/__init__.py small_py/server.py small_py/names.py\n",
  "small_py/__init__.py": "",
  "small_py/names.py": "NAME = 1\n",
  "small_py/server.py": "from .names import NAME\n\n\ndef main():\n    print(NAME)\n",
};

const withoutPip = !await has("python3", "-m", "pip", "--version") && "there is no pip";

t.test("a wheel that lacks a module and a dependency is found out", { skip: withoutPip }, async (t) => {
  // Whole but for these two: all else that is told would be a false alarm.
  const faulty = {
    ...python,
    "packed.txt": "small_py/__init__.py small_py/server.py\n",
    "small_py/__init__.py": "import nowhere\n",
  };
  t.strictSame(await faultsOf(t, wheel, faulty), [
    "import-fails module small_py",
    "import-fails pyproject.toml: scripts.small-py",
    "not-packed small_py/server.py:1",
    "undeclared-dependency small_py/__init__.py:1",
  ]);
});

const rust = {
  "Cargo.toml": '[package]\nname = "small-rs"\nversion = "1.0.0"\nedition = "2021"\n' +
    'description = "Small."\nlicense = "MIT"\n',
  "src/main.rs": 'mod names;\nfn main() {\n    println!("{}", names::NAME);\n}\n',
  "src/names.rs": "pub const NAME: i32 = 1;\n",
};

t.test("a crate that lacks a module is found out", {
  skip: !await has("cargo", "--version") && "there is no cargo",
}, async (t) => {
  t.strictSame(await faultsOf(t, cargo, rust), []);
  const faulty = { ...rust, "Cargo.toml": `${rust["Cargo.toml"]}exclude = ["src/names.rs"]\n` };
  t.strictSame(await faultsOf(t, cargo, faulty), ["not-packed src/main.rs:1"]);
  const near = {
    ...rust,
    "Cargo.toml": `${rust["Cargo.toml"]}[dependencies]\nnear = { path = "near" }\n`,
    "near/Cargo.toml": '[package]\nname = "near"\nversion = "1.0.0"\n',
    "near/src/lib.rs": "",
  };
  t.strictSame(await faultsOf(t, cargo, near), ["outside-package Cargo.toml"]);
});
