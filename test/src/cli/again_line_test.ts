import { spawnSync } from "node:child_process";
import t from "tap";
import { againLine } from "../../../src/cli/again_line.ts";
import type { CommandLine } from "../../../src/cli/command.ts";

const line = (more: Partial<CommandLine>): CommandLine => ({
  command: "fuzz",
  operands: [],
  options: {},
  rest: [],
  ...more,
});

/** The words that a shell makes of it. */
function wordsOf(text: string, variables: Record<string, string> = {}): string[] {
  const { stdout } = spawnSync("sh", ["-c", `printf '%s\\0' ${text}`], {
    env: { PATH: process.env.PATH, ...variables },
    encoding: "utf8",
  });
  return stdout.split("\0").slice(0, -1);
}

t.test("operands, options and server arguments come back from a shell as they were", (t) => {
  const awkward = ["a b", "it's", '"q"', "$HOME", "`id`", "*", "", "x;y", "ä\n\\", "~"];
  const text = againLine(line({
    operands: ["./my plugin"],
    options: {
      envTier: "1",
      includeDestructive: true,
      tool: awkward,
      var: ["A=b c"],
      command: "node 'a b.js'",
    },
    rest: awkward,
  }));
  t.same(wordsOf(text), [
    ...["pth", "fuzz", "./my plugin", "--env-tier", "1", "--include-destructive"],
    ...awkward.flatMap((word) => ["--tool", word]),
    ...["--var", "A=b c", "--command", "node 'a b.js'", "--", ...awkward],
  ]);
  t.end();
});

t.test("options can be replaced and left out, and where a run was kept is", (t) => {
  const options = { seed: "1", tool: ["a"], record: "run.jsonl", stately: "ws://x", keep: true, force: true };
  const text = againLine(line({ options }), { replaced: { seed: "7", tool: undefined, runs: "100" } });
  t.equal(text, "pth fuzz --seed 7 --runs 100");
  t.end();
});

t.test("secrets stand as variables, wherever they are", (t) => {
  const options = { secret: ["API"], var: ["MODE=x", "DB_PASSWORD=hunter2"], url: "http://u:s3cr3t'@host/" };
  const text = againLine(line({ options, rest: ["--key=s3cr3t'"] }), {
    secrets: { API: "s3cr3t'", EMPTY: "" },
  });
  t.notMatch(text, /s3cr3t|hunter2/);
  t.same(wordsOf(text, { API: "s3cr3t'", DB_PASSWORD: "hunter2" }).slice(2), [
    ...["--secret", "API", "--var", "MODE=x", "--var", "DB_PASSWORD=hunter2"],
    ...["--url", "http://u:s3cr3t'@host/", "--", "--key=s3cr3t'"],
  ]);
  t.end();
});

t.test("an option that is on by default is named only where it was switched off", (t) => {
  t.equal(againLine(line({ options: { cache: true, learn: true } })), "pth fuzz");
  t.equal(againLine(line({ options: { cache: false, learn: false } })), "pth fuzz --no-cache --no-learn");
  t.end();
});
