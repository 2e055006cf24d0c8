/** The program of an agent on this machine, with what belongs to it. */
import { arch, platform } from "node:os";
import { isObject, jsonIn } from "../../core/values.ts";
import { pathExists, readTextIfExists } from "../../platform/files.ts";
import type { AgentInstallation } from "./agent.ts";

export interface AgentProgram {
  /** Path of the program, links resolved. */
  program: string;
  /** File or folder that holds all that it needs. */
  root: string;
  /** Absent where it has to be asked. */
  version?: string;
  /** Range of Node versions that it asks for; absent: it is no program for Node, or does not say. */
  node?: string;
}

/** Name of this machine as packages of native programs have it. */
export const systemName = (): string => `${platform()}-${arch()}`;

/** Finds out what lies around a program; one that npm installed may be only the starter of another. */
export async function agentProgram(
  { packages, native }: Pick<AgentInstallation, "packages" | "native">,
  path: string,
): Promise<AgentProgram> {
  for (const name of packages) {
    const at = path.lastIndexOf(`/node_modules/${name}/`);
    if (at < 0) continue;
    const modules = path.slice(0, at + "/node_modules".length);
    const own = `${modules}/${name}`;
    const manifest = jsonIn(await readTextIfExists(`${own}/package.json`) ?? "");
    if (!isObject(manifest) || typeof manifest.version !== "string") continue;
    const { version, engines } = manifest;
    if (native !== undefined) {
      for (const folder of [`${own}/node_modules`, modules]) {
        const program = `${folder}/${native(systemName())}`;
        if (await pathExists(program)) return { program, root: program, version };
      }
      return { program: path, root: path };
    }
    const node = isObject(engines) && typeof engines.node === "string" ? engines.node : undefined;
    // A global install has all packages in the package's own folder, another one beside it.
    const alone = await pathExists(`${own}/node_modules`) ||
      !await pathExists(`${modules}/.package-lock.json`);
    return { program: path, root: alone ? own : modules, version, ...(node === undefined ? {} : { node }) };
  }
  return { program: path, root: path };
}
