import t from "tap";
import { bisectFixes } from "../../../src/fixes/bisect.ts";

const commits = Array.from({ length: 100 }, (_, index) => `c${index}`);
const number = (commit: string) => Number(commit.slice(1));

t.test("the commit that broke it is found in a few tries, wherever it is", async (t) => {
  for (const culprit of [0, 1, 42, 98, 99]) {
    const { culprits, tried } = await bisectFixes(
      commits,
      (commit) => Promise.resolve(number(commit) < culprit),
    );
    t.strictSame(culprits, [`c${culprit}`]);
    t.ok(tried.length <= 8, `${tried.length} tries`);
  }
});

t.test("what is good at the end, or was bad before, has no culprit", async (t) => {
  t.match(await bisectFixes(commits, () => Promise.resolve(true)), { culprits: [], badBefore: false });
  t.match(await bisectFixes([], () => Promise.resolve(false)), { culprits: [], tried: [] });
  const before = await bisectFixes(commits, () => Promise.resolve(false), { base: "base" });
  t.match(before, { culprits: [], badBefore: true });
  t.strictSame(before.tried.map(({ commit }) => commit), ["c99", "base"]);
});

t.test("commits that cannot be judged are gone around, and named where they hide the culprit", async (t) => {
  const judge = (bad: number, unknown: number[]) => (commit: string) =>
    Promise.resolve(unknown.includes(number(commit)) ? undefined : number(commit) < bad);
  t.strictSame((await bisectFixes(commits, judge(70, [49, 74]))).culprits, ["c70"]);
  t.strictSame((await bisectFixes(commits, judge(70, [68, 69]))).culprits, ["c68", "c69", "c70"]);
});

t.test("an abort ends the search", async (t) => {
  const stop = new AbortController();
  const found = bisectFixes(commits, () => {
    stop.abort();
    return Promise.resolve(false);
  }, { signal: stop.signal });
  await t.rejects(found, { name: "AbortError" });
});

t.test("a search with a bound names those that are still suspect", async (t) => {
  const found = await bisectFixes(commits, (commit) => Promise.resolve(number(commit) < 70), {
    mostTries: 3,
  });
  t.equal(found.tried.length, 3);
  t.ok(found.culprits.includes("c70"));
  t.ok(found.culprits.length > 1 && found.culprits.length < 50, `${found.culprits.length} suspects`);
});
