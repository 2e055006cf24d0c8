import t from "tap";
import type { SessionParts } from "../../../../src/app/session/session_parts.ts";
import { pluginMaterial } from "../../../../src/app/plugin/plugin_material.ts";
import { giveEnvironment, liveSession } from "../../actors/live.ts";

interface Server {
  isolated: boolean;
  command?: string[];
  /** Folders that are there inside. */
  folders?: string[];
}

/** The folder of example files of a session with such a server. */
async function exampleFolderOf({ isolated, command = ["server"], folders = [] }: Server) {
  const { live } = liveSession();
  live.code.source = { worktree: "/none", subfolder: "packages/one", source: { kind: "folder" } } as never;
  giveEnvironment(live, {
    abilities: { isolated } as never,
    exec: (_handle, [, , , , ...words]) => {
      const stdout = words.filter((word) => folders.includes(word)).map((path) => `${path}\n`).join("");
      return Promise.resolve({ code: 0, stdout, stderr: "" } as never);
    },
  });
  Object.assign(live.environment.current!.info, { config: { network: "none" } });
  live.plugin.plan = {
    folder: "/work/plugin/packages/one",
    server: { type: "stdio", command, env: {}, cwd: "/work/plugin/packages/one" },
  } as never;
  return await pluginMaterial({ live } as SessionParts).exampleFolder!();
}

t.test("example files lie in the server's folder; no input names where that lies on the user's machine", async (t) => {
  t.equal(await exampleFolderOf({ isolated: true }), "/work/plugin/packages/one/pth-files");
  t.equal(await exampleFolderOf({ isolated: false }), "pth-files");
});

t.test("a server that was given a folder elsewhere finds them there", async (t) => {
  const command = ["server", "--port=1", "--root=/data", "/more", "words"];
  const folders = ["/data", "/more"];
  t.equal(await exampleFolderOf({ isolated: true, command, folders }), "/data/pth-files");
  const above = {
    isolated: true,
    command: [...command, "/work/plugin"],
    folders: [...folders, "/work/plugin"],
  };
  t.equal(await exampleFolderOf(above), "/work/plugin/packages/one/pth-files", "its own is among them");
});
