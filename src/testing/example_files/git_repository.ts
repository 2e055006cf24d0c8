/** A repository as bytes: no git runs for it on the host. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

const author = "Example <user@example.com> 1705314600 +0000";

/** The repository is its own remote, so that fetching and pushing work without a network. */
const config = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
[user]
\tname = Example
\temail = user@example.com
[commit]
\tgpgsign = false
[remote "origin"]
\turl = .
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
`;

type Texts = Record<string, string>;

/**
 * Files of a repository on its branch `main`: one commit, that of the branch `other` and the tag `v1.0.0`, too; files that are
 * staged for the next one; and a stash of other contents.
 */
export function gitRepository(
  { committed, staged, stashed }: Record<"committed" | "staged" | "stashed", Texts>,
): Map<string, Uint8Array> {
  const objects = new Map<string, Uint8Array>();
  const store = (type: string, content: Uint8Array): string => {
    const object = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    const name = createHash("sha1").update(object).digest("hex");
    objects.set(`.git/objects/${name.slice(0, 2)}/${name.slice(2)}`, deflateSync(object));
    return name;
  };
  const entries = (files: Texts): Entry[] =>
    Object.entries(files).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([path, text]) => ({
        path,
        name: store("blob", Buffer.from(text)),
        size: Buffer.byteLength(text),
      }));
  const commit = (message: string, files: Texts, parents: string[]): string => {
    const rows = entries(files).map(({ path, name }) =>
      Buffer.concat([Buffer.from(`100644 ${path}\0`), Buffer.from(name, "hex")])
    );
    const lines = [
      `tree ${store("tree", Buffer.concat(rows))}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author ${author}`,
      `committer ${author}`,
    ];
    return store("commit", Buffer.from(`${lines.join("\n")}\n\n${message}\n`));
  };
  const head = commit("Add example files", committed, []);
  const saved = commit("index on main", committed, [head]);
  const stash = commit("WIP on main", { ...committed, ...stashed }, [head, saved]);
  const all = { ...committed, ...staged };
  const index = indexOf(entries(all));
  const texts: Texts = {
    ...all,
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": config,
    ".git/refs/heads/main": `${head}\n`,
    ".git/refs/heads/other": `${head}\n`,
    ".git/refs/tags/v1.0.0": `${head}\n`,
    ".git/refs/stash": `${stash}\n`,
    ".git/logs/refs/stash": `${"0".repeat(40)} ${stash} ${author}\tWIP on main\n`,
    ".git/logs/HEAD": `${"0".repeat(40)} ${head} ${author}\tcommit (initial): Add example files\n`,
  };
  return new Map([
    ...Object.entries(texts).map(([path, text]): [string, Uint8Array] => [path, Buffer.from(text)]),
    ...objects,
    [".git/index", index],
  ]);
}

interface Entry {
  path: string;
  name: string;
  size: number;
}

/** The index names each file; its times are 0, so that git looks at the contents when it is asked. */
function indexOf(entries: readonly Entry[]): Uint8Array {
  const head = Buffer.alloc(12);
  head.write("DIRC");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const rows = entries.map(({ path, name, size }) => {
    // Facts of the file, its name and a NUL, filled up to a multiple of 8.
    const row = Buffer.alloc(Math.floor((62 + path.length + 8) / 8) * 8);
    row.writeUInt32BE(0o100644, 24);
    row.writeUInt32BE(size, 36);
    row.write(name, 40, "hex");
    row.writeUInt16BE(path.length, 60);
    row.write(path, 62);
    return row;
  });
  const body = Buffer.concat([head, ...rows]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}
