import t from "tap";
import { systemdHost } from "../../../../src/runtimes/systemd/systemd_host.ts";
import { missingCapabilities } from "../../../../src/runtimes/systemd/wait_for_boot.ts";

t.test("capabilities that were not granted are named", (t) => {
  t.same(missingCapabilities("000001ffffffffff", 40), []);
  t.same(missingCapabilities("000001fffeffffff", 40), ["CAP_SYS_RESOURCE"]);
  t.same(missingCapabilities("0000003ffeffffff", 40), [
    "CAP_SYS_RESOURCE",
    "CAP_PERFMON",
    "CAP_BPF",
    "CAP_CHECKPOINT_RESTORE",
  ]);
  t.same(
    missingCapabilities("000001ffffffffff", 41),
    ["CAP_41"],
    "one that this list does not know has its number",
  );
  t.end();
});

t.test("a machine never gets the host's cgroups, whatever the engine grants", (t) => {
  for (const privileged of [true, false]) {
    for (const allCapabilities of [true, false]) {
      const host = systemdHost({ privileged, allCapabilities });
      t.equal(host?.CgroupnsMode, "private");
      t.notMatch(JSON.stringify(host), /\/sys\/fs\/cgroup/);
    }
  }
  t.end();
});

t.test("without full privileges all capabilities are asked for that engines in containers have, then the least", (t) => {
  t.match(systemdHost({ privileged: true, allCapabilities: true }), { Privileged: true });
  const most = systemdHost({ privileged: false, allCapabilities: true });
  t.match(most, { CapAdd: ["ALL"], CapDrop: ["SYS_RESOURCE"] });
  t.equal(most.Privileged, undefined);
  const least = systemdHost({ privileged: false, allCapabilities: false });
  t.ok(least.CapAdd.includes("SYS_ADMIN"));
  t.notOk(least.CapAdd.includes("ALL"));
  t.end();
});
