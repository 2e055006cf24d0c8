import t from "tap";
import { createActor } from "xstate";
import { connectionMachine } from "../../machines/connection_machine.ts";
import { poolMachine } from "../../machines/pool_machine.ts";
import { leaseFaults, plan } from "./walks/fakes.ts";
import { listener } from "./walks/server_lives.ts";
import { World } from "./walks/world.ts";

t.test("a test that runs again gives its server back while the one it lost is still being closed", (t) => {
  const world = new World(1);
  world.calm = true;
  const connection = connectionMachine.provide({
    actors: {
      open: world.slot("open", () => ({ server: {}, pid: 1, tools: [] })),
      watch: world.slot("watch", () => ({ message: "it ended" })),
      close: world.slot("close"),
    },
  });
  const heard: string[] = [];
  const holder = listener(world, ({ type }) => void heard.push(type));
  const input = { plan: plan as never, size: 1 };
  const pool = createActor(poolMachine.provide({ actors: { connection } }), { clock: world.clock, input })
    .start();
  world.settle("open");
  pool.send({ type: "lease.requested", leaseId: "t", holder });
  world.settle("watch");
  pool.send({ type: "lease.released", leaseId: "t", restart: true });
  pool.send({ type: "lease.requested", leaseId: "t", holder });
  world.settle("open");
  t.same(heard, ["lease.granted", "connection.lost", "lease.granted"]);
  pool.send({ type: "lease.released", leaseId: "t" });
  t.same(leaseFaults(pool), []);
  pool.send({ type: "lease.requested", leaseId: "u", holder });
  t.equal(heard.at(-1), "lease.granted", "the next test gets it");
  t.equal(heard.length, 4);
  pool.stop();
  t.end();
});
