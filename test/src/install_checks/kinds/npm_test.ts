import t from "tap";
import npm from "../../../../src/install_checks/kinds/npm.ts";
import { folderOf } from "../../../../src/plugin/readable_folder.ts";
import { faultsOf, treesOf } from "../trees_of.ts";

const json = JSON.stringify;
const sound = {
  "package.json": json({
    name: "pkg",
    version: "1.0.0",
    main: "lib/index",
    types: "./lib/index.d.ts",
    bin: { pkg: "bin/pkg.js" },
    exports: { ".": { types: "./lib/index.d.ts", import: "./lib/index.js" }, "./more/*": "./lib/*.js" },
    files: ["bin", "lib/**/*.js"],
    engines: { node: ">=18" },
    dependencies: { zod: "^3" },
    peerDependencies: { host: "*" },
  }),
  "bin/pkg.js": '#!/usr/bin/env node\nimport "../lib/index.js";\n',
  "lib/index.js": [
    'import { z } from "zod/v4";',
    'import fs from "node:fs";',
    'import path from "path";',
    'export * from "./other";',
    'import host from "host";',
    'import self from "pkg/more/x";',
    'import own from "#own";',
    '// import "commented-out";',
    "const text = `import 'quoted'`;",
    'try { require("optional") } catch {}',
    'const later = () => import("sometimes");',
  ].join("\n"),
  "lib/other.js": "export {}",
  "lib/index.d.ts":
    'import { a } from "./types.ts";\nimport { b } from "./types.js";\nexport * from "./types";\n',
  "lib/types.d.ts": "",
};

t.test("a package that is whole has no fault", async (t) => {
  t.strictSame(await faultsOf(npm, treesOf(sound, { "link-for-work": "->../elsewhere" })), []);
  t.strictSame((await npm.parts(treesOf(sound).installed)).programs, ["pkg"]);
});

t.test("each planted fault is found at its place", async (t) => {
  const installed = {
    "package.json": json({
      name: "pkg",
      version: "1.0.0",
      main: "./Lib/index.js",
      types: "./missing.d.ts",
      bin: { pkg: "bin/pkg.js", other: "bin/other.js" },
      exports: { ".": "./lib/index.js", "./a": "/home/me/a.js", "./b": { import: "../b.js" } },
      files: ["bin", "docs", "lib"],
      engines: { node: ">=99" },
      dependencies: { near: "file:../near" },
      devDependencies: { left: "1" },
    }),
    "bin/pkg.js": 'import "../lib/hidden.js";\n',
    "lib/index.js":
      'import "left";\nimport "Right/x";\nimport "./Other.js";\nconst a = require("./data.json");\n',
    "lib/other.js": 'const at = "/work/source/lib/x";\nimport "/home/me/y.js";\n',
    "bin/other.js": "#!/usr/bin/env node\n",
  };
  const source = { "lib/hidden.js": "", "lib/data.json": "{}", "lib/out": "->/etc/hostname" };
  t.strictSame(await faultsOf(npm, treesOf(installed, source)), [
    "absolute-path lib/other.js:1",
    'absolute-path package.json: exports["./a"]',
    "case-mismatch lib/index.js:3",
    "case-mismatch package.json: main",
    "no-run-bit bin/pkg.js:1",
    "not-packed bin/pkg.js:1",
    "not-packed lib/index.js:4",
    "outside-package lib/out",
    "outside-package package.json: dependencies.near",
    'outside-package package.json: exports["./b"].import',
    "undeclared-dependency lib/index.js:1",
    "undeclared-dependency lib/index.js:2",
    "wrong-engine package.json: engines.node",
    "wrong-path package.json: files[1]",
    "wrong-path package.json: types",
  ]);
});

t.test("a development dependency that is imported is told to be moved", async (t) => {
  const trees = treesOf({
    "package.json": json({ name: "p", version: "1", main: "a.js", devDependencies: { left: "1" } }),
    "a.js": 'require("left");',
  });
  t.match(await npm.inspect(trees), [{ next: "Move left from devDependencies to dependencies" }]);
});

t.test("a range that is none is a wrong engine", async (t) => {
  const trees = treesOf({ "package.json": json({ name: "p", version: "1", engines: { node: "twenty" } }) });
  t.strictSame(await faultsOf(npm, trees), ["wrong-engine package.json: engines.node"]);
});

t.test("only what is published is a package", async (t) => {
  const detects = (manifest: object) => npm.detects(folderOf({ "package.json": json(manifest) }));
  t.equal(await detects({ name: "p", version: "1" }), true);
  t.equal(await detects({ name: "p", version: "1", private: true }), false);
  t.equal(await detects({ name: "p" }), false);
  t.equal(await npm.detects(folderOf({})), false);
});

t.test("a package without a program and a build has no server to start", async (t) => {
  const servers = (manifest: object) => npm.servers(folderOf({ "package.json": json(manifest) }), "/w");
  t.strictSame(await servers({ name: "p", main: "a.js" }), []);
  t.strictSame(await servers({ name: "p", bin: "a.js" }), [{ name: "", command: ["node", "/w/a.js"] }]);
  t.strictSame(await servers({ name: "p", bin: { a: "a.js", b: "b.js" } }), []);
  t.strictSame(await servers({ name: "p", scripts: { build: "tsc" } }), [{ name: "" }]);
});
