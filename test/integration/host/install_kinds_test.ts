// test: timeout=240
/** Wheels, crates and pi packages with planted faults, packed and installed by the real pip, cargo and pi. */
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import type { ComparedPackage, ServerStart } from "../../../machines/model/install_check.ts";
import { comparePackage } from "../../../src/install_checks/compare_package.ts";
import cargo from "../../../src/install_checks/kinds/cargo.ts";
import pi from "../../../src/install_checks/kinds/pi.ts";
import wheel from "../../../src/install_checks/kinds/wheel.ts";
import { insideTree } from "../../../src/install_checks/inside_tree.ts";
import type { InstallKind } from "../../../src/install_checks/install_kind.ts";
import { tryPrograms } from "../../../src/install_checks/try_programs.ts";
import { mkdir, pathExists, realPath, writeTextFile } from "../../../src/platform/files.ts";
import { readEnv } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { hostAccess } from "../../src/plugin/helpers.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const signal = new AbortController().signal;

const env = hostAccess("/");

/** A place whose source has these files; `agent` are the words that start the agent asked for. */
async function placeWith(t: Test, files: Record<string, string>, agent?: string[]) {
  const folder = await realPath(await temporaryFolder(t));
  const source = join(folder, "source");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeTextFile(join(source, path), text);
  }
  return {
    env,
    folder: join(folder, "check"),
    source,
    archive: undefined,
    signal,
    copySource: () => Promise.reject(new Error("not asked for")),
    bringAgent: () => Promise.resolve(agent),
  };
}

/** Codes and places of all faults from packing to comparing. */
async function faultsOf(t: Test, kind: InstallKind, files: Record<string, string>): Promise<string[]> {
  const place = await placeWith(t, files);
  const { source } = place;
  const packed = await kind.pack(place);
  if (packed.fault !== undefined) return [`${packed.fault.code} ${packed.fault.place}`];
  const installed = await kind.install(place, packed);
  const { fault } = installed;
  if (fault === undefined) t.equal(installed.servers.length, 1, "there is a server to start");
  const [before, after] = await Promise.all(
    [source, installed.root].map((path) => insideTree(env.exec, path)),
  );
  const trees = { env, root: installed.root, sourceRoot: source, signal, tools: undefined };
  const faults = [
    ...(fault === undefined ? [] : [fault]),
    ...await tryPrograms(env, installed.programs, signal),
    ...await kind.inspect({ ...trees, source: before, installed: after! }),
  ];
  return [...new Set(faults.map(({ code, place }) => `${code} ${place}`))].sort();
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
    scripts = Path("scripts.txt").read_text()
    files[f"{INFO}/entry_points.txt"] = "[console_scripts]\\n" + scripts
    files[f"{INFO}/RECORD"] = "".join(f"{path},,\\n" for path in [*files, f"{INFO}/RECORD"])
    with zipfile.ZipFile(Path(folder) / name, "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    return name
`;

const script = "small-py = small_py.server:main\n";

const withoutPip = !await has("python3", "-m", "pip", "--version") && "there is no pip";

t.test(
  "ten faults and more of a wheel are found out in one installation",
  { skip: withoutPip },
  async (t) => {
    const faulty = {
      "pyproject.toml":
        '[build-system]\nrequires = []\nbuild-backend = "made"\nbackend-path = ["backend"]\n' +
        '[project]\nname = "small-py"\nversion = "1.0.0"\n[project.scripts]\n' +
        'small-py = "small_py.server:main"\nlost = "small_py.lost:main"\nnone = "small_py.server:none"\n',
      "scripts.txt": `${script}lost = small_py.lost:main\nnone = small_py.server:none\n`,
      "backend/made.py": backend,
      "packed.txt":
        "small_py/__init__.py small_py/server.py small_py/Upper.py small_py/one.so small_py/data.py " +
        "small_py/broken.py tests/__init__.py\n",
      "small_py/__init__.py": '__version__ = "0.9.0"\n',
      "small_py/server.py": "from .names import NAME\n\n\ndef main():\n    print(NAME)\n",
      "small_py/names.py": "NAME = 1\n",
      "small_py/lost.py": "def main():\n    pass\n",
      "small_py/Upper.py": "import nowhere\n",
      "small_py/broken.py": "from . import upper\nfrom .nothing import x\n",
      "small_py/data.py": 'NAMES = "names.json"\n',
      "small_py/names.json": "{}",
      "small_py/one.so": "",
      "tests/__init__.py": "",
    };
    t.strictSame(await faultsOf(t, wheel, faulty), [
      "import-fails pyproject.toml: scripts.lost",
      "import-fails pyproject.toml: scripts.none",
      "import-fails pyproject.toml: scripts.small-py",
      "not-packed pyproject.toml: scripts.lost",
      "not-packed small_py/data.py:1",
      "not-packed small_py/server.py:1",
      "outside-package tests/",
      "undeclared-dependency small_py/Upper.py:1",
      "wrong-engine small_py/one.so",
      "wrong-path small_py/broken.py:2",
      "wrong-version small_py/__init__.py: __version__",
    ]);
  },
);

t.test("ten faults of a crate are found out in one installation, though it does not compile", {
  skip: !await has("cargo", "--version") && "there is no cargo",
}, async (t) => {
  const faulty = {
    "Cargo.toml": '[package]\nname = "small-rs"\nversion = "1.0.0"\nedition = "2021"\nbuild = "build.rs"\n' +
      'exclude = ["src/names.rs", "src/bin/extra.rs", "build.rs", "data"]\n[features]\nfancy = []\n' +
      '[[bin]]\nname = "small-rs"\npath = "src/main.rs"\n[[bin]]\nname = "fancy"\npath = "src/fancy.rs"\n' +
      'required-features = ["fancy"]\n[[bin]]\nname = "extra"\npath = "src/bin/extra.rs"\n',
    "build.rs": "fn main() {}\n",
    "data/names.txt": "one",
    "src/main.rs": [
      "mod names;",
      "mod Plain;",
      'const A: &str = include_str!("../../a.txt");',
      'const B: &str = include_str!("/home/me/b.txt");',
      'const C: &str = include_str!("../data/names.txt");',
      'const D: &str = env!("CARGO_MANIFEST_DIR");',
      "fn main() {}",
    ].join("\n"),
    "src/names.rs": "",
    "src/plain.rs": "",
    "src/fancy.rs": "fn main() {}\n",
    "src/bin/extra.rs": "fn main() {}\n",
  };
  t.strictSame(await faultsOf(t, cargo, faulty), [
    "absolute-path src/main.rs:4",
    "absolute-path src/main.rs:6",
    "case-mismatch src/main.rs:2",
    "not-packed Cargo.toml: package.build",
    "not-packed src/main.rs:1",
    "not-packed src/main.rs:5",
    "not-published Cargo.toml: package.description",
    "not-published Cargo.toml: package.license",
    "outside-package src/main.rs:3",
    "part-lost Cargo.toml: bin fancy",
  ]);
  const near = {
    "Cargo.toml":
      '[package]\nname = "small-rs"\nversion = "1.0.0"\n[dependencies]\nnear = { path = "near" }\n',
    "src/main.rs": "fn main() {}\n",
    "near/Cargo.toml": '[package]\nname = "near"\nversion = "1.0.0"\n',
    "near/src/lib.rs": "",
  };
  t.strictSame(await faultsOf(t, cargo, near), ["outside-package Cargo.toml"]);
});

/** Words that start a pi of this machine which this machine's Node runs. */
async function runningPi(): Promise<string[] | undefined> {
  const candidates = [
    readEnv("PTH_PI_PROJECT") && `${readEnv("PTH_PI_PROJECT")}/node_modules/.bin/pi`,
    readEnv("PTH_PI"),
  ];
  for (const candidate of candidates) {
    if (!candidate || !await pathExists(candidate)) continue;
    const program = await realPath(candidate);
    if (await has("node", program, "--version")) return [program];
  }
  return undefined;
}

/** Compares a package as pi and its files show it; its server is not started. */
async function comparedByPi(t: Test, files: Record<string, string>, agent: string[]) {
  const place = await placeWith(t, files, agent);
  const packed = await pi.pack(place);
  t.equal(packed.fault, undefined, "it is packed");
  const { root, servers, notes, fault, found } = await pi.install(place, packed);
  t.equal(fault, undefined, "it is installed");
  const [source, installed] = await Promise.all(
    [place.source, root].map((path) => insideTree(env.exec, path)),
  );
  const starts: { source: ServerStart[]; installed: ServerStart[] } = { source: [], installed: [] };
  const trees = { env, root, sourceRoot: place.source, signal, source, installed: installed! };
  const compared: ComparedPackage = await comparePackage(pi, trees, starts, found);
  const faults = compared.faults.map(({ code, place }) => `${code} ${place}`).sort();
  return { ...compared, faults, notes: [...notes, ...compared.notes], servers, found };
}

const extension = (name: string, imported = "") =>
  `${imported}export default (pi) => {
  pi.registerTool({
    name: "${name}",
    label: "${name}",
    description: "Works",
    parameters: { type: "object", properties: {} },
    execute: () => Promise.resolve({ content: [], details: {} }),
  });
  pi.registerCommand("${name}-now", { description: "Works now", handler: () => Promise.resolve() });
};
`;

const ofPi = {
  name: "pi-plants",
  version: "1.0.0",
  files: ["src", "skills", "prompts"],
  pi: { extensions: ["./src"], skills: ["./skills"], prompts: ["./prompts"] },
};

const plants = {
  "package.json": JSON.stringify(ofPi),
  "src/grow.ts": 'console.log("an extension that prints");\n' + extension("grow"),
  "skills/plant/SKILL.md": "---\nname: plant\ndescription: Plants.\n---\nPlant.\n",
  "prompts/ask.md": "Ask.\n",
};

const runs = await runningPi();

t.test("what pi finds in the source of a package and not in what was installed is told", {
  skip: runs === undefined && "there is no pi that runs on this Node",
}, async (t) => {
  const faulty = {
    ...plants,
    "package.json": JSON.stringify({ ...ofPi, files: ["src/grow.ts", "src/pad.ts", "skills/plant"] }),
    "src/water.ts": extension("water"),
    "src/pad.ts": extension("pad", 'import "pad-by-chance";\n'),
    "node_modules/pad-by-chance/package.json": '{"name":"pad-by-chance","version":"1.0.0"}',
    "node_modules/pad-by-chance/index.js": "",
    "skills/weed/SKILL.md": "---\nname: weed\ndescription: Weeds.\n---\nWeed.\n",
  };
  const [sound, other] = await Promise.all([plants, faulty].map((files) => comparedByPi(t, files, runs!)));
  t.strictSame(sound!.faults, []);
  t.strictSame(sound!.notes, []);
  const parts = { tools: ["grow"], skills: ["plant"], commands: ["ask", "grow-now"] };
  t.strictSame(sound!.found, { installed: parts, source: parts });
  t.match(sound!.installed, { ...parts, programs: ["src/grow.ts"] });
  t.strictSame(other!.faults, [
    "not-packed package.json: pi.prompts",
    "part-lost commands: ask",
    "part-lost commands: pad-now",
    "part-lost commands: water-now",
    "part-lost programs: src/water.ts",
    "part-lost skills: weed",
    "part-lost tools: pad",
    "part-lost tools: water",
    "undeclared-dependency src/pad.ts:1",
  ]);
  const [server] = other!.servers;
  const { code, stderr } = await env.exec(server!.command, { cwd: "/", stdin: "" });
  t.match({ code, stderr }, { code: 1, stderr: /pad-by-chance/ }, "its server does not start");
});

t.test("a pi that is not there, or does not run, is told as what was not checked", async (t) => {
  const folder = await temporaryFolder(t);
  const program = join(folder, "node_modules/@mariozechner/pi-coding-agent/dist/cli.js");
  await mkdir(dirname(program), { recursive: true });
  await writeTextFile(join(dirname(program), "index.js"), 'throw new Error("needs a newer Node");\n');
  const place = await placeWith(t, plants, [program]);
  const packed = await pi.pack(place);
  const installed = await pi.install(place, packed);
  t.strictSame(installed.servers, []);
  t.match(installed.notes, [/^not checked: the load by pi, which does not run here: .*needs a newer Node/]);
  t.equal(installed.found, undefined);
  const none = await pi.install({ ...place, bringAgent: () => Promise.resolve(undefined) }, packed);
  t.match(none, { servers: [], notes: [/^not checked: the load by pi, which is not on this machine/] });
});
