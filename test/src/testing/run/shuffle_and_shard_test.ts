import t from "tap";
import fc from "fast-check";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import { checkArrangement, shuffleAndShard } from "../../../../src/testing/run/shuffle_and_shard.ts";
import { testOf } from "../observed.ts";

/** Checks, tests by hand and generated ones, as they are planned. */
const suite = (checks: number, byHand: number, generated: number): TestCase[] => [
  ...Array.from({ length: checks }, (_, at) => testOf({ id: `check-${at}`, check: "tools_list" })),
  ...Array.from({ length: byHand }, (_, at) => testOf({ id: `hand-${at}` })),
  ...Array.from({ length: generated }, (_, at) => testOf({ id: `made-${at}`, tags: ["generated"] })),
];
const ids = (tests: readonly TestCase[]) => tests.map(({ id }) => id);
const sizes = fc.tuple(fc.nat(4), fc.nat(30), fc.nat(30));

t.test("all parts together are the suite, each test is in one, and none is larger by more than one", (t) => {
  fc.assert(fc.property(sizes, fc.integer({ min: 1, max: 9 }), fc.nat(), (size, of, seed) => {
    const tests = suite(...size);
    const parts = Array.from(
      { length: of },
      (_, at) => shuffleAndShard(tests, { shuffle: seed % 2 === 0, seed, shard: { index: at + 1, of } }),
    );
    const lengths = parts.map(({ length }) => length);
    return JSON.stringify(ids(parts.flat()).sort()) === JSON.stringify(ids(tests).sort()) &&
      Math.max(...lengths) - Math.min(...lengths) <= 1;
  }));
  t.pass("for suites of all kinds");
  t.end();
});

t.test("an order comes again with its seed; checks stay first and tests by hand before generated ones", (t) => {
  fc.assert(fc.property(sizes, fc.nat(), (size, seed) => {
    const tests = suite(...size);
    const drawn = ids(shuffleAndShard(tests, { shuffle: true, seed }));
    const kinds = drawn.map((id) => id.split("-")[0]!);
    return JSON.stringify(drawn) === JSON.stringify(ids(shuffleAndShard(tests, { shuffle: true, seed }))) &&
      JSON.stringify([...drawn].sort()) === JSON.stringify(ids(tests).sort()) &&
      JSON.stringify(kinds) === JSON.stringify(ids(tests).map((id) => id.split("-")[0]!));
  }));
  const tests = suite(0, 12, 0);
  t.same(
    ids(shuffleAndShard(tests, { shuffle: true, seed: 7 })),
    [7, 10, 3, 5, 1, 8, 2, 4, 6, 9, 11, 0].map((at) => `hand-${at}`),
    "on every machine",
  );
  const orders = new Set(
    Array.from({ length: 50 }, (_, seed) => ids(shuffleAndShard(tests, { shuffle: true, seed })).join()),
  );
  t.equal(orders.size, 50, "seeds draw different orders");
  t.end();
});

t.test("without a seed to share, a part out of range or an unshared choice is refused", (t) => {
  const cases: [Parameters<typeof checkArrangement>[0], RegExp][] = [
    [{ shard: { index: 3, of: 2 } }, /no part 3 of 2/],
    [{ shard: { index: 0, of: 2 } }, /no part 0 of 2/],
    [{ shard: { index: 1, of: 2 }, shuffle: true }, /order of its own/],
    [{ shard: { index: 1, of: 2 }, lastFailed: true }, /known to each machine by itself/],
  ];
  for (const [options, message] of cases) {
    t.throws(() => checkArrangement(options), { code: "INVALID_INPUT", message });
  }
  t.doesNotThrow(() => checkArrangement({ shard: { index: 2, of: 2 }, shuffle: true, seed: 0 }));
  t.end();
});
