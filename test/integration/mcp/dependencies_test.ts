// test: timeout=300
/** Plugins that the one under test needs around it: started first, in order, verified, and stopped last. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { taggedPids } from "../../../src/platform/proc.ts";
import { root } from "../../support/pth.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { openShop, type Shop } from "../../support/shop_client.ts";

const token = "parrot-tulip-0815";
t.setTimeout(200_000);

/** stock on HTTP, then ledger on stdio; each writes to the log when it starts and ends. */
function dependencies(shop: Shop, SHOP_LOG: string) {
  return [
    {
      source: shop.plugin("stock"),
      command: ["node", "server.mjs", "{port}"],
      configValues: { STOCK_TOKEN: token, SHOP_LOG },
      expectTools: ["count"],
    },
    {
      source: shop.plugin("ledger"),
      name: "the-books",
      command: ["node", "built.mjs"],
      buildCommand: "cp server.mjs built.mjs",
      configValues: { SHOP_LOG },
    },
  ];
}

async function startShop(t: Test, env: Record<string, string> = {}): Promise<Shop> {
  const shop = await openShop(t, { env });
  const started = await shop.call("pth_start_session", { pluginPath: shop.plugin("shop") });
  t.notOk(started.isError, started.text);
  return shop;
}

const log = "/tmp/shop.log";
const logged = async (shop: Shop) =>
  String((await shop.call("pth_exec_in_environment", { command: `cat ${log}` })).data["stdout"]).split("\n");

/** What lies in the plugins' folder, with contents: none of it may change. */
async function sources(shop: Shop): Promise<Record<string, string>> {
  const entries = await readdir(join(shop.folder, "plugins"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) =>
    join(parentPath, name)
  );
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")])),
  );
}

t.test("dependencies start before the plugin, which finds and uses them; they end after it, the last one first", async (t) => {
  const shop = await openShop(t);
  const before = await sources(shop);
  const started = await shop.call("pth_start_session", { pluginPath: shop.plugin("shop") });
  t.notOk(started.isError, started.text);
  const provisioned = await shop.call("pth_provision_environment", {
    runtime: "sandbox",
    dependencyPlugins: dependencies(shop, log),
    targetPlugin: { configValues: { SHOP_LOG: log, STOCK_API: "${PTH_DEPENDENCY_STOCK_URL}" } },
  });
  t.notOk(provisioned.isError, provisioned.text);
  t.match(provisioned.text, /pth_load_plugin\(\{\}\), which starts the dependencies first: stock, the-books/);
  t.match(provisioned.data, {
    config: { dependencyPlugins: [{ configValues: { STOCK_TOKEN: "[REDACTED]" } }] },
  });
  t.match(await shop.call("pth_get_plugin_status"), {
    data: { dependencies: [{ name: "stock", state: "absent" }] },
  });

  const loaded = await shop.call("pth_load_plugin");
  t.notOk(loaded.isError, loaded.text);
  t.match(
    loaded.text,
    /Dependency stock: ready, 1 tool, PTH_DEPENDENCY_STOCK_FOLDER=.* PTH_DEPENDENCY_STOCK_URL=http/,
  );
  t.match(loaded.text, /Dependency the-books: ready, 1 tool, PTH_DEPENDENCY_THE_BOOKS_FOLDER=/);
  t.strictSame(await logged(shop), ["stock", "ledger", "shop"]);

  t.equal(await shop.use("in_stock", { item: "apple" }), "3 in stock", "over the dependency's own API");
  t.equal(await shop.use("ask_server", { item: "apple" }), "3", "over its MCP server");
  t.match((await shop.call("pth_get_plugin_config")).text, /PTH_DEPENDENCY_STOCK_PORT=\d+ {2}\(dependency\)/);

  const suite = await shop.call("pth_generate_tests", {});
  t.notMatch(suite.text, /entries|count/, "dependencies are not tested");
  t.notOk((await shop.call("pth_reload_plugin")).isError);
  t.strictSame(await logged(shop), ["stock", "ledger", "shop", "shop"], "they outlive a reload");
  t.match(await shop.call("pth_check_environment_drift"), { data: { drifted: false } }, "and are no drift");

  const known = (await shop.call("pth_get_plugin_status")).data["dependencies"] as { pid: number }[];
  await shop.call("pth_exec_in_environment", { command: `kill -KILL ${known[0]!.pid}` });
  const answers = async () => await shop.use("in_stock", { item: "apple" }) === "3 in stock";
  t.ok(await eventually(answers, 60_000), "one that dies is started again");

  t.notOk((await shop.call("pth_destroy_environment")).isError);
  t.equal((await shop.copies()).length, 3, "copies stay for another environment");
  t.notOk((await shop.call("pth_end_session")).isError);
  t.strictSame(await shop.copies(), []);
  t.strictSame(await sources(shop), before, "their authors' folders are as they were");
  t.notMatch(await shop.written(), token);
});

t.test("a rollback ends them, and brings them up again before the plugin, at the same port", async (t) => {
  const shop = await startShop(t);
  const provisioned = await shop.call("pth_provision_environment", {
    runtime: "sandbox",
    dependencyPlugins: dependencies(shop, log),
    targetPlugin: { configValues: { SHOP_LOG: log } },
  });
  t.notOk(provisioned.isError, provisioned.text);
  const early = (await shop.call("pth_snapshot_environment", { tag: "early" })).data["snapshot"];
  t.notOk((await shop.call("pth_load_plugin")).isError);
  const late = (await shop.call("pth_snapshot_environment", { tag: "late" })).data["snapshot"];
  const urlOf = async () => /STOCK_URL=(\S+)/.exec((await shop.call("pth_get_plugin_config")).text)?.[1];
  const url = await urlOf();

  const back = await shop.call("pth_rollback_environment", { snapshot: late });
  t.notOk(back.isError, back.text);
  t.strictSame(await logged(shop), ["stock", "ledger", "shop", "stock", "ledger", "shop"]);
  t.equal(await shop.use("in_stock", { item: "apple" }), "3 in stock");
  t.equal(await urlOf(), url);

  const further = await shop.call("pth_rollback_environment", { snapshot: early });
  t.notOk(further.isError, further.text);
  t.strictSame(await logged(shop), ["stock", "ledger", "shop"], "also where nothing of them was yet");
  t.equal(await shop.use("ask_server", { item: "pear" }), "0");

  const replaced = await shop.call("pth_reprovision_environment", { runtime: "host" });
  t.notOk(replaced.isError, replaced.text);
  t.equal(await shop.use("in_stock", { item: "apple" }), "3 in stock", "and in another environment");
  t.notOk((await shop.call("pth_reprovision_environment", { dependencyPlugins: [] })).isError);
  t.match(await shop.use("in_stock", { item: "apple" }), /TypeError/, "left out, it is not there");
  t.notOk((await shop.call("pth_end_session")).isError);
});

t.test("a dependency that fails says how, and what can be done; the plugin is not started", async (t) => {
  const shop = await startShop(t);
  const [stock, ledger] = dependencies(shop, log);
  const failing = async (changes: object) => {
    const config = { runtime: "sandbox", dependencyPlugins: [stock, { ...ledger, ...changes }] };
    const provisioned = await shop.call("pth_reprovision_environment", config);
    t.notOk(provisioned.isError, provisioned.text);
    const { text, isError, data } = await shop.call("pth_load_plugin");
    t.equal(isError, true, text);
    return { text, error: data["error"] as Record<string, unknown> };
  };

  const build = await failing({ buildCommand: "echo making ledger; echo no rule >&2; exit 3" });
  t.match(build.text, /Cannot build dependency the-books: exited with 3: .*\[DEPENDENCY_FAILED\]/s);
  t.match(build.text, /no rule/);
  t.match(build.error, {
    dependency: "the-books",
    step: "build",
    cause: "BUILD_FAILED",
    source: shop.plugin("ledger"),
  });
  for (
    const way of [
      /Fix the dependency in its own folder/,
      /without it: pth_reprovision_environment/,
      /pth_end_session/,
    ]
  ) {
    t.match(build.text, way);
  }
  t.notMatch(build.text, /--build/, "options of the command line are about the plugin under test");
  t.match(await shop.call("pth_get_plugin_status"), {
    data: { state: "absent", dependencies: [{ state: "absent" }, { state: "absent" }] },
  });

  const start = await failing({
    command: ["node", "-e", "console.error('no ledger here'); process.exit(4)"],
  });
  t.match(start.text, /Cannot start dependency the-books: exited with 4 before initialize/);
  t.match(start.text, /Server's stderr:\nno ledger here/);

  const silent =
    `require("readline").createInterface({input:process.stdin}).on("line",(l)=>{const {id,method}=JSON.parse(l);` +
    `const r=method==="initialize"?{result:{protocolVersion:"2025-06-18",capabilities:{},serverInfo:{name:"x",version:"1"}}}` +
    `:{error:{code:-32603,message:"the list is lost"}};if(id!==undefined)console.log(JSON.stringify({jsonrpc:"2.0",id,...r}))})`;
  const list = await failing({ command: ["node", "-e", silent] });
  t.match(list.text, /Cannot list the tools of dependency the-books: the server answered: the list is lost/);
  t.match(list.error, { step: "tools/list" });

  const other = await failing({ expectTools: ["entries", "balance"] });
  t.match(other.text, /it does not list balance/);
  t.match(
    await logged(shop),
    ["stock", "ledger", "ledger ended", "stock ended"],
    "those before it are stopped",
  );

  await writeFile(join(shop.plugin("ledger"), "server.mjs"), "throw new Error('torn page');\n");
  const torn = await failing({ expectTools: ["entries"] });
  t.match(torn.text, /torn page/);
  await writeFile(
    join(shop.plugin("ledger"), "server.mjs"),
    await readFile(join(root, "test/fixtures/shop/ledger/server.mjs")),
  );
  const mended = await shop.call("pth_load_plugin");
  t.notOk(mended.isError, mended.text);
  t.match(mended.text, /Dependency the-books: ready/);
});

t.test("a load that is given up while a dependency is built can be asked for again", async (t) => {
  const shop = await startShop(t);
  const [stock, ledger] = dependencies(shop, log);
  // Only the first time: it is given up then, however late that is heard of.
  const buildCommand = "[ -e /tmp/begun ] || { touch /tmp/begun; sleep 100; }; cp server.mjs built.mjs";
  const slow = { ...ledger, buildCommand };
  const config = { runtime: "sandbox", dependencyPlugins: [stock, slow] };
  t.notOk((await shop.call("pth_provision_environment", config)).isError);
  const stop = new AbortController();
  const load = shop.client.callTool({ name: "pth_load_plugin", arguments: {} }, undefined, {
    signal: stop.signal,
  });
  const begun = async () => {
    const { data } = await shop.call("pth_exec_in_environment", { command: "test -e /tmp/begun" });
    return data["exitCode"] === 0;
  };
  t.ok(await eventually(begun, 60_000), "it is being built");
  stop.abort();
  await t.rejects(load);
  let loaded = await shop.call("pth_load_plugin");
  // What was given up is taken back first.
  const isTaken = async () => {
    if (!loaded.text.includes("[NOT_NOW]")) return true;
    t.match(loaded.text, /Wait for the dependency plugins/);
    loaded = await shop.call("pth_load_plugin");
    return false;
  };
  await eventually(isTaken, 60_000);
  t.notOk(loaded.isError, loaded.text);
  t.strictSame(await logged(shop), ["stock", "stock ended", "stock", "ledger"]);
});

t.test("what cannot be a dependency is refused before there is an environment", async (t) => {
  const shop = await startShop(t);
  const provision = (dependencyPlugins: unknown) =>
    shop.call("pth_provision_environment", { runtime: "host", dependencyPlugins });
  t.match((await provision([{ source: "/no/such/folder" }])).text, /\[TARGET_NOT_FOUND\]/);
  const stock = shop.plugin("stock");
  t.match(
    (await provision([{ source: stock }, { source: stock }])).text,
    /two are called stock \[INVALID_INPUT\]/,
  );
  t.match((await provision([{ sourc: stock }])).text, /source/);
  t.match((await provision([{ source: stock, name: "../up" }])).text, /expected a name/);
  t.match((await shop.call("pth_inspect_environment")).text, /NOT_NOW/);
  const unknown = await shop.call("pth_provision_environment", {
    runtime: "host",
    targetPlugin: { configValues: { STOCK_API: "${PTH_DEPENDENCY_STOK_URL}" } },
  });
  t.notOk(unknown.isError, unknown.text);
  t.match(
    (await shop.call("pth_load_plugin")).text,
    /Cannot set STOCK_API: no dependency or service announces PTH_DEPENDENCY_STOK_URL/,
  );
});

t.test("a dependency's missing configuration is asked for, too", async (t) => {
  const shop = await startShop(t);
  const provisioned = await shop.call("pth_provision_environment", {
    runtime: "host",
    dependencyPlugins: [{
      source: shop.plugin("greeter"),
      installCommand: "",
      configValues: { GREETING: "Hi" },
    }],
  });
  t.notOk(provisioned.isError, provisioned.text);
  const { text } = await shop.call("pth_load_plugin");
  t.match(text, /dependency greeter: it needs API_KEY \[CONFIG_MISSING\]/);
  t.match(text, /under configValues of dependency greeter/);
});

t.test("a killed PTH leaves copies that pth clean removes, and no dependency running", async (t) => {
  const shop = await startShop(t);
  const provisioned = await shop.call("pth_provision_environment", {
    runtime: "host",
    dependencyPlugins: dependencies(shop, join(shop.folder, "shop.log")),
  });
  t.notOk(provisioned.isError, provisioned.text);
  t.notOk((await shop.call("pth_load_plugin")).isError);
  const { environmentId } = (provisioned.data["environment"] ?? {}) as { environmentId: string };
  const running = () => taggedPids("PTH_ENVIRONMENT", environmentId);
  t.ok((await running()).length >= 3);
  process.kill(shop.pid, "SIGKILL");
  await shop.client.close();
  t.equal((await shop.copies()).length, 3);
  const env = { PTH_HOME: join(shop.folder, "home"), PTH_WORKTREE_DIR: join(shop.folder, "worktrees") };
  const cleaned = await runCommand([process.execPath, "run", "-A", join(root, "src/cli.ts"), "clean"], {
    cwd: root,
    env,
  });
  t.equal(cleaned.code, 0, cleaned.stderr);
  t.strictSame(await shop.copies(), []);
  t.strictSame(await running(), []);
});
