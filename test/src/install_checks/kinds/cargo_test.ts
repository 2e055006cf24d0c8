import t from "tap";
import cargo from "../../../../src/install_checks/kinds/cargo.ts";
import { folderOf } from "../../../../src/plugin/readable_folder.ts";
import { faultsOf, treesOf } from "../trees_of.ts";

const manifest = '[package]\nname = "small"\nversion = "1.0.0"\n';
const sound = {
  "Cargo.toml": manifest,
  "src/main.rs": 'const A: &str = include_str!("a.txt");\n',
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

t.test("a file that is named by its place on the author's machine is found", async (t) => {
  const main =
    'fn main() {}\nconst A: &str = include_str!("/home/me/a.txt");\nconst B: &str = "/work/source/b";\n';
  t.strictSame(await faultsOf(cargo, treesOf({ ...sound, "src/main.rs": main })), [
    "absolute-path src/main.rs:2",
    "absolute-path src/main.rs:3",
  ]);
});

t.test("a crate without a program, or that is not published, is no package", async (t) => {
  t.equal(await cargo.detects(folderOf(sound)), true);
  t.equal(await cargo.detects(folderOf({ "Cargo.toml": manifest, "src/lib.rs": "" })), false);
  t.equal(await cargo.detects(folderOf({ ...sound, "Cargo.toml": `${manifest}publish = false\n` })), false);
  t.equal(await cargo.detects(folderOf({ ...sound, "Cargo.toml": "[workspace]\n" })), false);
});
