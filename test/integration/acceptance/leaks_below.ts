/** Where a leaky plugin's secret may have gone: files, objects of a repository, whatever was said. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Test } from "tap";
import { readDir, readFile } from "../../../src/platform/files.ts";
import { makeRepository } from "../../src/session/helpers.ts";
import { files, leaks } from "./leaky_plugin.ts";
import { makePlace, type Place } from "../../support/pth_run.ts";

/** Every file below the folder, as bytes that can be searched. */
export async function textsBelow(folder: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { name, isDirectory, isFile } of readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) { for (const [inner, text] of await textsBelow(path)) texts.set(inner, text); }
    if (isFile) texts.set(path, new TextDecoder("latin1").decode(await readFile(path)));
  }
  return texts;
}

/** All objects that any branch, stash or reflog of the repository holds, and those that nothing holds any more. */
export const objectsOf = (repository: string): string =>
  execFileSync("git", ["-C", repository, "cat-file", "--batch-all-objects", "--batch"], {
    encoding: "latin1",
    maxBuffer: 1e9,
  });

export function nothingLeaks(t: Test, texts: Iterable<readonly [string, string]>): void {
  for (const [name, text] of texts) t.same(leaks(text).slice(0, 3), [], name);
}

export async function leakyRepository(t: Test): Promise<{ place: Place; plugin: string }> {
  const place = await makePlace(t);
  const plugin = join(place.folder, "plugin");
  await makeRepository(plugin, files);
  return { place, plugin };
}
