import { chmod, chown, link, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { uid } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { readSettings, replaceSettings } from "../../../src/platform/settings_file.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const refusals: {
  name: string;
  make(folder: string): Promise<unknown>;
  message: RegExp;
  asRoot?: boolean;
}[] = [
  {
    name: "a link",
    make: async (folder) => {
      await writeFile(join(folder, "target"), "{}");
      await symlink("target", join(folder, "f"));
    },
    message: /it is a symbolic link$/,
  },
  {
    name: "a dangling link",
    make: (folder) => symlink("nothing", join(folder, "f")),
    message: /symbolic link$/,
  },
  { name: "a folder", make: (folder) => mkdir(join(folder, "f")), message: /it is no file$/ },
  {
    name: "a fifo",
    make: (folder) => runCommand(["mkfifo", join(folder, "f")]),
    message: /it is no file$/,
  },
  {
    name: "a file that all users may write to",
    make: async (folder) => {
      await writeFile(join(folder, "f"), "{}");
      await chmod(join(folder, "f"), 0o666);
    },
    message: /all users may write to it \(mode 0666\)$/,
  },
  {
    name: "a write-protected file",
    make: (folder) => writeFile(join(folder, "f"), "{}", { mode: 0o444 }),
    message: /it is write-protected \(mode 0444\)$/,
  },
  {
    name: "a file with two names",
    make: async (folder) => {
      await writeFile(join(folder, "other"), "{}");
      await link(join(folder, "other"), join(folder, "f"));
    },
    message: /it has 2 names/,
  },
  {
    name: "bytes that are no text",
    make: (folder) => writeFile(join(folder, "f"), new Uint8Array([0x22, 0xff, 0x22])),
    message: /it is no UTF-8 text$/,
  },
  {
    name: "another user's file",
    make: async (folder) => {
      await writeFile(join(folder, "f"), "{}");
      await chown(join(folder, "f"), 12345, 12345);
    },
    message: /it belongs to another user \(uid 12345\)$/,
    asRoot: true,
  },
];

for (const { name, make, message, asRoot = false } of refusals) {
  t.test(`${name} is refused, and stays`, { skip: asRoot && uid() !== 0 && "needs root" }, async (t) => {
    const root = await temporaryFolder(t);
    await make(root);
    const place = { root, path: "f" };
    await t.rejects(readSettings(place), { code: "PATH_REFUSED", message });
    await t.rejects(replaceSettings(place, { before: "{}", text: "new" }), { code: "PATH_REFUSED", message });
  });
}

t.test("a folder on the way that is a link is refused", async (t) => {
  const root = await temporaryFolder(t);
  await mkdir(join(root, "real"));
  await symlink("real", join(root, "way"));
  await t.rejects(replaceSettings({ root, path: "way/f" }, { before: undefined, text: "new" }), {
    message: /way is a symbolic link$/,
  });
});

t.test("a file is made, replaced with its permissions, and removed", async (t) => {
  const root = await temporaryFolder(t);
  const place = { root, path: "a/b/f" };
  t.equal(await readSettings(place), undefined);
  await replaceSettings(place, { before: undefined, text: "one", mode: 0o600 });
  t.strictSame(await readSettings(place), { text: "one", mode: 0o600 });
  await replaceSettings(place, { before: "one", text: "two", mode: 0o640 });
  t.equal((await stat(join(root, "a/b/f"))).mode & 0o777, 0o640);
  await replaceSettings(place, { before: "two", text: undefined });
  t.equal(await readSettings(place), undefined);
});

t.test("a file that another program has changed meanwhile is left alone", async (t) => {
  const root = await temporaryFolder(t);
  const place = { root, path: "f" };
  await writeFile(join(root, "f"), "theirs");
  const message = /another program has changed it meanwhile$/;
  await t.rejects(replaceSettings(place, { before: "read", text: "new" }), { message });
  await t.rejects(replaceSettings(place, { before: undefined, text: "new" }), { message });
  t.equal(await readFile(join(root, "f"), "utf8"), "theirs");
});
