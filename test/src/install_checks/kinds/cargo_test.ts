import t from "tap";
import cargo from "../../../../src/install_checks/kinds/cargo.ts";
import { folderOf } from "../../../../src/plugin/readable_folder.ts";
import { faultsOf, treesOf } from "../trees_of.ts";

const manifest = '[package]\nname = "small"\nversion = "1.0.0"\ndescription = "Small."\nlicense = "MIT"\n';
const sound = {
  "Cargo.toml": manifest,
  "src/main.rs": 'const A: &str = include_str!("a.txt");\n',
  "src/a.txt": "",
  "src/bin/more.rs": "",
};

t.test("a crate that is whole has no fault, and its programs are seen", async (t) => {
  const trees = treesOf(sound);
  t.strictSame(await faultsOf(cargo, trees), []);
  t.strictSame((await cargo.parts(trees.installed)).programs, ["more", "small"]);
  const declared = treesOf({
    ...sound,
    "Cargo.toml": `${manifest}[[bin]]\nname = "named"\npath = "src/main.rs"\n`,
  });
  t.strictSame((await cargo.parts(declared.installed)).programs, ["more", "named"]);
});

t.test("files are found where cargo and rustc look for them", async (t) => {
  const trees = treesOf({
    "Cargo.toml":
      `${manifest}readme = "README.md"\nbuild = "build.rs"\n[features]\ndefault = ["a"]\na = ["b"]\nb = []\n` +
      '[[bin]]\nname = "small"\npath = "src/main.rs"\nrequired-features = ["b"]\n[dependencies]\nserde = "1"\n',
    "README.md": "",
    "build.rs": 'fn main() {\n    println!("{}", env!("CARGO_MANIFEST_DIR"));\n}\n',
    "src/main.rs": [
      "mod plain;",
      "pub(crate) mod folder;",
      '#[path = "other/place.rs"]',
      "mod named;",
      "#[cfg(windows)]",
      "mod windows;",
      "#[cfg(test)]",
      "mod tests;",
      "// mod comment;",
      'const A: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/a.txt"));',
      'include!(concat!(env!("OUT_DIR"), "/made.rs"));',
    ].join("\n"),
    "src/plain.rs": "mod deeper;\n",
    "src/plain/deeper.rs": "",
    "src/folder/mod.rs": "mod beside;\n",
    "src/folder/beside.rs": 'const B: &[u8] = include_bytes!("../../data/a.txt");\n',
    "src/other/place.rs": "",
    "data/a.txt": "",
  });
  t.strictSame(await faultsOf(cargo, trees), []);
});

t.test("each planted fault of files is found at its place", async (t) => {
  const planted = treesOf({
    "Cargo.toml": '[package]\nname = "small"\nversion = "1.0.0"\nlicense-file = "COPYING"\nbuild = false\n' +
      '[features]\nfancy = []\n[[bin]]\nname = "small"\npath = "src/main.rs"\n' +
      '[[bin]]\nname = "fancy"\npath = "src/fancy.rs"\nrequired-features = ["fancy"]\n' +
      '[dependencies.any]\nversion = "*"\n',
    "src/main.rs": [
      "mod hidden;",
      "mod Plain;",
      "mod nowhere;",
      'const A: &str = include_str!("/home/me/a.txt");',
      'const B: &str = "/work/source/b";',
      'const C: &str = include_str!("../../c.txt");',
      'const D: &str = include_str!("../data/D.txt");',
      'const E: &str = include_str!("../data/e.txt");',
      'const F: &str = env!("CARGO_MANIFEST_DIR");',
    ].join("\n"),
    "src/plain.rs": "mod lost;\n",
    "src/fancy.rs": "",
    "data/d.txt": "",
  }, { "src/hidden.rs": "", "data/e.txt": "", "build.rs": "", "Cargo.toml": "[package]\n" });
  t.strictSame(await faultsOf(cargo, planted), [
    "absolute-path src/main.rs:4",
    "absolute-path src/main.rs:5",
    "absolute-path src/main.rs:9",
    "case-mismatch src/main.rs:2",
    "case-mismatch src/main.rs:7",
    "not-packed Cargo.toml: package.build",
    "not-packed src/main.rs:1",
    "not-packed src/main.rs:8",
    "not-published Cargo.toml: dependencies.any",
    "not-published Cargo.toml: package.description",
    "outside-package src/main.rs:6",
    "part-lost Cargo.toml: bin fancy",
    "wrong-path Cargo.toml: package.license-file",
    "wrong-path src/main.rs:3",
  ]);
});

t.test("what cargo says is told as the fault that it is", async (t) => {
  const install = async (stderr: string) => {
    const { env } = treesOf({});
    const ended = { code: 101, signal: null, stdout: "", stderr, durationMs: 1, truncated: false };
    const place = {
      env: { ...env, exec: () => Promise.resolve(ended) },
      folder: "/work/check",
      source: "/work/source",
      archive: undefined,
      signal: new AbortController().signal,
      copySource: () => Promise.reject(new Error("not asked for")),
      bringAgent: () => Promise.resolve(undefined),
    };
    const { fault } = await cargo.install(place, { path: "/work/check/crate/small-1.0.0", notes: [] });
    return `${fault?.code} ${fault?.place}`;
  };
  // As cargo 1.95 says it.
  for (
    const [stderr, fault] of [
      [
        "error[E0432]: unresolved import `serde`\n --> src/main.rs:1:5\n  |\n1 | use serde::Serialize;\n" +
        "  |     ^^^^^ use of unresolved module or unlinked crate `serde`\n",
        "undeclared-dependency src/main.rs:1",
      ],
      ["error[E0583]: file not found for module `names`\n --> src/main.rs:2:1\n", "not-packed src/main.rs:2"],
      [
        "error: couldn't read `src/../x.txt`: No such file or directory (os error 2)\n --> src/main.rs:3:49\n",
        "not-packed src/main.rs:3",
      ],
      [
        "error: failed to parse manifest at `/work/Cargo.toml`\n\nCaused by:\n  failed to parse the `edition` key\n\n" +
        "Caused by:\n  this version of Cargo is older than the `2042` edition, and only supports `2015` editions.\n",
        "wrong-engine Cargo.toml",
      ],
      [
        "error: cannot install package `small 1.0.0`, it requires rustc 1.200 or newer, while the currently active " +
        "rustc version is 1.95.0\n",
        "wrong-engine Cargo.toml",
      ],
      [
        "error: no matching package named `near` found\nlocation searched: crates.io index\n" +
        "required by package `small v1.0.0`\n",
        "outside-package Cargo.toml",
      ],
      ["error: linking with `cc` failed: exit status: 1\n", "not-installed Cargo.toml"],
    ] as const
  ) t.equal(await install(stderr), fault);
  await t.rejects(install("error: failed to download from `https://index.example.org/config.json`\n"), {
    code: "TOOLCHAIN_MISSING",
  });
});

t.test("a crate without a program, or that is not published, is no package", async (t) => {
  t.equal(await cargo.detects(folderOf(sound)), true);
  t.equal(await cargo.detects(folderOf({ "Cargo.toml": manifest, "src/lib.rs": "" })), false);
  t.equal(await cargo.detects(folderOf({ ...sound, "Cargo.toml": `${manifest}publish = false\n` })), false);
  t.equal(await cargo.detects(folderOf({ ...sound, "Cargo.toml": "[workspace]\n" })), false);
});
