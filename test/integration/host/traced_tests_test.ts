import { join } from "node:path";
import t from "tap";
import { makeTempDir, mkdir, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { pth } from "../../support/pth.ts";

const isThere = async (program: string) =>
  (await runCommand(["sh", "-c", 'command -v "$1"', "sh", program])).code === 0;

async function project(files: Record<string, string>): Promise<string> {
  const root = await makeTempDir();
  t.teardown(() => removeIfExists(root));
  await mkdir(join(root, "src"));
  for (const [name, text] of Object.entries(files)) await writeTextFile(join(root, name), text);
  return root;
}

t.test("a failed test of Node is run again with its calls, and patterns that fit nothing say what is like them", async (t) => {
  const root = await project({
    "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test" } }),
    "src/parser.js": "export const parse = (text) => text === '' ? null : { kind: text };\n",
    "src/parser.test.js":
      'import test from "node:test"; import assert from "node:assert"; import { parse } from "./parser.js";\n' +
      'test("empty", () => assert.ok(parse("")));\n',
  });
  const { code, stdout } = await pth(["test", root, "--trace", "parser.parse", "--trace", "prase"]);
  t.equal(code, 1);
  t.match(stdout, /0 passed, 1 failed/);
  t.match(stdout, /1 calls? traced\. prase fits no function/);
  t.match(stdout, /src\.parser\.parse\(text=""\) → null/);
});

t.test("a test of Rust is traced in the program that Cargo starts", {
  skip: await isThere("cargo") && await isThere("gdb") ? false : "there is no cargo or no gdb",
}, async (t) => {
  const root = await project({
    "Cargo.toml": '[package]\nname = "numbers"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": `
pub fn double(number: u32) -> u32 { number * 2 }
#[cfg(test)] mod tests { #[test] fn doubles() { assert_eq!(super::double(21), 43); } }
`,
  });
  const { code, stdout } = await pth(["test", root, "--level", "unit", "--trace", "numbers::double"]);
  t.equal(code, 1);
  t.match(stdout, /0 passed, 1 failed/);
  t.match(stdout, /numbers::double\(number=21\) → 42/);
});

t.test("a language whose calls cannot be traced is one clear error", async (t) => {
  const root = await project({});
  const { code, stderr } = await pth(["test", root, "--command", "true", "--trace", "f"]);
  t.equal(code, 2);
  t.match(stderr, /calls of unknown are not traced/);
});
