import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { commitFiles } from "../../../src/git/commit_files.ts";
import { diffSession } from "../../../src/fixes/diff_session.ts";
import { rejection, request, session, userGit, writeFiles } from "./helpers.ts";

for (const within of ["", "sub dir"]) {
  t.test(`figures, files and diff since the base, plugin in "${within}"`, async (t) => {
    const { branch, plugin, folder } = await session(t, { within });
    userGit(folder, "config", "diff.noprefix", "true");
    userGit(folder, "config", "color.ui", "always");
    t.match(await diffSession(branch), { commits: 0, files: [], added: 0, removed: 0, diff: "" });
    await applyFix(
      branch,
      request([
        { path: "src/a.ts", find: "one\n", replace: "1\nand a half\n" },
        { from: "src/windows.txt", to: "src/ünï.txt" },
      ]),
    );
    await writeFile(join(plugin, "logo.png"), new Uint8Array([0, 1, 2]));
    await writeFiles(plugin, { ".pth/session-state.json": "{}\n" });
    await commitFiles(branch, ["logo.png", ".pth/session-state.json"], "more\n");
    const changes = await diffSession(branch);
    t.match(changes, { commits: 2, added: 2, removed: 1, base: branch.base });
    t.strictSame(changes.files, [
      { path: "logo.png" },
      { path: "src/a.ts", added: 2, removed: 1 },
      { from: "src/windows.txt", path: "src/ünï.txt", added: 0, removed: 0 },
    ]);
    t.match(changes.diff, /^--- a\/src\/a.ts\n\+\+\+ b\/src\/a.ts$/m);
    t.notMatch(changes.diff, /session-state/);
    const one = await diffSession(branch, { path: "src/a.ts" });
    t.strictSame(one.files.map(({ path }) => path), ["src/a.ts"]);
    t.equal((await diffSession(branch, { path: "src/", stat: true })).diff, undefined);
    const out = await rejection(diffSession(branch, { path: "../x" }));
    t.equal(out.code, "INVALID_INPUT");
  });
}
