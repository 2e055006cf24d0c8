import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t, { type Test } from "tap";
import v8 from "../../../../src/testing/coverage/collectors/v8.ts";
import type { PluginPlan } from "../../../../machines/model/plugin.ts";
import { localSite } from "./local_site.ts";

/** As V8 of Node 20 reported it: `add` was called twice with numbers, `idle` never, the module ran once. */
const source = `const double = (n) => n * 2;
export function add(a, b) {
  if (typeof a !== "number") {
    throw new TypeError("no number");
  }
  return [a, b].map((n) => double(n));
}
export function idle() {
  return 1;
}
`;
const range = (from: string, to: string, count: number) => {
  const startOffset = source.indexOf(from);
  return { startOffset, endOffset: source.indexOf(to, startOffset) + to.length, count };
};
const whole = { startOffset: 0, endOffset: source.length, count: 1 };
const plain = (functionName: string, ...ranges: unknown[]) => ({
  functionName,
  ranges,
  isBlockCoverage: true,
});
const add = range("function add", "double(n));\n}", 2);
const thrown = range("{\n    throw", "  }", 0);
const loaded = [
  plain("", whole),
  plain("double", range("(n) =>", "n * 2", 0)),
  plain("add", { ...add, count: 0 }),
  plain("idle", range("function idle", "return 1;\n}", 0)),
];
const called = [
  plain("double", range("(n) =>", "n * 2", 4)),
  plain("add", add, thrown),
  plain("", range("(n) => double", "double(n)", 4)),
];

const plan = (...command: string[]): PluginPlan => ({
  name: "p",
  source: "p",
  folder: "/plugin",
  server: { type: "stdio", command, env: {}, cwd: "/plugin" },
});

async function collectingOf(t: Test, code = source, from = "/somewhere") {
  const site = await localSite(t, from);
  await writeFile(join(site.plugin, "a.mjs"), code);
  const collecting = await v8.start(site, plan("node", "/plugin/a.mjs"));
  const urlOf = (path: string) => pathToFileURL(join(site.plugin, path)).href;
  const answer = (...functions: unknown[]) => ({
    kind: "v8",
    scripts: [{ scriptId: "7", url: urlOf("a.mjs"), functions }],
  });
  return { site, host: site.top, collecting, answer, urlOf };
}

t.test("counts of several stretches add up to lines, functions and branches of the file", async (t) => {
  const { collecting, answer } = await collectingOf(t);
  collecting.take(answer(...loaded), 1, "start");
  collecting.take(answer(...called), 2, "adds");
  collecting.take(answer(...called), 3, "adds again");
  const { files, reach, notes } = await collecting.read(new Map());
  t.strictSame(notes, []);
  t.match(files, [{
    path: "a.mjs",
    lines: { 1: 8, 3: 4, 4: 0, 6: 8, 9: 0 },
    functions: [
      { line: 1, endLine: 1, hits: 8 },
      { name: "add", line: 2, endLine: 7, hits: 4 },
      { line: 6, hits: 8 },
      { name: "idle", line: 8, endLine: 10, hits: 0 },
    ],
    branches: [{ line: 3, hits: [0, 4] }],
  }]);
  t.match(reach.get("adds"), [{ path: "a.mjs", ranges: [[1, 1], [3, 3], [6, 6]] }]);
  t.equal(reach.get("adds")![0]!.functions.length, 3);
  t.notMatch(reach.get("adds")![0]!.functions.join(), /idle/);
  t.strictSame(reach.get("start")![0]!.functions, [], "loading a module enters none of its functions");
  t.notOk(reach.get("start")![0]!.ranges!.some(([from, to]) => from <= 9 && 9 <= to), "nor what is in them");
});

t.test("a file that is no JavaScript is told, and does not keep the others from being measured", async (t) => {
  const { collecting, answer } = await collectingOf(t, "this is no JavaScript");
  collecting.take(answer(...loaded), 1, "start");
  const { files, notes } = await collecting.read(new Map());
  t.strictSame(files, []);
  t.match(notes, [/^a\.mjs was not measured: /]);
});

t.test("lines lead through a source map to the file that the code was made from", async (t) => {
  const { host, collecting, answer } = await collectingOf(
    t,
    "export function add(a) {\n    return a + 1;\n}\n//# sourceMappingURL=data:application/json;base64," +
      btoa(JSON.stringify({
        version: 3,
        sources: ["src/a.ts"],
        names: [],
        // Line 1 to line 3, line 2 to line 4, line 3 to line 5, each at its first column and "add" and "return" at theirs.
        mappings: "AAEA,gBAAgB;IACd,OAAO;AACT",
      })),
  );
  await writeFile(join(host, "plugin/x"), "");
  collecting.take(
    answer(
      plain("", { startOffset: 0, endOffset: 200, count: 1 }),
      plain("add", { startOffset: 7, endOffset: 44, count: 3 }),
    ),
    1,
    "adds",
  );
  const { files } = await collecting.read(new Map());
  t.match(files, [{ path: "src/a.ts", lines: { 4: 3 } }]);
});

t.test("Node and Deno programs are measured, others are not", (t) => {
  for (
    const command of [["node", "a.js"], ["deno", "run", "-A", "main"], ["npx", "x"], ["/usr/bin/node", "x"], [
      "/plugin/bin/run.mjs",
    ], [
      "tsx",
      "a.ts",
    ]]
  ) {
    t.ok(v8.applies(plan(...command)), command.join(" "));
  }
  for (const command of [["python3", "a.py"], ["/plugin/target/debug/server"], ["sh", "run.sh"]]) {
    t.notOk(v8.applies(plan(...command)), command.join(" "));
  }
  t.end();
});

t.test("the options that a server has for Node stay", async (t) => {
  const { site, collecting } = await collectingOf(t);
  t.strictSame(collecting.serverVariables({ NODE_OPTIONS: "--no-warnings" }), {
    NODE_OPTIONS: `--no-warnings --require "${site.folder}/agent.cjs"`,
  });
});

t.test("scripts beside those that ran count, too, though nothing loads them", async (t) => {
  const { host, collecting, urlOf } = await collectingOf(t);
  const module = "export function sum(a) {\n  return a ? a : 0;\n}\n";
  await mkdir(join(host, "plugin/lib/more/node_modules/x"), { recursive: true });
  await mkdir(join(host, "plugin/lib/test"));
  for (
    const path of ["lib/used.js", "lib/rare.js", "lib/more/never.js", "lib/more/node_modules/x/i.js"]
      .concat("lib/test/a.js", "lib/a.test.js", "lib/vite.config.js", "lib/types.d.ts", "build.js")
  ) await writeFile(join(host, "plugin", path), module);
  await writeFile(join(host, "plugin/lib/types.js"), "export {};\n");
  await writeFile(join(host, "plugin/lib/broken.js"), "this is no JavaScript");
  const whole = plain("", { startOffset: 0, endOffset: module.length, count: 1 });
  const scripts = [{ scriptId: "8", url: urlOf("lib/used.js"), functions: [whole] }];
  collecting.take({ kind: "v8", scripts }, 1, "start");
  const { files, notes } = await collecting.read(new Map());
  t.strictSame(files.map(({ path }) => path), ["lib/more/never.js", "lib/rare.js", "lib/used.js"]);
  t.match(files[1], { lines: { 2: 0 }, functions: [{ name: "sum", hits: 0 }], branches: [{ hits: [0, 0] }] });
  t.strictSame(notes, []);
});

t.test("what is no answer of V8 is refused, and files of other places are left out", async (t) => {
  const { collecting, answer, urlOf } = await collectingOf(t);
  const script = (url: unknown, ...functions: unknown[]) => ({
    scripts: [{ scriptId: "1", url, functions }],
  });
  const one = (...ranges: unknown[]) => ({ functionName: "f", isBlockCoverage: true, ranges });
  const range = (startOffset: unknown, endOffset: unknown, count: unknown = 1) => ({
    startOffset,
    endOffset,
    count,
  });
  for (
    const told of [
      {},
      { scripts: {} },
      script(7),
      script("https://example.org/a.js"),
      script("file://elsewhere/a.js"),
      script(urlOf("a.mjs"), { functionName: "f" }),
      script(urlOf("a.mjs"), one()),
      script(urlOf("a.mjs"), one(range(0, "9"))),
      script(urlOf("a.mjs"), one(range(9, 3))),
      script(urlOf("a.mjs"), one(range(0, 9), range(5, 12))),
      script(urlOf("a.mjs"), one(...Array.from({ length: 600 }, (_, at) => range(at, 9999 - at)))),
    ]
  ) {
    t.throws(
      () => collecting.take({ kind: "v8", ...told }, 1, "start"),
      TypeError,
      JSON.stringify(told).slice(0, 90),
    );
  }
  collecting.take({ kind: "v8", ...script("file:///etc/passwd", plain("", whole)) }, 1, "start");
  collecting.take(answer(...loaded), 1, "start");
  const { files, notes } = await collecting.read(new Map());
  t.strictSame(files.map(({ path }) => path), ["a.mjs"]);
  t.strictSame(notes, []);
});

t.test("no link in the plugin's folder, and no source map, leads out of it", async (t) => {
  const { site, host, collecting, urlOf } = await collectingOf(t);
  // Were it read, its lines would be left out of what is measured.
  await writeFile(join(host, "canary.ts"), "/* v8 ignore file */\n");
  await writeFile(join(host, "code.mjs"), "export const secret = 1;\n");
  await symlink(join(host, "code.mjs"), join(site.plugin, "link.mjs"));
  const map = { version: 3, sources: [join(host, "canary.ts"), "b.ts"], names: [], mappings: "AAAA;AAAA" };
  const code = "export const b = 1;\nexport const c = 2;\n";
  await writeFile(join(site.plugin, "b.mjs"), `${code}//# sourceMappingURL=b.mjs.map\n`);
  await writeFile(join(site.plugin, "b.mjs.map"), JSON.stringify(map));
  const scripts = ["link.mjs", "b.mjs"].map((path) => ({
    scriptId: path,
    url: urlOf(path),
    functions: [plain("", { startOffset: 0, endOffset: code.length, count: 1 })],
  }));
  collecting.take({ kind: "v8", scripts }, 1, "start");
  const { files } = await collecting.read(new Map());
  t.strictSame(files.filter(({ path }) => /link|canary|secret/.test(path)), []);
});

t.test("code that names a source map in a text, which is none, is measured as it stands", async (t) => {
  const code = 'export const a = "//# sourceMappingURL=a.map"; export const b = 1;';
  const { collecting, answer } = await collectingOf(t, code);
  collecting.take(answer(plain("", { startOffset: 0, endOffset: code.length, count: 1 })), 1, "start");
  const { files, notes } = await collecting.read(new Map());
  t.strictSame(notes, []);
  t.match(files, [{ path: "a.mjs", lines: { 1: 1 } }]);
});
