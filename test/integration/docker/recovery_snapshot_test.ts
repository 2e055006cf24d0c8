// test: timeout=120
/** Commands that begin while a snapshot freezes their container: seen to lock it up for ever with engine 20.10. */
import t from "tap";
import docker from "../../../src/runtimes/docker.ts";

const readiness = await docker.probe();

t.test("commands and snapshots side by side do not lock a container up", {
  timeout: 100_000,
  skip: !readiness.ready && readiness.reason,
}, async (t) => {
  const runtime = docker.create();
  const id = crypto.randomUUID().slice(0, 8);
  const handle = await runtime.provision({
    environmentId: `${id}-e1`,
    sessionId: id,
    tier: 1,
    env: {},
    resources: {},
  });
  t.teardown(() => runtime.destroy(handle));
  let over = false;
  let ran = 0;
  const runCommands = async () => {
    for (; !over; ran++) {
      const { code } = await runtime.exec(handle, ["true"], { cwd: "/" });
      if (code !== 0) throw new Error(`true exited with ${code}`);
    }
  };
  const commands = Promise.all([runCommands(), runCommands()]);
  for (const tag of ["one", "two", "three", "four"]) {
    t.match(await runtime.snapshot(handle, tag), new RegExp(`:${tag}$`));
  }
  over = true;
  await commands;
  t.ok(ran > 2, `${ran} commands ran meanwhile`);
});
