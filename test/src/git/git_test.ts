import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { git, gitOutput, whole } from "../../../src/git/git.ts";
import { makeRepository, rejection, temporaryWorld } from "../session/helpers.ts";

t.test("a list of more than 16 MiB is read from its first entry on", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "first\n" });
  await writeFile(join(folder, "b.txt"), "x".repeat(99).concat("\n").repeat(180_000));
  const output = await gitOutput(folder, ["diff", "--no-index", "--no-color", "a.txt", "b.txt"]).catch((e) =>
    e
  );
  t.match(output.context.output, /^diff --git a\/a.txt b\/b.txt/, "its beginning is there");
});

t.test("output that was cut is an error, unless less was asked for", (t) => {
  const cut = { stdout: "the end", truncated: true };
  t.throws(() => whole(["ls-files"], cut, {}), {
    code: "GIT_FAILED",
    message: /output of git ls-files: it is longer/,
  });
  t.equal(whole(["log"], cut, { maxBytes: 7 }), "the end");
  t.equal(whole(["log"], { stdout: "all", truncated: false }, {}), "all");
  t.end();
});

t.test("a command that fails says so in git's words", async (t) => {
  const { folder } = await temporaryWorld(t);
  t.match(await git(folder, ["rev-parse", "HEAD"]), { code: 128 });
  t.match(await rejection(gitOutput(folder, ["rev-parse", "HEAD"])), {
    code: "GIT_FAILED",
    context: { output: /not a git repository/, tried: ["git rev-parse HEAD"] },
  });
});
