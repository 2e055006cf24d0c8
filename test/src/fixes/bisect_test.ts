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
  t.match(before, { culprits: [], badBefore: true, untested: [] });
  t.equal(before.tried.length, 101, "each commit might have mended it");
  const cut = await bisectFixes(commits, () => Promise.resolve(false), { base: "base", mostTries: 10 });
  t.match(cut, { culprits: [], badBefore: true });
  t.ok(cut.tried.length <= 10);
  t.equal(cut.untested.length, 101 - cut.tried.length, "nothing is known of the others");
});

t.test("what was bad, was mended and broke again is found as the latest change from good to bad", async (t) => {
  const good = [20, 21, 22, 60, 61];
  const judge = (commit: string) => Promise.resolve(commit !== "base" && good.includes(number(commit)));
  const found = await bisectFixes(commits, judge, { base: "base" });
  t.match(found, { culprits: ["c62"], lastGood: "c61", badBefore: true, untested: [] });
  const two = await bisectFixes(["c60", "c62"], judge, { base: "base" });
  t.match(two, { culprits: ["c62"], lastGood: "c60", badBefore: true, untested: [] });
});

t.test("over random histories a culprit is bad, stands right behind a good one, and nothing untested is claimed", async (t) => {
  let seed = 7;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  for (let round = 0; round < 500; round++) {
    const length = 1 + Math.floor(random() * 30);
    const ids = Array.from({ length }, (_, index) => `c${index}`);
    const truth = new Map(["base", ...ids].map((id) => [id, random() < 0.2 ? undefined : random() < 0.5]));
    const mostTries = random() < 0.5 ? 20 : 6;
    const judge = (id: string) => Promise.resolve(truth.get(id));
    const found = await bisectFixes(ids, judge, { base: "base", mostTries });
    const told = JSON.stringify({ truth: [...truth], found });
    t.ok(found.tried.length <= Math.max(2, mostTries), told);
    t.equal(
      new Set(found.tried.map(({ commit }) => commit)).size,
      found.tried.length,
      "nothing is tried twice",
    );
    const { culprits, lastGood, untested, tried } = found;
    const judged = new Set(tried.filter(({ good }) => good !== undefined).map(({ commit }) => commit));
    if (culprits.length > 0) {
      t.equal(truth.get(lastGood!), true, told);
      t.equal(["base", ...ids].indexOf(lastGood!) + 1, ["base", ...ids].indexOf(culprits[0]!), told);
      t.ok(culprits.every((id, index) => index === culprits.length - 1 || !judged.has(id)), told);
      t.not(truth.get(culprits.at(-1)!), true, told);
    } else if (truth.get(ids.at(-1)!) !== true) {
      const open = ids.filter((id) => !judged.has(id));
      t.same(untested, open, told);
      t.ok(["base", ...ids].every((id) => truth.get(id) !== true || open.includes(id)), told);
    }
    // From the newest back each was seen where the base is not good and the tries reach: then it is the latest change.
    if (culprits.length === 1 && truth.get("base") !== true && length + 1 <= mostTries) {
      const later = ids.slice(ids.indexOf(culprits[0]!));
      t.ok(later.every((id) => truth.get(id) !== true), told);
    }
  }
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
