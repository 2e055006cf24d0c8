import t from "tap";
import type { Bisection, FixRecord } from "../../../../machines/model/fix.ts";
import getHistory from "../../../../src/tools/diagnosis_and_fixes/get_fix_history.ts";
import { toolContext } from "../tool_context.ts";
import { scriptedHarness } from "../../server/scripted_harness.ts";

const fix = (commit: string, title: string): FixRecord => ({
  commit: commit.repeat(40),
  title,
  body: "",
  type: "fix",
  tests: ["adds"],
  files: ["a.ts"],
  at: "2026-01-01T00:00:00Z",
});

const found: Bisection = {
  test: "adds",
  culprits: [],
  tried: [],
  passesNow: false,
  brokenBefore: false,
  untested: [],
};

async function answer(bisection: Bisection, input: Record<string, unknown> = {}) {
  const asked: unknown[] = [];
  const harness = scriptedHarness({
    commands: {
      fixes: {
        bisect: (request) => {
          asked.push(request);
          return Promise.resolve(bisection);
        },
      },
    },
  });
  const { text, data } = await getHistory.run({ brokeTest: "adds", ...input }, toolContext(harness));
  return { text, data, asked };
}

t.test("the commit that broke a test comes with the call that takes it back", async (t) => {
  const tried = [
    { commit: "b".repeat(40), title: "two", passed: false, says: "failed: adds: 6" },
    { commit: "a".repeat(40), title: "one", says: "adds could not run: Cannot build plugin" },
  ];
  const { text, data, asked } = await answer({ ...found, culprits: [fix("b", "two")], tried });
  t.strictSame(asked, [{ test: "adds" }]);
  t.match(text, /^adds fails since this commit:\n.*bbbbbbbbbb/);
  t.match(text, "- ✗ bbbbbbbbbb two (failed: adds: 6)");
  t.match(text, "- ? aaaaaaaaaa one (adds could not run: Cannot build plugin)");
  t.match(text, 'pth_revert_fix({ commit: "bbbbbbbbbb", reload: true })');
  t.match(data, { culprits: [{ title: "two" }] });
});

t.test("where nothing is to blame, or several, it says so", async (t) => {
  t.match((await answer({ ...found, passesNow: true })).text, /passes with the newest commit/);
  t.match((await answer({ ...found, brokenBefore: true })).text, /failed before the first fix/);
  t.match(
    (await answer({ ...found, culprits: [fix("a", "one"), fix("b", "two")] })).text,
    /one of these commits; those between were not judged/,
  );
});

t.test("what was mended and broken again says so, and what was not tested is told", async (t) => {
  const [base, one, two] = ["0", "a", "b"].map((letter) => ({
    commit: letter.repeat(40),
    title: `state ${letter}`,
  }));
  const mended = { ...found, brokenBefore: true, culprits: [fix("b", "two")], lastGood: one!, untested: [] };
  const { text } = await answer(mended);
  t.match(
    text,
    /^adds failed before the first fix and passed with aaaaaaaaaa state a: it was broken again\./,
  );
  t.match(text, /adds fails since this commit:\n.*bbbbbbbbbb/);
  const gap = await answer({ ...mended, untested: [two!, { commit: "c".repeat(40), title: "three" }] });
  t.match(gap.text, "Not tested with the later cccccccccc");
  const tried = [{ ...base!, passed: false, says: "failed" }, { ...two!, passed: false, says: "failed" }];
  const all = (await answer({ ...found, brokenBefore: true, tried })).text;
  t.match(all, /fails with every commit since: no fix broke it/);
  const some = (await answer({ ...found, brokenBefore: true, tried, untested: [one!] })).text;
  t.match(some, /with each of the 1 commit since that could be judged; with 1 more .* is not known/);
  t.notMatch(some, "no fix broke it");
});

t.test("other filters beside it are refused", async (t) => {
  await t.rejects(answer(found, { category: "timeout" }), { code: "INVALID_INPUT" });
});
