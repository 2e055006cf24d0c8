import t from "tap";
import mcpb from "../../../../src/install_checks/kinds/mcpb.ts";
import { folderOf } from "../../../../src/plugin/readable_folder.ts";
import { faultsOf, treesOf } from "../trees_of.ts";

const json = JSON.stringify;
const root = "${__dirname}";
const manifest = {
  manifest_version: "0.2",
  name: "bundle",
  version: "1.0.0",
  description: "A bundle.",
  author: { name: "T" },
  user_config: { folder: { type: "directory" } },
  icon: "icon.png",
  server: {
    type: "node",
    entry_point: "server/index.js",
    mcp_config: { command: "node", args: [`${root}/server/index.js`, "${user_config.folder}"] },
  },
  compatibility: { runtimes: { node: ">=18" } },
  tools: [{ name: "echo" }],
};
const files = {
  "server/index.js": 'import "./lib.js";\nimport "held";\n',
  "server/lib.js": "",
  "icon.png": "",
};

t.test("a bundle that is whole has no fault", async (t) => {
  const trees = { ...treesOf({ "manifest.json": json(manifest), ...files }, {}, ["held"]), tools: ["echo"] };
  t.strictSame(await faultsOf(mcpb, trees), []);
});

t.test("each planted fault is found at its place", async (t) => {
  const planted = {
    ...manifest,
    icon: "/home/me/icon.png",
    server: {
      type: "node",
      entry_point: "Server/index.js",
      mcp_config: {
        command: `${root}/bin/start.sh`,
        args: [`${root}/dist/made.js`, "server/index.js", `${root}/../x`],
      },
    },
    compatibility: { runtimes: { node: ">=99" } },
    tools: [{ name: "echo" }, { name: "lost" }],
  };
  const installed = { "manifest.json": json(planted), ...files, "bin/start.sh": "#!/bin/sh\n" };
  const trees = { ...treesOf(installed, { "dist/made.js": "" }), tools: ["echo"] };
  t.strictSame(await faultsOf(mcpb, trees), [
    "absolute-path manifest.json: icon",
    "case-mismatch manifest.json: server.entry_point",
    "no-run-bit manifest.json: server.mcp_config",
    "not-packed manifest.json: server.mcp_config",
    "outside-package manifest.json: server.mcp_config",
    "part-lost manifest.json: tools",
    "wrong-engine manifest.json: compatibility.runtimes.node",
    "wrong-path manifest.json: server.mcp_config",
  ]);
});

t.test("each planted fault of a manifest is found at its place", async (t) => {
  const { description: _description, author: _author, ...rest } = manifest;
  const planted = {
    ...rest,
    version: "1.0.0",
    screenshots: ["icon.png", "shots/none.png"],
    server: {
      ...manifest.server,
      type: "ruby",
      mcp_config: {
        command: "node",
        args: [`${root}/server/index.js`, "${user_config.key}"],
        platform_overrides: { win32: { command: `${root}/bin/start.exe` } },
      },
    },
    compatibility: { platforms: ["linux", "windows"] },
  };
  const trees = treesOf(
    {
      "manifest.json": json(planted),
      "package.json": json({ version: "1.2.0" }),
      ...files,
    },
    {},
    ["held"],
  );
  t.strictSame(await faultsOf(mcpb, trees), [
    "not-installed manifest.json: author.name",
    "not-installed manifest.json: description",
    "not-installed manifest.json: server.type",
    "wrong-engine manifest.json: compatibility.platforms",
    "wrong-path manifest.json: screenshots[1]",
    "wrong-path manifest.json: server.mcp_config.platform_overrides.win32",
    "wrong-path manifest.json: user_config.key",
    "wrong-version package.json: version",
  ]);
});

t.test("a package that the bundle does not hold is told where it is imported", async (t) => {
  const trees = treesOf({ "manifest.json": json(manifest), ...files });
  t.strictSame(await faultsOf(mcpb, trees), ["undeclared-dependency server/index.js:2"]);
});

t.test("a manifest without a command, or none at all, is told", async (t) => {
  const server = { type: "node" };
  const bare = treesOf({ "manifest.json": json({ ...manifest, server }), "icon.png": "" });
  t.strictSame(await faultsOf(mcpb, bare), ["not-started manifest.json: server.mcp_config"]);
  t.strictSame(await faultsOf(mcpb, treesOf({})), ["wrong-path manifest.json"]);
});

t.test("a server is started from another folder, its options with their defaults", async (t) => {
  const options = { folder: { type: "directory", default: "/data" } };
  const folder = folderOf({ "manifest.json": json({ ...manifest, user_config: options }) });
  t.equal(await mcpb.detects(folder), true);
  t.equal(await mcpb.detects(folderOf({ "manifest.json": json({ manifest_version: 3 }) })), false);
  const [server] = await mcpb.servers(folder, "/w");
  t.strictSame(server?.command?.slice(-3), ["node", "/w/server/index.js", "/data"]);
});
