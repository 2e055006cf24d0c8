/** Resolves a path with links in it, as long as every one of them stays within the root. */
import { realpathSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { linkTarget, pathRefused, type PathRequest, pathSegments, withinFolder } from "./walk.ts";

/** Limit in links, the kernel's own. */
const mostLinks = 40;

/**
 * The parts of a path without links that is the same file now. Whoever uses it follows no link: one that appears
 * meanwhile is refused.
 * @throws {PthError} `PATH_REFUSED` for a link out of the root, and for links that lead in a circle
 */
export function resolveWithin(root: string, asked: PathRequest): string[] {
  const todo = pathSegments(asked);
  const done: string[] = [];
  for (let links = 0; todo.length > 0;) {
    const part = todo.shift()!;
    if (part === "..") {
      if (done.pop() === undefined) {
        throw pathRefused(asked, asked.path, "is a symbolic link that leads out of the folder");
      }
      continue;
    }
    const target = withinFolder(root, done, asked, {}, (at) => linkTarget(join(at, part)));
    if (target === undefined) {
      done.push(part);
      continue;
    }
    const component = [...done, part].join("/");
    if (++links > mostLinks) throw pathRefused(asked, component, "is a symbolic link that leads in a circle");
    const within = isAbsolute(target) ? relative(realpathSync(root), target) : target;
    if (isAbsolute(target)) {
      if (within.split("/")[0] === "..") {
        throw pathRefused(asked, component, `is a symbolic link to ${target}, out of the folder`);
      }
      done.length = 0;
    }
    const ways = within.split("/").filter((way) => way !== "" && way !== ".");
    if (leaves(done, ways)) {
      throw pathRefused(asked, component, `is a symbolic link to ${target}, out of the folder`);
    }
    todo.unshift(...ways);
  }
  return done;
}

/** Whether the beginning of a link's target climbs above the root. */
function leaves(done: readonly string[], ways: readonly string[]): boolean {
  const climbs = ways.findIndex((way) => way !== "..");
  return (climbs === -1 ? ways.length : climbs) > done.length;
}
