/** Finds the method of making a sandbox that works here, by making a small one with each until one lives. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { EnvironmentSpec } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { firstLine } from "../../core/text.ts";
import { processId, uid } from "../../platform/host.ts";
import { runCommand } from "../../platform/process.ts";
import { makeLabelledFolder, stateFolder } from "../shared/state_folder.ts";
import { endSandboxProcess, generationFolder, removeFolder, startSandboxProcess } from "./sandbox_process.ts";
import { unfilteredReason } from "./confine/filtered_command.ts";
import { candidateMethods, describe, type Method } from "./isolation_support.ts";
import { gatherMaterials, planSandbox } from "./plan.ts";

const known = new Map<string, Promise<Method>>();

/**
 * The answer is kept for the life of this process; a failure is not.
 * @param enter Only with this program.
 * @throws {PthError} `RUNTIME_UNAVAILABLE` with every way that was tried, `IMAGE_MISSING`
 */
export function workingMethod(image: string | undefined, enter?: Method["enter"]): Promise<Method> {
  const key = `${image ?? ""}|${enter ?? ""}`;
  const found = known.get(key) ?? findMethod(image, enter);
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}

async function findMethod(image: string | undefined, enter?: Method["enter"]): Promise<Method> {
  const machine = {
    root: uid() === 0,
    bubblewrap: await starts("bwrap"),
    hostRoot: image === undefined,
    filters: await unfilteredReason() === undefined,
  };
  const spec: EnvironmentSpec = {
    environmentId: `probe-${randomUUID()}`,
    sessionId: "probe",
    tier: 1,
    env: {},
    resources: {},
    ...(image !== undefined && { image }),
  };
  const materials = await gatherMaterials(spec);
  const tried: string[] = [];
  for (const method of candidateMethods(machine)) {
    if (enter !== undefined && method.enter !== enter) continue;
    const problem = await problemOf(spec, method, materials);
    if (problem === undefined) return method;
    tried.push(`${describe(method)}: ${problem}`);
  }
  throw new PthError(
    "RUNTIME_UNAVAILABLE",
    "Cannot create sandbox: no supported isolation method works here",
    {
      tried,
      next: [
        "Install bubblewrap and util-linux",
        "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0), " +
        "or run as root",
        {
          terminal: "Use another runtime: --env docker or --env host",
          mcp: 'Use another runtime: pth_provision_environment({ runtime: "docker" }), or "host"',
        },
      ],
    },
  );
}

async function problemOf(
  spec: EnvironmentSpec,
  method: Method,
  materials: Awaited<ReturnType<typeof gatherMaterials>>,
) {
  const box = join(await stateFolder("boxes"), `${spec.environmentId}-${randomUUID().slice(0, 8)}`);
  try {
    await makeLabelledFolder(box, { ...spec, ownerPid: processId, outside: [] });
    await endSandboxProcess(
      await startSandboxProcess(generationFolder(box, 1), planSandbox(box, spec, materials, method), {}, []),
    );
    return undefined;
  } catch (error) {
    const { message, context } = error as PthError;
    return firstLine(`${context?.output ?? message}`);
  } finally {
    await removeFolder(box, method.userNamespace);
  }
}

/** True when the program can be started. */
export const starts = (program: string): Promise<boolean> =>
  runCommand([program, "--version"]).then((result) => result.code === 0, () => false);
