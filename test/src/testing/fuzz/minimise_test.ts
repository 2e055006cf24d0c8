import t from "tap";
import { minimise } from "../../../../src/testing/fuzz/minimise.ts";
import { isSimpler, simplerInputs } from "../../../../src/testing/fuzz/simpler_inputs.ts";
import { shortenList } from "../../../../src/testing/fuzz/shorten_list.ts";

type Input = Record<string, unknown>;

const noLimit = { mostTries: 5_000, isOver: () => false };

const smallest = async (
  first: Input,
  shows: (input: Input) => boolean,
  allowed?: (input: Input) => boolean,
) =>
  (await minimise(first, {
    ...noLimit,
    shows: (input) => Promise.resolve(shows(input)),
    ...(allowed === undefined ? {} : { allowed }),
  })).input;

t.test("what any input shows is shown by the empty one", async (t) => {
  t.same(await smallest({ text: "a\u0000b", more: [1, { deep: "x" }] }, () => true), {});
});

t.test("one part that is needed remains, in its simplest form", async (t) => {
  const first = { text: 'say "hello" twice\u0000', count: -4321, flag: true, list: [1, 2, { id: "x" }] };
  t.same(await smallest(first, ({ text }) => String(text).includes('"')), { text: '"' });
  t.same(await smallest(first, ({ count }) => Number(count) < 0), { count: -1 });
  t.same(await smallest(first, ({ flag }) => flag === true), { flag: true });
  t.same(await smallest(first, ({ list }) => Array.isArray(list) && list.length > 0), { list: [null] });
  t.same(await smallest(first, ({ text }) => typeof text === "string" && text.length >= 3), { text: "aaa" });
  t.same(await smallest({ n: 100_000 }, ({ n }) => Number(n) > 777), { n: 778 });
  t.same(await smallest({ name: "日本語の" }, ({ name }) => /[^ -~]/.test(String(name ?? ""))), {
    name: "é",
  });
});

t.test("parts that are needed together remain together", async (t) => {
  const first = { a: "xyz", b: [3, 1, 2], c: { d: "q", e: 7 }, f: null };
  const shows = ({ a, c }: Input) => String(a).endsWith("z") && (c as Input | null)?.e === 7;
  t.same(await smallest(first, shows), { a: "z", c: { e: 7 } });
});

t.test("only what is allowed is tried", async (t) => {
  const tried: Input[] = [];
  const isText = ({ text }: Input) => typeof text === "string" && text.length >= 2;
  const shows = (input: Input) => tried.push(input) > 0;
  t.same(await smallest({ text: "\u0000\u0001\u0002" }, shows, isText), { text: "aa" });
  t.ok(tried.length > 0 && tried.every(isText));
});

t.test("of the smallest input nothing simpler shows it", async (t) => {
  const first = { path: "../a b/ü", depth: 12, options: { all: true, names: ["one", "two"] } };
  const shows = (input: Input) => {
    const text = JSON.stringify(input);
    return text.includes("..") && (text.match(/[0-9]/g) ?? []).length >= 1 && text.includes("names");
  };
  const found = await smallest(first, shows);
  t.ok(shows(found));
  t.same([...simplerInputs(found)].filter(shows), []);
});

t.test("the last pass tries everything again, on a server of its own", async (t) => {
  let hidden = true;
  const { input } = await minimise({ text: "abc" }, {
    ...noLimit,
    // A server in a bad state hides that the empty input shows it, too.
    shows: ({ text }) => Promise.resolve(text === "a" || (!hidden && text === undefined)),
    renew: () => Promise.resolve(void (hidden = false)),
  });
  t.same(input, {});
});

t.test("a bound that ends it early is told", async (t) => {
  const shows = ({ text }: Input) => Promise.resolve(String(text).length > 40);
  const few = await minimise({ text: "x".repeat(60) }, { ...noLimit, shows, mostTries: 7 });
  t.equal(few.bound, "stopped after 7 tries");
  let tries = 0;
  const short = await minimise({ text: "x".repeat(60) }, { ...noLimit, shows, isOver: () => ++tries > 3 });
  t.equal(short.bound, "stopped by time after 3 tries");
  t.equal(
    (await minimise({ text: "x" }, { ...noLimit, shows: () => Promise.resolve(false) })).bound,
    undefined,
  );
});

t.test("simpler values have an order without circles", (t) => {
  const ordered = [
    null,
    false,
    true,
    0,
    "",
    [],
    {},
    1,
    -1,
    10,
    0.5,
    100,
    "a",
    "b",
    "0",
    " ",
    "é",
    "\u0000",
    "aa",
    [0],
    [1],
  ];
  for (const [index, one] of ordered.entries()) {
    for (const other of ordered.slice(index + 1)) {
      t.ok(
        isSimpler({ v: one }, { v: other }) && !isSimpler({ v: other }, { v: one }),
        JSON.stringify([one, other]),
      );
    }
  }
  t.end();
});

t.test("a list is shortened to what is needed, wherever it stands", async (t) => {
  const items = Array.from({ length: 100 }, (_, index) => index);
  const needed = async (...wanted: number[]) =>
    (await shortenList(items, {
      ...noLimit,
      shows: (some) => Promise.resolve(wanted.every((item) => some.includes(item))),
    })).items;
  t.same(await needed(99), [99]);
  t.same(await needed(3), [3]);
  t.same(await needed(0, 41, 98), [0, 41, 98]);
  const five = await shortenList(items, { ...noLimit, shows: (some) => Promise.resolve(some.length >= 5) });
  t.equal(five.items.length, 5);
  const bounded = await shortenList(items, {
    ...noLimit,
    shows: () => Promise.resolve(false),
    mostTries: 10,
  });
  t.match(bounded, { items, tries: 10, bound: "stopped after 10 tries" });
});
