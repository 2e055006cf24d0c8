import t from "tap";
import { chooseNetwork } from "../../../../src/runtimes/docker/container_network.ts";
import { snapshotImage } from "../../../../src/runtimes/docker/snapshots.ts";

t.test("a snapshot's tag becomes what an engine allows", (t) => {
  t.equal(snapshotImage("Abc-1", "green"), "pth-snapshot-abc-1:green");
  t.equal(snapshotImage("a", "gate 1: green!"), "pth-snapshot-a:gate-1-green-");
  t.equal(snapshotImage("a", "..hidden"), "pth-snapshot-a:hidden");
  t.equal(snapshotImage("a", "x".repeat(300)).length, "pth-snapshot-a:".length + 128);
  t.throws(() => snapshotImage("a", " ! "), { code: "SNAPSHOT_FAILED" });
  t.end();
});

t.test("a container gets the bridge unless something it needs listens on the host's loopback", (t) => {
  t.equal(chooseNetwork({}).mode, "bridge");
  t.equal(chooseNetwork({ https_proxy: "http://localhost:1" }, "none").mode, "none", "what was asked for");
  t.equal(chooseNetwork({}, "host").mode, "host");
  t.equal(chooseNetwork({ HTTPS_PROXY: "http://proxy:3128", NO_PROXY: "localhost" }).mode, "bridge");
  for (
    const address of [
      "http://127.0.0.1:3128",
      "localhost:8080",
      "http://user:pw@localhost:1",
      "http://[::1]:1",
    ]
  ) {
    t.equal(chooseNetwork({ https_proxy: address }).mode, "host", address);
  }
  const chosen = chooseNetwork({ npm_config_registry: "http://localhost:4873/" });
  t.equal(chosen.mode, "host");
  t.match(chosen.reason, /npm_config_registry/);
  t.end();
});
