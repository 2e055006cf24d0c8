import { execFileSync } from "node:child_process";
import t from "tap";
import { handIn } from "../../../../src/runtimes/sandbox/exec_in_sandbox.ts";

t.test("no program on the way sees a variable that it could obey", (t) => {
  const { env } = handIn({
    LD_PRELOAD: "/x.so",
    PATH: "/x",
    PERL5OPT: "-d",
    "BASH_FUNC_echo%%": "() { id; }",
    PTH_SESSION: "s",
    UID: "7",
    "odd.name": "kept",
  });
  t.same(Object.keys(env).toSorted(), [
    "PTH_INSIDE_LD_PRELOAD",
    "PTH_INSIDE_PATH",
    "PTH_INSIDE_PERL5OPT",
    "PTH_SESSION",
    "UID",
    "odd.name",
  ]);
  t.end();
});

t.test("the shell inside gives them back unchanged, and nothing else", (t) => {
  const odd = { A: "a b", B: "", C: `it's "$HOME" \`id\` $(id)`, D: "two\nlines", _e1: "\\", PTH_F: "x" };
  for (const shell of ["sh", "bash"]) {
    const { env, first } = handIn({ ...odd, UID: "7" });
    const script = `${first}exec /usr/bin/env -0`;
    const said = execFileSync(shell, ["-c", script], { env, encoding: "utf8" });
    const seen = Object.fromEntries(said.split("\0").filter(Boolean).map((entry) => entry.split(/=(.*)/s)));
    for (const [name, value] of Object.entries(odd)) t.equal(seen[name], value, `${shell}: ${name}`);
    t.notMatch(said, "PTH_INSIDE_");
  }
  t.end();
});
