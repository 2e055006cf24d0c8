import t from "tap";
import type { Check, Tree } from "../../../scripts/checks/check.ts";
import confinedPaths from "../../../scripts/checks/confined_paths.ts";
import describedMachines from "../../../scripts/checks/described_machines.ts";
import finishedCode from "../../../scripts/checks/finished_code.ts";
import roomImports, { disorder } from "../../../scripts/checks/room_imports.ts";
import { findImports } from "../../../scripts/checks/imports.ts";
import namedCalls from "../../../scripts/checks/named_calls.ts";
import platformSeam from "../../../scripts/checks/platform_seam.ts";
import portableText from "../../../scripts/checks/portable_text.ts";
import pureMachines from "../../../scripts/checks/pure_machines.ts";
import smallFiles from "../../../scripts/checks/small_files.ts";
import wholePackages from "../../../scripts/checks/whole_packages.ts";
import wordsOfFaces from "../../../scripts/checks/words_of_faces.ts";
import { fromTexts } from "../../../scripts/checks/tree.ts";

const treeOf = (texts: Record<string, string>): Tree =>
  fromTexts("/checkout/here", Object.keys(texts), (path) => Promise.resolve(texts[path]!));
const problems = (check: Check, texts: Record<string, string>) => check.run(treeOf(texts));

t.test("finds imports over several lines, re-exports, bare and dynamic ones, and none in comments", (t) => {
  const text = `import {
  a,
} from "./a.ts";
export { b } from "../b.ts";
import "./c.ts";
import type { D } from "./d.ts";
const e = await import("node:fs");
// import { no } from "./no.ts";
/* import "./no.ts"; */
`;
  t.same(findImports("src/x/y.ts", text), [
    { specifier: "./a.ts", path: "src/x/a.ts", typeOnly: false },
    { specifier: "../b.ts", path: "src/b.ts", typeOnly: false },
    { specifier: "./c.ts", path: "src/x/c.ts", typeOnly: false },
    { specifier: "./d.ts", path: "src/x/d.ts", typeOnly: true },
    { specifier: "node:fs", typeOnly: false },
  ]);
  t.end();
});

t.test("a machine that reaches for the clock, the host or the source is not pure", async (t) => {
  const found = await problems(pureMachines, {
    "machines/good_machine.ts":
      'import { setup } from "xstate";\nimport type { A } from "./model/a.ts";\n// Date, console.log\n',
    "machines/bad_machine.ts":
      'import { readFile } from "node:fs";\nimport { a } from "../src/a.ts";\n\nconst at = Date.now();\n',
  });
  t.match(found, [/imports "node:fs"/, /imports "..\/src\/a.ts"/, /bad_machine\.ts:4: uses Date/]);
  t.equal(found.length, 3);
});

t.test("a machine without its line or its picture is told, with what to write", async (t) => {
  const machine = 'export const aMachine = setup({}).createMachine({\n  id: "a",\n});\n';
  const page =
    "| [a](#a) |\n\n<!-- generated: machine a -->\n<!-- /generated -->\n\n[a_machine.ts](a_machine.ts)\n";
  t.same(
    await problems(describedMachines, { "machines/a_machine.ts": machine, "machines/README.md": page }),
    [],
  );
  const found = await problems(describedMachines, {
    "machines/a_machine.ts": machine,
    "machines/README.md": "",
  });
  t.match(found, [/says nothing about a_machine\.ts/, /write <!-- generated: machine a -->/]);
});

t.test("a room that imports what its row does not name is told, and what to do", async (t) => {
  const found = await problems(roomImports, {
    "src/runtimes/docker.ts": [
      'import type { E } from "../../machines/model/environment.ts";',
      'import { run } from "../platform/process.ts";',
      'import { m } from "../../machines/pool_machine.ts";',
      'import { a } from "../actors/a.ts";',
    ].join("\n"),
    "src/testing/suite.ts": [
      'import type { H } from "../api/harness.ts";',
      'import { h } from "../api/harness.ts";',
    ].join("\n"),
    "src/nowhere/a.ts": "",
  });
  t.match(found, [
    /src\/nowhere\/a\.ts: is in no room/,
    /machines\/pool_machine\.ts/,
    /src\/actors\/a\.ts/,
    /src\/testing may not import values of src\/api/,
  ]);
  t.equal(found.length, 4);
});

t.test("files that import each other in a circle are told together", async (t) => {
  const found = await problems(roomImports, {
    "src/core/a.ts": 'import type { B } from "./b.ts";',
    "src/core/b.ts": 'import { c } from "./c.ts";',
    "src/core/c.ts": 'import { a } from "./a.ts";',
    "src/core/d.ts": 'import { a } from "./a.ts";',
  });
  t.match(found, [/^src\/core\/a\.ts, src\/core\/b\.ts, src\/core\/c\.ts: import each other/]);
  t.equal(found.length, 1);
});

t.test("a table of rooms in which one names a room after it is refused", (t) => {
  t.match(
    disorder([
      { folder: "src/a", holds: "", imports: ["src/b"] },
      { folder: "src/b", holds: "", imports: [], types: ["src/a"] },
    ]),
    [/src\/a names src\/b/],
  );
  t.end();
});

t.test("calls that cannot be made are found in texts of code and documents, with their place", async (t) => {
  const found = await problems(namedCalls, {
    "src/good.ts":
      'const a = `pth_run_test({ id: ${say({ id })}, detail: true })`;\nconst b = "pth_get_more({ " +\n  "cursor })";\n',
    "docs/good.md": '`pth_run_test({ id: "a, b", detail? })`, `pth_get_more({ … })`, `pth_end_session`',
    "src/bad.ts": [
      'const a = "pth_ran({ id })";',
      'const b = "pth_get_more({})";',
      'const c = "pth_get_more({ cursor, " +',
      '  "most: 3 })";',
      'const d = "pth_get_more({ cursor: 3 })";',
      "const e = 'pth_export_ci({ kind: \"c\" }';",
      'const f = "pth_call_nothing";',
    ].join("\n"),
  });
  t.match(found, [
    /^src\/bad\.ts:1: pth_ran: there is no such tool$/,
    /:2: pth_get_more\(\{\}\): cursor is missing$/,
    /:3: pth_get_more.*: there is no argument most$/,
    /:5: pth_get_more.*: cursor is not 3$/,
    /:6: pth_export_ci: its bracket is not closed$/,
    /:7: pth_call_nothing: there is no such tool$/,
  ]);
  t.equal(found.length, 6);
});

t.test("words of the terminal and calls are found outside the texts for their face", async (t) => {
  const found = await problems(wordsOfFaces, {
    "src/server/tool_list.json": JSON.stringify([{ tool: { name: "pth_run_test" } }]),
    "src/cli/command_list.ts": '{ name: "images" }',
    "src/cli/options.ts": '.option("--env <name>")',
    "src/good.ts": [
      'const a = { terminal: "Say " + \n  "where: --env docker", mcp: `pth_run_test({ id: "${id}" })` };',
      'const b = ["git", "--env", "x"]; // --env here, pth_run_test there',
      'const c = "Remove it: pth clean, pth images prune";',
    ].join("\n"),
    "src/tools/good.ts": 'const a = "Next: pth_run_test({ id })";',
    "src/bad.ts": [
      'const a = "Say where (--env docker)";',
      'const b = { mcp: "--env docker", terminal: "pth_run_test({ id })" };',
      "const c = `pth images build ${name}`;",
      "const d = `Give another: --${action} x`;",
    ].join("\n"),
    "src/tools/bad.ts": 'const a = "Say where: --env docker";',
  });
  t.strictSame(found, [
    "src/bad.ts:1: --env belongs into { terminal: … }",
    "src/bad.ts:2: --env belongs into { terminal: … }",
    "src/bad.ts:3: pth images belongs into { terminal: … }",
    "src/bad.ts:4: --${ belongs into { terminal: … }",
    "src/bad.ts:2: pth_run_test belongs into { mcp: … }",
    "src/tools/bad.ts:1: --env belongs into { terminal: … }",
  ]);
});

t.test("only the platform folder touches the host", async (t) => {
  const text = 'import { spawn } from "node:child_process";\nconst home = process.env.HOME;\nDeno.exit(1);\n';
  t.equal((await problems(platformSeam, { "src/client/a.ts": text })).length, 3);
  t.same(await problems(platformSeam, { "src/platform/a.ts": text }), []);
  t.same(
    await problems(platformSeam, { "src/client/b.ts": "options.process.kill();\nprocess.stdin.end();\n" }),
    [],
  );
});

t.test("a file of the plugin's that is opened by its path is told, but for exempt files", async (t) => {
  const reads = 'import { exists, readTextFile as read } from "../platform/files.ts";\n';
  const found = await problems(confinedPaths, {
    "src/fixes/a.ts": reads,
    "src/fixes/b.ts": 'export {\n  writeFile,\n} from "../platform/files.ts";\n',
    "src/fixes/c.ts": 'import * as files from "../platform/files.ts";\n',
    "src/fixes/d.ts": `// ${reads}import { exists } from "../platform/files.ts";\n`,
    "src/plugin/read_secrets_file.ts": reads,
    "src/cli/e.ts": reads,
  });
  t.match(found, [
    /^src\/fixes\/a\.ts: takes readTextFile/,
    /^src\/fixes\/b\.ts: takes writeFile/,
    /^src\/fixes\/c\.ts/,
  ]);
  t.equal(found.length, 3);
  t.match(await problems(confinedPaths, { "src/plugin/read_secrets_file.ts": "" }), [/needs no exemption/]);
});

t.test("absolute paths of this machine and registry hosts are told with their line", async (t) => {
  const registry = ["registry", "npmjs", "org"].join(".");
  const found = await problems(portableText, {
    "a.md": `fine: /tmp/x, /root/.npmrc\nsee /checkout/here/src/a.ts\nhttps://${registry}/x\n`,
    "b.md": "/checkout/hereabouts/src\n",
  });
  t.match(found, [/^a\.md:3: /, /^a\.md:2: .*this checkout/]);
  t.equal(found.length, 2);
});

t.test("an import by which a bundle would hold all of a package is told", async (t) => {
  const found = await problems(wholePackages, {
    "src/a.ts": 'import * as z from "zod";\nimport type { z } from "zod";\n',
    "src/b.ts": '/** Text. */\nimport { z } from "zod";\n',
    "test/c.ts": 'import { z } from "zod";\n',
  });
  t.match(found, [/^src\/b\.ts:2: /]);
  t.equal(found.length, 1);
});

t.test("a long file, a mark for later and a swallowed error are told; an explained one is not", async (t) => {
  t.match(await problems(smallFiles, { "src/a.ts": "x;\n".repeat(401), "src/b.ts": "x;\n".repeat(400) }), [
    /^src\/a\.ts/,
  ]);
  const mark = ["TO", "DO"].join("");
  const found = await problems(finishedCode, {
    "src/a.ts": `// ${mark} later\ntry { a(); } catch { }\n\n\n\n\nb().catch(() => {});\n`,
    "src/b.ts": "// A socket that is gone is what we want.\nb().catch(() => {});\n",
  });
  t.match(found, [/^src\/a\.ts:1/, /^src\/a\.ts:7/]);
});
