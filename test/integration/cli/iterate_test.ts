// test: timeout=240
/** `pth iterate` as a process, on a plugin that needs no install, with fixers of different character. */
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import t, { type Test } from "tap";
import { pathExists, readDir } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { changesSince, photograph } from "../../support/checkout_photo.ts";
import { fixer, iteratePlace, type Place, rewrite } from "../../support/iterate_place.ts";
import { pth } from "../../support/pth.ts";

t.setTimeout(240_000);

const onHost = ["--env", "host"];
/** Its own four tests alone, where it does not matter which tests there are. */
const ownTests = ({ plugin }: Place) => [...onHost, "--tests", join(plugin, ".pth/tests")];

/** Nothing of a session is left but its branch. */
async function checkLeftovers(t: Pick<Test, "same">, { env, git }: Place): Promise<void> {
  t.same((await git("worktree", "list")).split("\n").length, 1, "no worktree is left");
  const left: string[] = [];
  if (await pathExists(env.PTH_WORKTREE_DIR!)) {
    for await (const { name } of readDir(env.PTH_WORKTREE_DIR!)) left.push(name);
  }
  t.same(left, [], "no folder is left");
}

/** All processes of exactly this command line. */
async function processesWith(text: string): Promise<number[]> {
  const { stdout } = await runCommand(["pgrep", "-fx", text]);
  return stdout.split("\n").filter(Boolean).map(Number);
}

t.test("a good fixer: exit 0, a commit for the cause, and words on how to merge it", async (t) => {
  const place = await iteratePlace(t, "switched_plugin");
  const before = await photograph(place.plugin);
  const { code, stdout, stderr } = await place.iterate(
    fixer("switch_off.mjs", "good"),
    ...onHost,
    "--verify-clean",
  );
  t.equal(code, 0, stdout + stderr);
  t.match(stdout, /Verified in a new environment: \d+ tests passed\./);
  t.match(stdout, /Phase: Testing\nTests: \d+\/\d+ passing.*\nFailing: red says red \(wrong output\)/);
  t.match(stdout, "Phase: Fix Applied\nFile: switches.json");
  t.match(stdout, "MCP server restarted — 4 tools detected (no schema changes)");
  t.match(stdout, "(↑1 from the start)");
  t.match(stdout, "Status: All tests pass");
  t.match(stdout, "Green after 1 fix in 1 iteration.");
  const branch = await place.branch();
  t.match(stdout, `Branch ${branch}: `);
  t.match(stdout, "switches.json (+1 −1)");
  const diff = /git -C '?(.+?)'? diff (\w+\.\.\.\S+)/.exec(stdout)!;
  t.match(await place.git("diff", "--stat", diff[2]!), "switches.json");
  t.equal((await place.commits("fix")).length, 1);
  t.match(await place.git("show", `${branch}:.pth/SESSION-REPORT.md`), "red says red");
  t.same(await changesSince(before, place.plugin), [], "the author's checkout is as it was");
  await checkLeftovers(t, place);
  // deno-lint-ignore no-control-regex -- colours are for terminals
  t.notMatch(stdout, /\u001b/);
});

t.test("each trend is named as what it is; still failing is exit 1", async (t) => {
  for (
    const [character, trend, fixes] of [
      ["useless", "Status: Possible plateau — same test failing for 2 iterations", 2],
      ["fickle", "Status: Oscillating — ", 2],
      ["harmful", "Status: Regressing — 1 test fails that passed before: ", 2],
    ] as const
  ) {
    const place = await iteratePlace(t, "switched_plugin");
    const { code, stdout, stderr } = await place.iterate(
      fixer("switch_off.mjs", character),
      ...ownTests(place),
      "--patience",
      "2",
    );
    t.equal(code, 1, stdout + stderr);
    const last = stdout.slice(stdout.lastIndexOf("── Convergence"));
    t.match(last, trend, character);
    t.match(last, "no progress (--patience)");
    t.equal((await place.commits("fix")).length, fixes, character);
    const status = JSON.parse(await place.git("show", `${await place.branch()}:.pth/session-state.json`));
    t.equal(status.trend, { useless: "plateau", fickle: "oscillating", harmful: "regressing" }[character]);
  }
});

t.test("a fixer that fails is told with its last words; its half work is in no commit", async (t) => {
  const place = await iteratePlace(t, "switched_plugin");
  const { code, stdout } = await place.iterate(
    fixer("switch_off.mjs", "failing"),
    ...ownTests(place),
    "--max-iterations",
    "1",
  );
  t.equal(code, 1);
  t.match(stdout, "Phase: No Fix");
  t.match(stdout, "exited with 3");
  t.match(stdout, "out of credit");
  t.match(stdout, "the limit of iterations is reached (--max-iterations)");
  t.equal(await place.branch(), "", "a session without a fix leaves no branch");
  await checkLeftovers(t, place);
});

t.test("a plugin that does not load is where the loop starts, not an error", async (t) => {
  const place = await iteratePlace(
    t,
    "switched_plugin",
    (plugin) => rewrite(plugin, "server.mjs", (text) => `${text}const half = ;\n`),
  );
  const mend = `if grep -q half server.mjs; then sed -i /half/d server.mjs; else ${
    fixer("switch_off.mjs", "good")
  }; fi`;
  const { code, stdout, stderr } = await place.iterate(mend, ...onHost);
  t.equal(code, 0, stdout + stderr);
  t.match(stdout, "Tests: none ran: the plugin does not load\nError: ");
  t.match(stdout, "Status: Improving — the plugin loads, 1 test fails");
  t.equal((await place.commits("fix")).length, 2);
});

t.test("only the tests named are run, also with scope failing", async (t) => {
  const place = await iteratePlace(t, "switched_plugin");
  const { code, stdout, stderr } = await place.iterate(
    fixer("switch_off.mjs", "good"),
    ...ownTests(place),
    "--scope",
    "failing",
  );
  t.equal(code, 0, stdout + stderr);
  t.match(stdout, "Progress: 3/4 → 4\n");
});

t.test("Ctrl-C ends the fixer and the session; the branch with its fixes stays", async (t) => {
  const place = await iteratePlace(t, "switched_plugin");
  const mark = `300.${process.pid}`;
  const command = `if [ $PTH_ITERATION = 1 ]; then ${
    fixer("switch_off.mjs", "useless")
  }; else sleep ${mark}; fi`;
  const child = await place.start(command, ...ownTests(place), "--max-iterations", "5");
  let said = "";
  child.stdout.on("data", (piece) => said += piece);
  child.stderr.on("data", (piece) => said += piece);
  for (let turn = 0; turn < 300 && (await processesWith(`sleep ${mark}`)).length === 0; turn++) {
    await setTimeout(100);
  }
  process.kill(child.pid, "SIGINT");
  t.equal((await child.exited).code, 130, said);
  t.match(said, "Interrupted; cleaning up");
  const branch = await place.branch();
  t.match(said, `Branch ${branch}: `);
  t.equal((await place.commits("fix")).length, 1);
  t.same(await processesWith(`sleep ${mark}`), [], "no fixer is left");
  await checkLeftovers(t, place);
});

t.test("killed and resumed it goes on where it was, and counts on", async (t) => {
  const place = await iteratePlace(t, "switched_plugin");
  const mark = `301.${process.pid}`;
  const command = `if [ $PTH_ITERATION = 1 ]; then ${
    fixer("switch_off.mjs", "useless")
  }; else sleep ${mark}; fi`;
  const child = await place.start(command, ...ownTests(place), "--max-iterations", "5");
  for (let turn = 0; turn < 300 && (await processesWith(`sleep ${mark}`)).length === 0; turn++) {
    await setTimeout(100);
  }
  process.kill(child.pid, "SIGKILL");
  await child.ended;
  const branch = await place.branch();
  const resumed = await place.iterate(fixer("switch_off.mjs", "good"), "--resume", branch);
  t.equal(resumed.code, 0, resumed.stdout + resumed.stderr);
  t.match(resumed.stdout, "── Iteration 2 ─");
  t.match(resumed.stdout, "Status: All tests pass");
  t.equal((await place.commits("fix")).length, 2);
  const cleaned = await pth(["clean"], { env: place.env });
  t.equal(cleaned.code, 0, cleaned.stdout + cleaned.stderr);
  t.same(await processesWith(`sleep ${mark}`), [], "pth clean ends a fixer that outlived its session");
  await checkLeftovers(t, place);
});

t.test("wrong use is exit 2, before anything starts; what cannot start is exit 3", async (t) => {
  const place = await iteratePlace(t, "switched_plugin");
  for (
    const [args, said] of [
      [["iterate", place.plugin], /--fixer is required/],
      [["iterate", "--fixer", "x"], /target missing/],
      [["iterate", "--fixer", "x", "--url", "http://127.0.0.1:1/mcp"], /no source to fix/],
      [["iterate", place.plugin, "--fixer", "  "], /--fixer is required/],
      [
        ["iterate", place.plugin, "--fixer", "x", "--max-iterations", "0", "--patience", "many"],
        /2 problems/,
      ],
      [["iterate", place.plugin, "--fixer", "x", "--scope", "fialing"], /did you mean "failing"/],
      [["iterate", place.plugin, "--fixer", "x", "--fixer-timeout", "-1"], /--fixer-timeout expects/],
      [
        ["iterate", "--resume", "b", "--fixer", "x", "--command", "y"],
        /--command cannot be combined with --resume/,
      ],
      [["iterate", place.plugin, "--resume", "main", "--fixer", "x"], /main/],
      [["iterate", join(place.plugin, "nowhere"), "--fixer", "x"], /nowhere/],
    ] as const
  ) {
    const { code, stderr } = await pth(args, { env: place.env });
    t.equal(code, 2, `${args.join(" ")}: ${stderr}`);
    t.match(stderr, said);
  }
  const { code, stderr } = await pth(["iterate", place.plugin, "--fixer", "x", "--env", "docker"], {
    env: { ...place.env, DOCKER_HOST: "unix:///no/such.sock" },
  });
  t.equal(code, 3, stderr);
  t.equal(await place.branch(), "");
  await checkLeftovers(t, place);
});
