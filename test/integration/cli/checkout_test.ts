// test: timeout=180
/** `pth run` and `pth iterate` on a checkout in the middle of its author's work: tested, mended, and left as it was. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { runCommand } from "../../../src/platform/process.ts";
import { changesSince, photograph } from "../../support/checkout_photo.ts";
import { fixer, iteratePlace } from "../../support/iterate_place.ts";
import { pth } from "../../support/pth.ts";

t.setTimeout(160_000);

const onHost = ["--env", "host"];

t.test("a checkout with a merge under way, hooks that reject and signing that fails", async (t) => {
  const place = await iteratePlace(t, "switched_plugin");
  const { plugin, git } = place;
  const commit = ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "x"];
  await git("checkout", "-q", "-b", "side");
  await writeFile(join(plugin, "notes.txt"), "theirs\n");
  await git("add", "notes.txt");
  await git(...commit);
  await git("checkout", "-q", "main");
  await writeFile(join(plugin, "notes.txt"), "ours\n");
  await git("add", "notes.txt");
  await git(...commit);
  t.not((await runCommand(["git", "-C", plugin, "merge", "side"])).code, 0, "it stops with a conflict");
  await writeFile(join(plugin, "new.txt"), "new\n");
  await mkdir(join(plugin, ".git/hooks"), { recursive: true });
  for (const hook of ["pre-commit", "commit-msg", "post-checkout"]) {
    await writeFile(join(plugin, ".git/hooks", hook), "#!/bin/sh\ntouch made-by-hook\nexit 1\n", {
      mode: 0o755,
    });
  }
  await git("config", "commit.gpgSign", "true");
  await git("config", "gpg.program", "/bin/false");
  const before = await photograph(plugin);

  const tested = await pth(["run", plugin, ...onHost], { env: place.env });
  t.equal(tested.code, 1, tested.stdout + tested.stderr);
  t.match(tested.stdout + tested.stderr, /2 uncommitted changes are included/);
  t.same(await changesSince(before, plugin, { branch: false }), [], "after pth run");
  t.equal(await place.branch(), "", "a run leaves no branch");

  const mended = await place.iterate(fixer("switch_off.mjs", "good"), "--uncommitted", ...onHost);
  t.equal(mended.code, 0, mended.stdout + mended.stderr);
  const branch = await place.branch();
  t.match(
    await git("log", "--reverse", "--format=%s", `main..${branch}`),
    /^chore: take over uncommitted changes/,
  );
  t.equal(await git("show", `${branch}:new.txt`), "new");
  t.same(await changesSince(before, plugin), [], "after pth iterate");
  t.same(await readdir(place.env["PTH_WORKTREE_DIR"]!), []);
});
