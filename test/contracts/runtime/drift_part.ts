import { freePort, type Part, readBytes, skipped, text } from "./context.ts";

/**
 * fingerprint and detectDrift. Everything is changed before the environment is looked at again: to look takes long in a
 * machine that is emulated.
 */
export const driftPart: Part = async (t, living) => {
  const { runtime, handle } = living;
  const { isolated, kernel, systemd, sharesNetwork } = runtime.abilities;
  const mayMove = systemd && !sharesNetwork;
  if (isolated) {
    await text(
      t,
      living,
      "echo x >/etc/pth-mode; mkdir -p /opt/pth-dir; cp /bin/sh /opt/pth-sh; ln -s a /etc/pth-link",
    );
  }
  const baseline = await runtime.fingerprint(handle);

  await t.test("nothing changed means no drift", async (t) => {
    t.ok(Object.keys(baseline.config).length > 5);
    t.ok(baseline.users.includes("root"));
    t.ok(!Number.isNaN(Date.parse(baseline.takenAt)));
    const drift = await runtime.detectDrift(handle, baseline);
    t.same(drift.changes, []);
    t.equal(drift.drifted, false);
  });
  if (!isolated) {
    await t.test("changes are drift", (t) => {
      skipped(t, "this runtime would change the host's own files");
      t.end();
    });
    return;
  }

  const port = await freePort();
  const script = `require("net").createServer().listen(${port}, () => console.log("up"))`;
  const child = await runtime.spawn(handle, ["node", "-e", script]);
  await readBytes(child.stdout, 2);
  await text(t, living, "echo x >/etc/pth-drift.conf; echo drifter:x:4321:4321::/:/bin/sh >>/etc/passwd");
  const capable = "command -v setcap >/dev/null && setcap cap_net_raw+ep /opt/pth-cap && echo set";
  const set = await text(
    t,
    living,
    "chmod 600 /etc/pth-mode; chown 7:8 /opt/pth-dir; chmod 4755 /opt/pth-sh; ln -sfn b /etc/pth-link; " +
      `cp /bin/ls /opt/pth-cap; ${capable} || true`,
  );
  if (mayMove) await text(t, living, "ip addr add 10.99.0.1/32 dev lo; hostname drifted");
  if (kernel) await text(t, living, "nft add table inet pth_drift; modprobe dummy");
  const { drifted, changes } = await runtime.detectDrift(handle, baseline);
  const all = JSON.stringify(changes);

  await t.test("a file in /etc, a user and a listening port are drift", (t) => {
    const has = (group: string, change: string, name: RegExp) =>
      changes.some((c) => c.group === group && c.change === change && name.test(c.name));
    t.equal(drifted, true);
    t.ok(has("config", "added", /^\/etc\/pth-drift\.conf$/), all);
    t.ok(has("config", "changed", /^\/etc\/passwd$/));
    t.ok(has("user", "added", /^drifter$/));
    t.ok(has("port", "added", new RegExp(`\\b${port}\\b`)), all);
    t.end();
  });

  await t.test("modes, owners, setuid bits, links and capabilities are drift", (t) => {
    const told = changes.map(({ group, name, detail }) => `${group} ${name} ${detail}`).join("\n");
    t.match(told, /^mode \/etc\/pth-mode 644 0:0 → 600 0:0$/m);
    t.match(told, /^mode \/opt\/pth-dir 755 0:0 → 755 7:8$/m);
    t.match(told, /^mode \/opt\/pth-sh 755 0:0 → 4755 0:0 \(setuid\)$/m);
    t.match(told, /^link \/etc\/pth-link a → b$/m);
    if (set === "set") t.match(told, /^capability \/opt\/pth-cap cap_net_raw.ep$/m);
    t.end();
  });

  await t.test("an address and a host name are drift, where they may be changed", (t) => {
    if (!mayMove) skipped(t, "it may not change them");
    else {
      const told = changes.map(({ group, change, name }) => `${group} ${change} ${name}`);
      t.ok(told.includes("address added 10.99.0.1"), told.join("\n"));
      t.ok(told.includes("hostname changed drifted"), told.join("\n"));
    }
    t.end();
  });

  await t.test("rules of the packet filter and kernel modules are drift on a kernel of its own", (t) => {
    if (!kernel) skipped(t, "the kernel is the host's");
    else {
      t.match(changes.find(({ group }) => group === "firewall")?.diff, /\+table inet pth_drift/);
      t.ok(changes.some(({ group, name }) => group === "module" && name === "dummy"), all);
    }
    t.end();
  });

  await child.kill("SIGKILL");
  await child.exited;
  await text(t, living, "rm /etc/pth-drift.conf; sed -i /^drifter:/d /etc/passwd");
  await text(t, living, "rm -rf /etc/pth-mode /opt/pth-dir /opt/pth-sh /opt/pth-cap /etc/pth-link");
  if (mayMove) await text(t, living, `ip addr del 10.99.0.1/32 dev lo; hostname ${baseline.hostname}`);
  if (kernel) await text(t, living, "nft delete table inet pth_drift; modprobe -r dummy");
};
