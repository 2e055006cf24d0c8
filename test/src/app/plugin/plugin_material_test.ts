import t from "tap";
import type { SessionParts } from "../../../../src/app/session/session_parts.ts";
import { pluginMaterial } from "../../../../src/app/plugin/plugin_material.ts";
import { giveEnvironment, liveSession } from "../../actors/live.ts";

/** Material of a session whose source is this folder, in an environment of this kind. */
function materialOf(worktree: string, isolated: boolean) {
  const { live } = liveSession();
  live.code.source = { worktree, subfolder: "packages/one", source: { kind: "folder" } } as never;
  giveEnvironment(live, { abilities: { isolated } as never });
  Object.assign(live.environment.current!.info, { config: { network: "none" } });
  return pluginMaterial({ live } as SessionParts);
}

t.test("inputs name a file that the plugin's folder holds, and its place where that is always the same", async (t) => {
  const folder = t.testdir({ packages: { one: { "README.md": "# One", "go.mod": "module one" } } });
  t.same(await materialOf(folder, true).workFolder!(), {
    file: "README.md",
    folder: "/work/plugin/packages/one",
  });
  t.same(
    await materialOf(folder, false).workFolder!(),
    { file: "README.md" },
    "a place of the user's machine",
  );
});

t.test("inputs name no file where the plugin's folder holds none that is usual", async (t) => {
  const folder = t.testdir({ packages: { one: { "other.txt": "" } } });
  t.same(await materialOf(folder, false).workFolder!(), {});
});
