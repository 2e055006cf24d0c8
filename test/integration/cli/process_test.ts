import { join } from "node:path";
import t from "tap";
import { makeTempDir, readDir, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { pth, root } from "../../support/pth.ts";

t.test("wrong use is exit 2, with everything on stderr and nothing on stdout", async (t) => {
  for (
    const [args, expected] of [
      [["rnu"], "Did you mean run?"],
      [["run"], "target missing"],
      [["run", "--repoter", "x"], "Did you mean --reporter?"],
      [
        ["run", "x", "--reporter", "nope"],
        "--reporter expects one of github, html, json, junit, markdown, spec, tap",
      ],
      [["images", "build"], "no image is named"],
      [["mcp", "--tools", "no"], "dynamic, static"],
    ] as const
  ) {
    const { code, stdout, stderr } = await pth(args);
    t.equal(code, 2, args.join(" "));
    t.equal(stdout, "");
    t.match(stderr, expected);
    // deno-lint-ignore no-control-regex -- colours are for terminals
    t.notMatch(stderr, /\u001b/);
  }
});

t.test("a bad config names line and column, and nothing is made on the machine", async (t) => {
  const home = await makeTempDir({ prefix: "pth-cli-test-" });
  t.teardown(() => removeIfExists(home));
  const config = join(home, "env.yaml");
  await writeTextFile(config, "resources:\n  cpus: many\n");
  const { code, stderr } = await pth(["run", "x", "--config", config], {
    env: { PTH_HOME: join(home, "state"), PTH_WORKTREE_DIR: join(home, "worktrees") },
  });
  t.equal(code, 2);
  t.match(stderr, `${config}:2:9 resources.cpus: expected a number`);
  const left: string[] = [];
  for await (const entry of readDir(home)) left.push(entry.name);
  t.same(left, ["env.yaml"]);
});

t.test("help comes at once, and a reader that goes away is no crash", async (t) => {
  const { code, stdout } = await pth([]);
  t.equal(code, 0);
  t.match(stdout, "Usage: pth");
  const deno = (await import("node:process")).default.execPath;
  const piped = await runCommand(["sh", "-c", `"${deno}" run -A src/cli.ts run --help | head -1`], {
    cwd: root,
  });
  t.equal(piped.stdout, "Usage: pth run [options] [target] [-- server arguments]\n");
  t.equal(piped.stderr, "");
});
