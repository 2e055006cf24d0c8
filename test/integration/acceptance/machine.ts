/** What a run of PTH may leave on a machine, seen from outside of PTH. */
import { join } from "node:path";
import { pathExists, readTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { environmentsIn, namesIn, type Place } from "../../support/pth_run.ts";

export interface Watched {
  place: Place;
  repository: string;
  /** In the command line of every process that the plugin leaves. */
  word: string;
}

/** Kinds of things, and the things found of each. */
export type Machine = Record<string, string[]>;

/** @param sessions also what carries the mark of one of these */
export async function machineOf({ place, repository, word }: Watched, sessions: string[]): Promise<Machine> {
  const marks = [...sessions, place.folder];
  const [boxes, hosts] = await Promise.all([
    environmentsIn(place.env.PTH_HOME, "boxes"),
    environmentsIn(place.env.PTH_HOME, "hosts"),
  ]);
  const mentions = (text: string) => marks.some((mark) => text.includes(mark));
  return {
    processes: await processes((environment, command) =>
      sessions.some((id) => environment.includes(`=${id}\0`)) || command.includes(word) ||
      command.includes(place.folder)
    ),
    mounts: (await readTextFile("/proc/mounts")).split("\n").filter(mentions),
    groups: (await found(["/sys/fs/cgroup", "-type", "d", "-name", "*pth*"])).filter(mentions),
    ...await engineThings(sessions),
    worktrees: [
      ...await lines(["git", "-C", repository, "worktree", "list"]),
      ...await namesIn(place.env.PTH_WORKTREE_DIR),
    ],
    branches: await lines(["git", "-C", repository, "for-each-ref"]),
    checkout: await found([repository, "-not", "-path", "*/.git/*"]),
    state: [
      ...await namesIn(join(place.env.PTH_HOME, "sessions")),
      ...boxes,
      ...hosts,
    ],
    temporary: await namesIn(join(place.folder, "tmp")),
  };
}

/** "kind: thing" of each thing that came or went. */
export function differences(before: Machine, after: Machine): string[] {
  return Object.entries(after).flatMap(([kind, things]) => [
    ...things.filter((thing) => !before[kind]!.includes(thing)).map((thing) => `${kind}: + ${thing}`),
    ...before[kind]!.filter((thing) => !things.includes(thing)).map((thing) => `${kind}: - ${thing}`),
  ]);
}

async function processes(wanted: (environment: string, command: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await namesIn("/proc")).filter((name) => /^\d+$/.test(name))) {
    // A process may end while it is looked at.
    const [environment, command] = await Promise.all(
      ["environ", "cmdline"].map((file) => readTextFile(`/proc/${pid}/${file}`).catch(() => "")),
    );
    if (command !== "" && wanted(`${environment}\0`, command!)) {
      found.push(`${pid} ${command!.replaceAll("\0", " ").slice(0, 200)}`);
    }
  }
  return found;
}

async function engineThings(sessions: string[]): Promise<Machine> {
  const things: Machine = { containers: [], networks: [], images: [] };
  if (!await pathExists("/var/run/docker.sock")) return things;
  for (const id of sessions) {
    const filter = ["--filter", `label=pth.session=${id}`, "-q"];
    things.containers!.push(...await lines(["docker", "ps", "-a", ...filter]));
    things.networks!.push(...await lines(["docker", "network", "ls", ...filter]));
    things.images!.push(...await lines(["docker", "images", "-a", ...filter]));
  }
  return things;
}

/** Others' groups and git's own folders come and go while they are looked through. */
async function found(words: string[]): Promise<string[]> {
  const { stdout, stderr } = await runCommand(["find", ...words]);
  const complaints = stderr.split("\n").filter((line) => line !== "" && !/No such file/.test(line));
  if (complaints.length > 0) throw new Error(`find ${words.join(" ")}: ${complaints.join("\n")}`);
  return stdout.split("\n").filter((line) => line !== "");
}

async function lines(command: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runCommand(command);
  if (code !== 0) throw new Error(`${command.join(" ")}: exited with ${code}: ${stderr}`);
  return stdout.split("\n").filter((line) => line !== "");
}
