/** Versions of Node that a manifest asks for, with the one that is there. */
import type { InstallFault } from "../../machines/model/install_check.ts";
import { visibleName } from "../core/text.ts";
import type { EnvironmentAccess } from "../plugin/environment_access.ts";
import { isNodeRange, satisfiesNode } from "../plugin/satisfies_node.ts";

/** @param range value of the manifest; undefined where it asks for nothing */
export async function engineFaults(
  env: EnvironmentAccess,
  place: string,
  range: unknown,
): Promise<InstallFault[]> {
  if (range === undefined) return [];
  if (typeof range !== "string" || !isNodeRange(range)) {
    return [{
      code: "wrong-engine",
      place,
      message: `${visibleName(JSON.stringify(range))} is no range of Node versions`,
      next: 'Write a range such as ">=20"',
    }];
  }
  const { code, stdout } = await env.exec(["node", "--version"], { cwd: "/" });
  const version = stdout.trim();
  if (code !== 0 || satisfiesNode(version, range)) return [];
  return [{
    code: "wrong-engine",
    place,
    message: `asks for Node ${visibleName(range)}, and the environment has ${visibleName(version)}`,
    next: "Widen the range, or check in an environment with such a Node",
  }];
}
