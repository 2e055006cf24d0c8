import t from "tap";
import { ConnectionTable } from "../../../../src/actors/stores/connection_table.ts";

t.test("a connection that is closed is refused by its id", (t) => {
  const table = new ConnectionTable();
  t.throws(() => table.require("c1"), { code: "SERVER_LOST", message: /c1 is closed/ });
  t.end();
});

t.test("checks and relays get a number each of their own", (t) => {
  const table = new ConnectionTable();
  t.same([table.nextCheck(), table.nextCheck(), table.nextRelay(), table.nextRelay()], [
    0,
    1,
    "relay-1",
    "relay-2",
  ]);
  t.end();
});
