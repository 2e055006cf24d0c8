import { join } from "node:path";
import t from "tap";
import type { SessionSource, SessionTarget } from "../../../machines/model/session.ts";
import { buildPlugin } from "../../../src/plugin/build_plugin.ts";
import { planPlugin } from "../../../src/plugin/plan_plugin.ts";
import { rejection, temporaryWorld, writeFiles } from "../session/helpers.ts";
import { hostAccess, scriptedAccess } from "./helpers.ts";

async function plan(
  t: Parameters<typeof temporaryWorld>[0],
  files: Record<string, string>,
  target: SessionTarget = {},
  answers: Parameters<typeof scriptedAccess>[0] = [],
) {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, files);
  const source: SessionSource = {
    sessionId: "s",
    name: "demo",
    source: target.target ?? "./demo",
    worktree: folder,
    subfolder: "",
    notes: [],
  };
  return await planPlugin(source, target, scriptedAccess(answers));
}

const json = JSON.stringify;

t.test("a Claude Code plugin is started as it declares, with the environment's paths", async (t) => {
  const { server, serverName } = await plan(
    t,
    {
      ".claude-plugin/plugin.json": '{"name":"demo"}',
      ".mcp.json": json({
        mcpServers: {
          db: {
            command: "node",
            args: ["${CLAUDE_PLUGIN_ROOT}/dist/i.js", "--level=${LEVEL:-info}", "${HOME}/x"],
            env: { KEY: "${user_config.api_key}", ROOT: "${CLAUDE_PLUGIN_ROOT}" },
            cwd: "sub",
          },
        },
      }),
    },
    { secrets: { api_key: "s3cret" }, args: ["--more"] },
    [[/HOME/, { stdout: "/root\n/bin\n/tmp\nroot\n" }]],
  );
  t.equal(serverName, "db");
  t.match(server, {
    type: "stdio",
    command: ["node", "/work/plugin/dist/i.js", "--level=info", "/root/x", "--more"],
    env: { KEY: "s3cret", ROOT: "/work/plugin", CLAUDE_PLUGIN_ROOT: "/work/plugin" },
    cwd: "/work/plugin/sub",
  });
});

t.test("a flat .mcp.json, and servers in plugin.json as object, path or list, are read alike", async (t) => {
  const srv = { command: "./run.sh" };
  const manifest = (mcpServers?: unknown) => json({ name: "demo", mcpServers });
  const shapes: Record<string, string>[] = [
    { ".claude-plugin/plugin.json": manifest(), ".mcp.json": json({ srv }) },
    { ".claude-plugin/plugin.json": manifest({ srv }) },
    {
      ".claude-plugin/plugin.json": manifest("./conf/mcp.json"),
      "conf/mcp.json": json({ mcpServers: { srv } }),
    },
    { ".claude-plugin/plugin.json": manifest(["${CLAUDE_PLUGIN_ROOT}/a.json"]), "a.json": json({ srv }) },
  ];
  for (const files of shapes) {
    t.match(await plan(t, files), { serverName: "srv", server: { command: ["./run.sh"] } });
  }
});

t.test("of several servers one has to be named", async (t) => {
  const files = {
    ".claude-plugin/plugin.json": "{}",
    ".mcp.json": json({
      a: { command: "a" },
      b: { type: "http", url: "https://x.test/mcp", headers: { K: "${T}" } },
    }),
  };
  t.match(await rejection(plan(t, files)), { code: "SERVER_AMBIGUOUS", context: { servers: ["a", "b"] } });
  t.match(await rejection(plan(t, files, { server: "c" })), { code: "INVALID_INPUT", message: /a, b/ });
  const { server } = await plan(t, files, { server: "b", secrets: { T: "tok" } });
  t.match(server, { type: "http", url: "https://x.test/mcp", headers: { K: "tok" }, command: undefined });
});

t.test("servers that the author only works with are not the plugin's", async (t) => {
  const files = {
    ".mcp.json": json({ mcpServers: { github: { command: "npx", args: ["-y", "@github/mcp"] } } }),
    "package.json": '{"name":"demo","bin":"cli.js"}',
  };
  t.match(await plan(t, files), {
    serverName: undefined,
    server: { command: ["node", "/work/plugin/cli.js"] },
  });
});

t.test("a declared command that would fetch the published plugin runs this one, and it is said", async (t) => {
  const { server, notes } = await plan(t, {
    ".claude-plugin/plugin.json": "{}",
    ".mcp.json": json({ me: { command: "npx", args: ["-y", "demo"] } }),
    "package.json": '{"name":"demo","bin":"cli.js"}',
  });
  t.strictSame(server.command, ["node", "/work/plugin/cli.js"]);
  t.match(notes, [/^"npx -y demo" is run from the plugin's own folder/]);
});

t.test("a url on this machine is served by the plugin itself", async (t) => {
  const files = {
    ".claude-plugin/plugin.json": "{}",
    ".mcp.json": json({ web: { type: "http", url: "http://localhost:3456/mcp" } }),
    "package.json": '{"main":"server.js"}',
  };
  t.match(await plan(t, files), {
    server: { type: "http", port: 3456, command: ["node", "/work/plugin/server.js"] },
  });
});

t.test("a given command, url or port stands above what the plugin says", async (t) => {
  const files = { "package.json": '{"main":"server.js"}' };
  t.match(await plan(t, files, { command: ["python3", "x.py"], args: ["-v"] }), {
    server: { type: "stdio", command: ["python3", "x.py", "-v"] },
  });
  t.match(await plan(t, files, { command: ["node", "s.js", "--port={port}"] }), {
    server: { type: "http", url: "http://127.0.0.1:{port}/mcp" },
  });
  t.match(await plan(t, {}, { url: "https://x.test/mcp" }), { server: { type: "http", command: undefined } });
  t.match(await plan(t, {}, { command: ["node", "s.js"], url: "http://127.0.0.1:8123/mcp" }), {
    server: { type: "http", command: ["node", "s.js"], port: 8123 },
  });
  t.match(await plan(t, { "server.js": "" }, { url: "http://127.0.0.1:{port}/rpc", args: ["-v"] }), {
    server: {
      type: "http",
      command: ["node", "/work/plugin/server.js", "-v"],
      url: "http://127.0.0.1:{port}/rpc",
    },
  });
});

t.test("all that is missing is named at once", async (t) => {
  const error = await rejection(plan(t, {
    ".claude-plugin/plugin.json": json({
      userConfig: {
        endpoint: { required: true, description: "Where" },
        token: { sensitive: true, required: true },
      },
    }),
    ".mcp.json": json({
      s: { command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/x"], env: { A: "${DB_PASSWORD}" } },
    }),
  }));
  t.equal(error.code, "CONFIG_MISSING");
  t.strictSame(error.context.next, [
    { terminal: "--var endpoint=…  (Where)" },
    { terminal: "--secret token" },
    { terminal: "--secret DB_PASSWORD" },
  ]);
});

t.test("variables say where their values come from", async (t) => {
  const { variables, server } = await plan(t, {
    "package.json": json({
      main: "x.js",
      pth: { config: { LEVEL: "info", PORT: { default: 1, required: true } } },
    }),
    ".env.example": "API_KEY=your-key\nPORT=2\n",
  }, { variables: { LEVEL: "debug", EXTRA: "1" }, secrets: { API_KEY: "k" } });
  t.strictSame(variables, [
    { name: "PORT", value: "1", source: "default in package.json", secret: false },
    { name: "LEVEL", value: "debug", source: "given", secret: false },
    { name: "EXTRA", value: "1", source: "given", secret: false },
    { name: "API_KEY", value: "k", source: "given as a secret", secret: true },
  ]);
  t.match(server.env, { LEVEL: "debug", API_KEY: "k", PORT: "1" });
});

t.test("a folder that tells nothing is refused with what was looked for", async (t) => {
  const error = await rejection(plan(t, { "README.md": "" }));
  t.match(error, { code: "BUILD_SYSTEM_UNKNOWN", context: { found: ["README.md"] } });
  t.match(error.context.next, [{ terminal: /--build/, mcp: /build:/ }, {
    terminal: /--command/,
    mcp: /command:/,
  }]);
});

t.test("files that are wrong are refused by name", async (t) => {
  for (
    const content of ["[]", "{", '{"mcpServers":[]}', '{"a":{"args":[]}}', '{"a":{"command":"x","args":"y"}}']
  ) {
    t.match(await rejection(plan(t, { ".mcp.json": content })), {
      code: "INVALID_CONFIG",
      message: /\.mcp\.json/,
    });
  }
  const manifest = { ".claude-plugin/plugin.json": '{"mcpServers":"./gone.json"}' };
  t.match(await rejection(plan(t, manifest)), { code: "INVALID_CONFIG", message: /gone\.json/ });
});

t.test("a plugin in a subfolder runs from there", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "plugins/one/server.py": "" });
  const source = {
    sessionId: "s",
    name: "one",
    source: "x",
    worktree: folder,
    subfolder: "plugins/one",
    notes: [],
  };
  const found = await planPlugin(source, {}, scriptedAccess([]));
  t.match(found, { folder: "/work/plugin/plugins/one", server: { cwd: "/work/plugin/plugins/one" } });
});

t.test("a failed build tells command, output and system; a start file that was not built is named", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "package.json": '{"main":"dist/index.js"}' });
  const source = { sessionId: "s", name: "one", source: "x", worktree: folder, subfolder: "", notes: [] };
  const env = hostAccess(folder);
  const failing = "echo compiling; echo 'x.ts(1,2): error TS1: no' >&2; exit 2";
  const broken = await planPlugin(source, { build: failing, install: "" }, env);
  const error = await rejection(buildPlugin(broken, env));
  t.match(error, { code: "BUILD_FAILED", message: /exited with 2: x\.ts\(1,2\): error TS1: no/ });
  t.match(error.context, { output: /compiling\n.*TS1/s, buildSystem: "npm", tried: [/exit 2/] });
  const empty = await planPlugin(source, { build: "true", install: "" }, env);
  t.match(await rejection(buildPlugin(empty, env)), {
    code: "START_FAILED",
    message: `Cannot start plugin: ${join(folder, "dist/index.js")} is not there after the build`,
  });
});
