/** Plugins of every kind from what the user types to a server that answers, with plain processes of the host. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import type { SessionTarget } from "../../../machines/model/session.ts";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { spawnProcess } from "../../../src/platform/process.ts";
import { buildPlugin } from "../../../src/plugin/build_plugin.ts";
import { installPlugin } from "../../../src/plugin/install_plugin.ts";
import { planPlugin } from "../../../src/plugin/plan_plugin.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { hostAccess, type RecordedAccess } from "../../src/plugin/helpers.ts";
import { prepare, rejection, temporaryWorld, writeFiles } from "../../src/session/helpers.ts";

/** npm and pip take their time on a busy machine. */
const slow = { timeout: 240_000 };
t.setTimeout(slow.timeout * 4);

const fixtures = join(import.meta.dirname!, "../../fixtures");

async function load(target: string | SessionTarget): Promise<{ plan: PluginPlan; env: RecordedAccess }> {
  const asked = typeof target === "string" ? { target } : target;
  const source = await prepare(asked);
  const env = hostAccess(source.worktree);
  const plan = await planPlugin(source, asked, env);
  const installed = await installPlugin(plan, env, { args: asked.args ?? [] });
  return { plan: (await buildPlugin(installed.plan, env, { args: asked.args ?? [] })).plan, env };
}

/** Name that the server gives in its answer to `initialize`. */
async function handshake({ server }: PluginPlan): Promise<string> {
  const child = await spawnProcess(server.command!, { cwd: server.cwd, env: server.env, ownGroup: true });
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }) + "\n");
  try {
    let text = "";
    for await (const chunk of child.stdout) {
      text += chunk;
      if (text.includes("\n")) break;
    }
    return JSON.parse(text.split("\n")[0]!).result.serverInfo.name;
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

t.test(
  "a TypeScript plugin is installed, built and started; a second install is skipped",
  slow,
  async (t) => {
    const { folder } = await temporaryWorld(t);
    const { plan, env } = await load(await copyFixture("sample_plugin", folder, "archives"));
    t.match(plan, { name: /sample/, build: { system: "npm", build: "npm run build" } });
    t.ok(await handshake(plan));
    const again = await installPlugin(plan, env);
    t.equal(again.skipped, "node_modules is up to date");
    await writeFiles(plan.folder, { ".npmrc": "fund=false\n" });
    t.equal((await installPlugin(plan, env)).skipped, undefined, "a changed manifest installs again");
  },
);

t.test("an npm package is installed, and its bin started with the user's arguments", slow, async (t) => {
  const { folder } = await temporaryWorld(t);
  const name = "@modelcontextprotocol/server-filesystem";
  const { plan } = await load({ target: `npm:${name}`, args: [folder] });
  t.match(plan, { name, version: /^\d/ });
  t.strictSame(plan.server.command?.slice(1), [folder]);
  t.match(await handshake(plan), /filesystem/);
});

t.test("a package that nobody published is not found, in npm's words", slow, async (t) => {
  await temporaryWorld(t);
  const name = `npm:pth-no-such-package-${process.pid}`;
  const error = await rejection(load(name));
  t.match(error, { code: "TARGET_NOT_FOUND", message: /Not Found|no such package/ });
  t.match(error.context.output, /E404/);
});

t.test("a version that nobody published is not found", slow, async (t) => {
  await temporaryWorld(t);
  const error = await rejection(load("npm:picocolors@999.0.0"));
  t.match(error, { code: "TARGET_NOT_FOUND", message: /No matching version|no such package or version/ });
});

t.test("a Python plugin gets a venv of its own", slow, async (t) => {
  const { folder } = await temporaryWorld(t);
  await cp(join(fixtures, "python_server"), folder, { recursive: true });
  const { plan, env } = await load(folder);
  t.match(plan.build, { system: "pip", evidence: "pyproject.toml" });
  t.match(plan.server.command?.[0], /\.venv\/bin\//);
  t.ok(await handshake(plan));
  t.equal((await installPlugin(plan, env)).skipped, ".venv is up to date");
});

t.test("a makefile's executable is found once it is made", slow, async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, {
    "Makefile":
      "server:\n\tprintf '#!/bin/sh\\nexec cat\\n' > server && chmod +x server\ninstall:\n\tfalse\n",
  });
  const { plan } = await load(folder);
  t.equal(plan.build?.build, "make", "make install is not run on the host");
  t.strictSame(plan.server.command, [join(plan.folder, "server")]);
});
