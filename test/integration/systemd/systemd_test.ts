// test: timeout=240
import t from "tap";
import type { PthError } from "../../../src/core/errors.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { machine, needsSystemd } from "./systemd_subject.ts";

t.setTimeout(240_000);

/** Groups of the machine's services that lie in the host's tree, and not among those of containers. */
async function strayGroups(): Promise<string[]> {
  // Others make groups, and theirs vanish, meanwhile: only names count that nothing else has.
  const { stdout } = await runCommand(["find", "/sys/fs/cgroup", "-type", "d", "-name", "nap.service"]);
  return stdout.split("\n").filter((path) => path !== "" && !/\b(docker|libpod)\b/.test(path));
}

const unit = (text: string) => `printf '%s\n' '${text.split("\n").join("' '")}'`;

t.test("a machine with systemd", needsSystemd, async (t) => {
  const { runtime, handle, sh } = await machine(t);

  await t.test("is up, and tells what the engine did not grant", async (t) => {
    t.equal(await sh("systemctl is-system-running"), "running");
    t.equal(await sh("cat /proc/1/comm"), "systemd");
    const { notes = [] } = await runtime.inspect(handle);
    const missing = await sh("grep CapBnd /proc/1/status | cut -f2");
    if (/^0*1?f*$/.test(missing)) t.same(notes, []);
    else t.match(notes[0], /^The engine did not grant CAP_/);
    t.match(runtime.abilities.advisory, /privileged/);
  });

  await t.test("starts, shows and stops a service", async (t) => {
    await sh(
      `${unit("[Service]\nExecStart=/bin/sleep 1000\n[Install]\nWantedBy=multi-user.target")} ` +
        ">/etc/systemd/system/nap.service; systemctl daemon-reload; systemctl enable --now nap",
    );
    t.equal(await sh("systemctl is-active nap"), "active");
    t.match(await sh("systemctl status nap"), /Active: active \(running\)/);
    await sh("systemctl stop nap");
    t.equal((await runtime.exec(handle, ["systemctl", "is-active", "nap"])).stdout, "inactive\n");
  });

  await t.test("fires a timer", async (t) => {
    await sh(
      `${
        unit("[Service]\nType=oneshot\nExecStart=/bin/touch /root/fired")
      } >/etc/systemd/system/tick.service; ` +
        `${unit("[Timer]\nOnActiveSec=200ms\nAccuracySec=100ms")} >/etc/systemd/system/tick.timer; ` +
        "systemctl daemon-reload; systemctl start tick.timer",
    );
    t.ok(
      await eventually(async () => (await runtime.exec(handle, ["test", "-e", "/root/fired"])).code === 0),
    );
  });

  await t.test("makes a user, runs things as that user, and keeps a journal", async (t) => {
    await sh("useradd --create-home ada");
    t.equal(await sh("runuser -u ada -- id -un"), "ada");
    await sh("logger -t probe 'seen in the journal'");
    const journal = async () =>
      (await runtime.exec(handle, ["journalctl", "-t", "probe", "-o", "cat"])).stdout;
    t.ok(await eventually(async () => (await journal()).includes("seen in the journal")));
    t.match(await runtime.logs(handle, { tail: 20 }), /probe\[\d+\]: seen in the journal/);
  });

  await t.test("goes back to a snapshot: booted again, with the state that was", async (t) => {
    const snapshot = await runtime.snapshot(handle, "with ada");
    await sh("userdel ada; rm /etc/systemd/system/nap.service");
    Object.assign(handle, await runtime.rollback(handle, snapshot));
    t.equal(await sh("systemctl is-system-running"), "running");
    t.match(await sh("id ada"), /ada/);
    t.equal(await sh("systemctl is-active nap"), "active", "an enabled service came up with it");
  });

  await t.test("goes on though a test cut its own network", async (t) => {
    await sh("for link in /sys/class/net/eth*; do ip link set ${link##*/} down; done");
    t.equal(await sh("systemctl is-system-running"), "running");
  });

  await t.test("that comes up degraded says what failed", async (t) => {
    await sh(
      `${unit("[Service]\nType=oneshot\nExecStart=/bin/false\n[Install]\nWantedBy=multi-user.target")} ` +
        ">/etc/systemd/system/broken.service; systemctl enable broken 2>&1",
    );
    Object.assign(handle, await runtime.rollback(handle, await runtime.snapshot(handle, "broken")));
    t.match((await runtime.inspect(handle)).notes, [/^The machine is degraded: .* broken\.service$/]);
    t.same((await runtime.healthCheck(handle)).failedUnits, ["broken.service"]);
  });

  await t.test("writes nothing to the host's cgroups", async (t) => {
    t.equal(await sh("systemctl is-active nap"), "active");
    t.same(await strayGroups(), []);
  });
});

t.test("a machine that ends in mid-test is lost, with how it ended", needsSystemd, async (t) => {
  for (
    const [command, end] of [["systemctl poweroff", /powered off|shut down/], ["reboot", /rebooted/]] as const
  ) {
    const { runtime, handle } = await machine(t);
    const running = runtime.exec(handle, ["sh", "-c", `echo last words | systemd-cat; ${command}; sleep 60`]);
    const error: PthError = await running.then(() => undefined, (cause) => cause);
    t.equal(error?.code, "ENVIRONMENT_LOST", command);
    const later: PthError = await runtime.exec(handle, ["true"]).catch((cause) => cause);
    t.equal(later.code, "ENVIRONMENT_LOST", `${command}: the next command`);
    t.match(later.message, end);
    t.match(later.context.output, /last words/, "the journal's tail is there");
    t.equal((await runtime.inspect(handle)).status, "stopped");
  }
});
