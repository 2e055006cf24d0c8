// test: timeout=300
/** Dependencies in a container with a network of its own: reached by the plugin inside, verified by PTH from outside. */
import { runCommand } from "../../../src/platform/process.ts";
import t from "tap";
import { openShop } from "../../support/shop_client.ts";
import { needsDocker } from "./docker_subject.ts";

t.setTimeout(250_000);

t.test(
  "a dependency over HTTP is found by the plugin, also after a rollback, and leaves with the container",
  needsDocker,
  async (t) => {
    const shop = await openShop(t);
    const started = await shop.call("pth_start_session", { pluginPath: shop.plugin("shop") });
    t.notOk(started.isError, started.text);
    const provisioned = await shop.call("pth_provision_environment", {
      runtime: "docker",
      dependencyPlugins: [{ source: shop.plugin("stock"), command: ["node", "server.mjs", "{port}"] }],
    });
    t.notOk(provisioned.isError, provisioned.text);
    const early = (await shop.call("pth_snapshot_environment", { tag: "early" })).data["snapshot"];
    const loaded = await shop.call("pth_load_plugin");
    t.notOk(loaded.isError, loaded.text);
    t.equal(await shop.use("in_stock", { item: "apple" }), "3 in stock");
    t.equal(await shop.use("ask_server", { item: "apple" }), "3");
    const back = await shop.call("pth_rollback_environment", { snapshot: early });
    t.notOk(back.isError, back.text);
    t.equal(await shop.use("ask_server", { item: "apple" }), "3");
    const { environmentId } = provisioned.data["environment"] as { environmentId: string };
    const ended = await shop.call("pth_end_session");
    t.notOk(ended.isError, ended.text);
    t.strictSame(await shop.copies(), []);
    const left = await runCommand(["docker", "ps", "-aq", "--filter", `name=pth-${environmentId}`]);
    t.equal(left.stdout, "");
  },
);
