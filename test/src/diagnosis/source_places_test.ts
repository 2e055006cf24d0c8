import { transform } from "esbuild";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { sourcePlaces, withinPlugin } from "../../../src/diagnosis/source_places.ts";
import { folderSources, textSources } from "../../../src/plugin/plugin_sources.ts";

const original = `interface Named { name: string }

export function greet(who: Named): string {
  if (!who.name) throw new Error("nobody");
  return who.name;
}
`;

async function compiled(inline: boolean) {
  const { code, map } = await transform(original, {
    loader: "ts",
    sourcemap: inline ? "inline" : "external",
    sourcefile: "../src/greet.ts",
    sourcesContent: false,
  });
  const js = inline ? code : `${code}//# sourceMappingURL=greet.js.map\n`;
  return { "dist/greet.js": js, "src/greet.ts": original, ...(inline ? {} : { "dist/greet.js.map": map }) };
}

t.test("paths of the environment and of the host are the plugin's", (t) => {
  const roots = ["/workspace/plugin", "/tmp/worktree/plugin"];
  t.equal(withinPlugin("file:///workspace/plugin/src/a%20b.ts", roots), "src/a b.ts");
  t.equal(withinPlugin("/tmp/worktree/plugin/x.py", roots), "x.py");
  t.equal(withinPlugin("./src/x.ts", roots), "src/x.ts");
  t.equal(withinPlugin("/usr/lib/python3.11/json/decoder.py", roots), undefined);
  t.equal(withinPlugin("../outside.ts", roots), undefined);
  t.end();
});

for (const inline of [true, false]) {
  t.test(`compiled code leads to its source through ${inline ? "an inline map" : "a map beside it"}`, async (t) => {
    const files = await compiled(inline);
    const line = files["dist/greet.js"].split("\n").findIndex((each) => each.includes("nobody")) + 1;
    const column = files["dist/greet.js"].split("\n")[line - 1]!.indexOf("throw") + 1;
    const trace = `Error: nobody\n    at greet (/p/dist/greet.js:${line}:${column})\n`;
    const places = await sourcePlaces(trace, { sources: textSources(files), roots: ["/p"] });
    t.match(places, [{ path: "src/greet.ts", line: 4, name: "greet" }]);
  });
}

t.test("dependencies, files that are not there and lines beyond the end are no places", async (t) => {
  const sources = textSources({ "a.js": "one\n", "node_modules/x/i.js": "one\n" });
  const trace =
    "    at f (/p/node_modules/x/i.js:1:1)\n    at g (/p/b.js:1:1)\n    at h (/p/a.js:99:1)\n    at i (/p/a.js:1:1)\n";
  t.strictSame(await sourcePlaces(trace, { sources, roots: ["/p"] }), [{
    path: "a.js",
    line: 1,
    column: 1,
    name: "i",
  }]);
});

t.test("a link that leads out of the plugin is not read", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "pth-sources-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "plugin"));
  await writeFile(join(folder, "secret.js"), "token");
  await writeFile(join(folder, "plugin", "own.js"), "mine");
  await symlink("../secret.js", join(folder, "plugin", "link.js"));
  const sources = folderSources(join(folder, "plugin"));
  t.strictSame(await sources.list(), ["own.js"]);
  t.equal(await sources.read("own.js"), "mine");
  t.equal(await sources.read("link.js"), undefined);
  t.equal(await sources.read("../secret.js"), undefined);
});

const amounts = `/** Amounts. */
export interface Amount {
  value: number;
}

export function parse(text: string): Amount {
  const [number = "", currency = ""] = text.split(" ");
  const rate: Rate | undefined = rates[currency];
  return { value: Number(number) * rate!.factor };
}
`;
const greet = `export const greet = (name: string): string => {
  const polite: boolean = name.length > 0;
  return polite ? "Hello, " + name : "Hello";
};
`;
const sources = { "src/lib/amounts.ts": amounts, "src/greet.ts": greet };

const placeOf = async (files: Record<string, string>, path: string, line: number) => {
  const trace = `TypeError: x\\n    at parse (/p/${path}:${line}:20)\\n`.replaceAll("\\n", "\n");
  const [place] = await sourcePlaces(trace, {
    sources: textSources({ ...sources, ...files }),
    roots: ["/p"],
  });
  return place && `${place.path}:${place.line}`;
};

const compiledAmounts = `export function parse(text) {
    const [number = "", currency = ""] = text.split(" ");
    const rate = rates[currency];
    return { value: Number(number) * rate.factor };
}
`;

t.test("a compiled line without a source map leads to the line that it was made from", async (t) => {
  const files = { "dist/lib/amounts.js": compiledAmounts };
  t.equal(await placeOf(files, "dist/lib/amounts.js", 4), "src/lib/amounts.ts:9");
  t.equal(await placeOf(files, "dist/lib/amounts.js", 3), "src/lib/amounts.ts:8");
});

t.test("in a bundle the file is found by the bundler's mark, else by the line alone", async (t) => {
  const bundle = (mark: string) => `import x from "y";\n\n${mark}\n${compiledAmounts}`;
  t.equal(
    await placeOf({ "dist/server.js": bundle("// src/lib/amounts.ts") }, "dist/server.js", 7),
    "src/lib/amounts.ts:9",
  );
  t.equal(await placeOf({ "dist/server.js": bundle("") }, "dist/server.js", 7), "src/lib/amounts.ts:9");
});

t.test("minified code, and code that no source is like, stay where they are", async (t) => {
  const minified = `var a=1;${"function b(c){return c.d.e};".repeat(40)}\n`;
  t.equal(await placeOf({ "dist/server.js": minified }, "dist/server.js", 1), "dist/server.js:1");
  t.equal(
    await placeOf({ "dist/server.js": "const wholly = somethingElse(entirely);\n" }, "dist/server.js", 1),
    "dist/server.js:1",
  );
});

t.test("source that is run as it is needs no way back", async (t) => {
  t.equal(await placeOf({}, "src/lib/amounts.ts", 9), "src/lib/amounts.ts:9");
});
