/** Copies of the fixtures in test/fixtures/faults, the tests that fail on them, and where their faults are planted. */
import { cp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../../src/platform/process.ts";

export type Fixture = "js" | "js_build" | "python" | "python_build" | "ts";

const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));

const folderOf = (fixture: Fixture): string =>
  fileURLToPath(new URL(`../../fixtures/faults/${fixture}`, import.meta.url));

/** A copy that is a repository of its own, since that is what sessions take. */
export async function copyFaults(fixture: Fixture, folder: string): Promise<string> {
  const path = join(folder, `faults ${fixture}`);
  await rm(path, { recursive: true, force: true });
  await cp(folderOf(fixture), path, {
    recursive: true,
    filter: (each) => !/(__pycache__|dist|node_modules|active-session\.lock)$/.test(each),
  });
  // What an install would bring; the plugin is tested without the network.
  if (fixture === "ts") await symlink(modules, join(path, "node_modules"));
  return path;
}

export async function makeRepository(path: string): Promise<void> {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
  for (const args of [["init", "-q"], ["add", "-A"], [...identity, "commit", "-q", "-m", "as it is"]]) {
    const { code, stderr } = await runCommand(["git", "-C", path, ...args]);
    if (code !== 0) throw new Error(stderr);
  }
}

/** Breaks the marked line so that the source does not parse. */
export async function breakSource(path: string, file: string, pattern: RegExp, by: string): Promise<void> {
  const text = await readFile(join(path, file), "utf8");
  await writeFile(join(path, file), text.replace(pattern, by));
}

/** `planted: <what>` at the end of a line, as `file:line`. */
export async function plantedIn(fixture: Fixture): Promise<Map<string, string>> {
  const folder = folderOf(fixture);
  const found = new Map<string, string>();
  for (const file of await readdir(folder, { recursive: true })) {
    if (!/\.(mjs|py|ts)$/.test(file)) continue;
    (await readFile(join(folder, file), "utf8")).split("\n").forEach((line, index) => {
      const what = /planted: ([\w-]+)$/.exec(line)?.[1];
      if (what !== undefined) found.set(what, `${file}:${index + 1}`);
    });
  }
  return found;
}

/** One test for each planted fault, named like its mark; five for the shared helper. */
export const failingTests = `
- { name: runtime-exception, tool: count_words, input: { text: a b }, expect: { output_contains: "2" } }
- { name: schema-violation, tool: measure, input: { text: abc }, expect: { success: true } }
- { name: wrong-output, tool: add, input: { a: 2, b: 3 }, expect: { output_equals: "5" } }
- { name: wrong-words, tool: greet, input: { name: Ada }, expect: { output_equals: "Hello, Ada" } }
- name: missing-side-effect
  tool: save_note
  input: { name: notes/kept, text: abc }
  verify: [{ exec: cat notes/kept.txt, expect_stdout: abc }]
- name: unexpected-side-effect
  tool: read_note
  input: { name: notes/read }
  setup: [{ file: { path: notes/read.txt, content: abc } }, { exec: cp -r notes before }]
  expect: { output_equals: abc }
  verify: [{ exec: diff -r before notes }]
- { name: timeout, tool: look_up, input: { text: abc }, timeout_seconds: 1, expect: { success: true } }
- { name: protocol-error, tool: list_notes, expect: { success: true } }
- { name: crash, tool: reindex, input: { text: abc }, expect: { success: true } }
- { name: garbled, tool: show_progress, input: { text: abc }, timeout_seconds: 1, expect: { success: true } }
- { name: swallowed, tool: tags_of, input: { name: lamp }, expect: { success: true } }
- { name: dependency-error, tool: render, input: { text: abc }, expect: { success: true } }
${
  ["net", "gross", "half", "double", "code"].map((kind) =>
    `- { name: helper ${kind}, tool: price_${kind}, input: { amount: 12 EUR }, expect: { success: true } }`
  ).join("\n")
}
- { name: passes, tool: greet, input: { name: "" }, expect: { output_equals: Hello } }
`;
