/** Texts name calls that work as they are written: those in the sources here, those of answers where answers are tested. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { wrongCalls } from "./named_calls.ts";

const top = fileURLToPath(new URL("../../..", import.meta.url));

/** Functions of shells and agents, and an argument that no tool has. */
const otherNames = /: pth_(mark|line|start|end|extra_property): there is no such tool$/;

/** Strings over several lines in one, what is put into a template as a value that fits. */
const plainText = (code: string): string =>
  code.replace(/["'`] \+\s*["'`]/g, "").replace(/\$\{[^{}]*(\{[^{}]*\}[^{}]*)*\}/g, "…").replaceAll(
    '\\"',
    '"',
  );

async function filesBelow(folder: string, name: RegExp): Promise<string[]> {
  const files = await readdir(join(top, folder), { recursive: true });
  return files.filter((file) => name.test(file)).map((file) => join(folder, file));
}

t.test("each call that a text in the sources or the documentation names exists and takes what is given", async (t) => {
  const files = (await Promise.all([filesBelow("src", /\.[jt]s$/), filesBelow("docs", /\.md$/)])).flat();
  const wrong = await Promise.all(files.map(async (file) => {
    const text = plainText(await readFile(join(top, file), "utf8"));
    return wrongCalls(text).map((what) => `${file}: ${what}`);
  }));
  t.ok(files.length > 100);
  t.strictSame(wrong.flat().filter((what) => !otherNames.test(what)), []);
});

t.test("a wrong call is told", (t) => {
  t.strictSame(
    wrongCalls('pth_get_more({ cursor: "more-1" }), pth_end_session({}), pth_start_session({ pluginPath })'),
    [],
  );
  t.strictSame(wrongCalls("pth_begin({})"), ["pth_begin: there is no such tool"]);
  t.strictSame(wrongCalls("pth_get_more({})"), ["pth_get_more({}): cursor is missing"]);
  t.strictSame(wrongCalls("pth_get_more({ cursor: 3 })"), ["pth_get_more({ cursor: 3 }): cursor is not 3"]);
  t.match(wrongCalls("pth_end_session({ all: true })"), [/there is no argument all/]);
  t.end();
});
