import t from "tap";
import { sourcePlaces } from "../../../src/diagnosis/source_places.ts";
import { textSources } from "../../../src/plugin/plugin_sources.ts";

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

const compiled = `export function parse(text) {
    const [number = "", currency = ""] = text.split(" ");
    const rate = rates[currency];
    return { value: Number(number) * rate.factor };
}
`;

t.test("a compiled line without a source map leads to the line that it was made from", async (t) => {
  const files = { "dist/lib/amounts.js": compiled };
  t.equal(await placeOf(files, "dist/lib/amounts.js", 4), "src/lib/amounts.ts:9");
  t.equal(await placeOf(files, "dist/lib/amounts.js", 3), "src/lib/amounts.ts:8");
});

t.test("in a bundle the file is found by the bundler's mark, else by the line alone", async (t) => {
  const bundle = (mark: string) => `import x from "y";\n\n${mark}\n${compiled}`;
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
