import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import t, { type Test } from "tap";
import { warmLimit, WarmPool } from "../../../../src/runtimes/warm_pool/warm_pool.ts";

/** Numbered things, and what became of them. */
function workshop(t: Test) {
  let count = 0;
  const gone: number[] = [];
  const maker = {
    make: () => Promise.resolve(++count),
    discard: (thing: number) => Promise.resolve(void gone.push(thing)),
  };
  const pool = (limit: number, keptForMs = 60_000) => {
    const pool = new WarmPool<number>({ limit: () => limit, keptForMs });
    t.teardown(() => pool.drop());
    return pool;
  };
  return { maker, gone, pool };
}

t.test("what was made ahead is claimed once", async (t) => {
  const { maker, pool } = workshop(t);
  const warm = pool(2);
  warm.prepare("a", maker);
  t.equal(await warm.claim("b"), undefined, "another key fits nothing");
  t.equal(await warm.claim("a"), 1);
  t.equal(await warm.claim("a"), undefined);
});

t.test("one that is still under way is waited for", async (t) => {
  const { maker, pool } = workshop(t);
  const warm = pool(1);
  let finish = (_thing: number) => {};
  warm.prepare("a", { ...maker, make: () => new Promise<number>((resolve) => finish = resolve) });
  const claimed = warm.claim("a");
  finish(7);
  t.equal(await claimed, 7);
});

t.test("there are never more than the limit: the oldest goes", async (t) => {
  const { maker, gone, pool } = workshop(t);
  const warm = pool(2);
  for (const key of ["a", "b", "c"]) warm.prepare(key, maker);
  t.same(warm.keys, ["b", "c"]);
  await warm.drop((key) => key === "b");
  t.same(gone, [1, 2]);
  t.same(warm.keys, ["c"]);
});

t.test("a limit of none makes nothing", async (t) => {
  const { maker, pool } = workshop(t);
  const warm = pool(0);
  warm.prepare("a", maker);
  t.same(warm.keys, []);
  t.equal(await warm.claim("a"), undefined);
});

t.test("a second one of a key takes the place of the first", async (t) => {
  const { maker, gone, pool } = workshop(t);
  const warm = pool(2);
  warm.prepare("a", maker);
  warm.prepare("a", maker);
  t.equal(await warm.claim("a"), 2);
  await warm.drop();
  t.same(gone, [1]);
});

t.test("what nobody wants is given up after a while", async (t) => {
  const { maker, gone, pool } = workshop(t);
  const warm = pool(1, 20);
  warm.prepare("a", maker);
  await wait(100);
  t.same([warm.keys, gone], [[], [1]]);
});

t.test("what cannot be made, or not be removed, hurts nobody", async (t) => {
  const { maker, pool } = workshop(t);
  const warm = pool(2);
  const fail = () => Promise.reject(new Error("no room"));
  warm.prepare("a", { ...maker, make: fail });
  t.equal(await warm.claim("a"), undefined);
  warm.prepare("b", { ...maker, discard: fail });
  await warm.drop();
  t.same(warm.keys, []);
});

t.test("drop waits for what is on its way out already, and for what is still being made", async (t) => {
  const { maker, gone, pool } = workshop(t);
  const warm = pool(1);
  const slow = { ...maker, make: () => wait(50).then(() => 9) };
  warm.prepare("a", slow);
  warm.prepare("b", maker);
  await warm.drop();
  t.same(gone.sort(), [1, 9]);
});

t.test("PTH_WARM says how many; nonsense means the default", (t) => {
  const before = process.env.PTH_WARM;
  t.teardown(() => before === undefined ? delete process.env.PTH_WARM : process.env.PTH_WARM = before);
  const found = ["0", "3", "", "-1", "many"].map((value) => {
    process.env.PTH_WARM = value;
    return warmLimit();
  });
  t.same(found, [0, 3, 1, 1, 1]);
  t.end();
});
