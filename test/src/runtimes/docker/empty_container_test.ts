import t from "tap";
import { emptyContainer } from "../../../../src/runtimes/docker/empty_container.ts";
import type { Engine } from "../../../../src/runtimes/docker/engine.ts";

/** An engine that refuses every command, and notes it. */
function refusingEngine() {
  const commands: string[][] = [];
  const exec = ({ Cmd }: { Cmd: string[] }) => {
    commands.push(Cmd.slice(-5));
    return Promise.reject(Object.assign(new Error("container is paused"), { statusCode: 409 }));
  };
  const inspect = () => Promise.reject(Object.assign(new Error("no such container"), { statusCode: 404 }));
  return { commands, engine: { getContainer: () => ({ exec, inspect }) } as unknown as Engine };
}

t.test("what cannot be removed from inside is left to the engine", async (t) => {
  const { commands, engine } = refusingEngine();
  await emptyContainer({ engine, containerId: "c1", sourcePath: "/work/plugin" });
  t.same(commands[0], ["rm", "-rf", "--", "/work/plugin", "/work"]);
});

t.test("nothing is removed from inside where disks of the host may be mounted", async (t) => {
  const { commands, engine } = refusingEngine();
  await emptyContainer({ engine, containerId: "c1", sourcePath: "/work/plugin", systemd: true });
  t.same(commands, []);
});
