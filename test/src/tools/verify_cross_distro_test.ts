import t from "tap";
import type { MatrixOutcome } from "../../../machines/model/matrix.ts";
import verify from "../../../src/tools/iteration/verify_cross_distro.ts";
import { toolContext } from "./tool_context.ts";
import { scriptedHarness } from "../server/scripted_harness.ts";

const summary = (failed: number) => ({
  total: 2,
  passed: 2 - failed,
  failed,
  skipped: 0,
  flaky: 0,
  durationMs: 5,
});
const entry = (name: string, failed: number) => ({
  name,
  distro: name,
  state: failed > 0 ? "failed" as const : "passed" as const,
  summary: summary(failed),
  durationMs: 1200,
});
const matrix = {
  entries: [entry("debian12", 0), entry("debian13", 1)],
  differences: [{
    id: "hash",
    name: "hash_password - as it is kept",
    statuses: { debian12: "passed" as const, debian13: "failed" as const },
    failsOn: ["debian13"],
    everywhere: false,
    cause: { message: "Module crypt is missing", place: "server.py:22" },
  }],
};

/** A context whose session answers the request and keeps what it was asked. */
async function context(outcome: Partial<MatrixOutcome>) {
  const asked: unknown[] = [];
  const harness = scriptedHarness({
    commands: {
      loop: {
        runMatrix: (request) => {
          asked.push(request);
          return Promise.resolve({ state: "complete", matrix, fixes: [], ...outcome });
        },
      },
    },
  });
  await harness.startSession({ target: "/p" });
  return { asked, ...toolContext(harness), harness };
}

const input = (given: object) => verify.input.parse(given);

t.test("images begin a verification, with a fixer's limits only where there is one", async (t) => {
  const ctx = await context({});
  await verify.run(input({ images: ["debian13"], timeoutSeconds: 3 }), ctx);
  await verify.run(input({ images: ["debian13"], primary: "debian12", fixer: "mend", force: true }), ctx);
  t.same(ctx.asked, [
    { images: ["debian13"], run: { suite: { timeoutSeconds: 3 } } },
    { images: ["debian13"], primary: "debian12", force: true, run: { fixer: "mend", maxIterations: 10 } },
  ]);
});

t.test("fixes and skip are answers to the one that awaits them", async (t) => {
  const ctx = await context({});
  const fix = { tests: ["hash"], title: "t", edits: [{ path: "a", content: "b" }], distro: "debian13" };
  await verify.run(input({ fixes: [fix] }), ctx);
  await verify.run(input({ skip: true }), ctx);
  t.same(ctx.asked, [{ fixes: [fix] }, { skip: true }]);
});

t.test("neither, or several at once, are refused with how to ask", async (t) => {
  const ctx = await context({});
  await t.rejects(verify.run(input({}), ctx), { code: "INVALID_INPUT", message: /no images are named/ });
  await t.rejects(verify.run(input({ images: ["debian13"], skip: true }), ctx), { message: /not several/ });
  t.same(ctx.asked, []);
});

t.test("what belongs to one distribution is said first, then where it stands, then what comes next", async (t) => {
  const ctx = await context({ state: "awaiting_fixes", at: "debian13" });
  const { text, data } = await verify.run(input({ images: ["debian13"] }), ctx);
  t.match(text, /^Distributions: 1 test fails only on debian13\./);
  t.match(text, "| debian13 | – | 2 | 1 | 1 | 0 | 1.2 s |");
  t.match(text, "only on debian13 | Module crypt is missing (server.py:22)");
  t.match(text, "Next: the environment is now debian13. pth_verify_cross_distro({ fixes:");
  t.match(data, { state: "awaiting_fixes", matrix: { differences: [{ id: "hash" }] } });
});

t.test("one that is not complete says whether the primary distribution is to blame", async (t) => {
  const harmed = await context({ state: "failed", primaryVerified: false });
  t.match((await verify.run(input({ images: ["debian13"] }), harmed)).text, "no longer passes");
  const left = await context({ state: "failed", primaryVerified: true });
  t.match((await verify.run(input({ images: ["debian13"] }), left)).text, "Fix what is left");
});

t.test("complete says which distributions were not tested with later fixes", async (t) => {
  const entries = [entry("debian12", 0), { ...entry("debian13", 0), untestedFixes: 1 }];
  const ctx = await context({ matrix: { entries, differences: [] }, primaryVerified: true });
  const { text } = await verify.run(input({ images: ["debian13"] }), ctx);
  t.match(text, "Fixes came after debian13 passed");
  t.match(text, "no test fails on any of them");
});
