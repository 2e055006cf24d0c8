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
import { recordMethod, workedBefore } from "./worked_before.ts";

const known = new Map<string, Promise<Method>>();
/** Methods of `known` that were remembered, and not tried by this process. */
const trusted = new Map<string, Method>();

const keyOf = (image: string | undefined, enter: Method["enter"] | undefined): string =>
  `${image ?? ""}|${enter ?? ""}`;

/**
 * The answer is kept for the life of this process; a failure is not. The best method is not tried where it worked a while ago.
 * @param enter Only with this program.
 * @throws {PthError} `RUNTIME_UNAVAILABLE` with every way that was tried, `IMAGE_MISSING`
 */
export function workingMethod(image: string | undefined, enter?: Method["enter"]): Promise<Method> {
  const key = keyOf(image, enter);
  const found = known.get(key) ?? findMethod(image, enter);
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}

/**
 * Has the method found out again, once no sandbox could be made by it.
 * @returns false where it had been tried by this process: there is nothing more to find out
 */
export async function distrustMethod(image: string | undefined, enter?: Method["enter"]): Promise<boolean> {
  const key = keyOf(image, enter);
  const method = trusted.get(key);
  if (method === undefined) return false;
  trusted.delete(key);
  known.delete(key);
  await recordMethod(image, method, false);
  return true;
}

async function findMethod(image: string | undefined, enter?: Method["enter"]): Promise<Method> {
  const spec: EnvironmentSpec = {
    environmentId: `probe-${randomUUID()}`,
    sessionId: "probe",
    tier: 1,
    env: {},
    resources: {},
    ...(image !== undefined && { image }),
  };
  const [bubblewrap, unfiltered, materials] = await Promise.all([
    starts("bwrap"),
    unfilteredReason(),
    gatherMaterials(spec),
  ]);
  const machine = {
    root: uid() === 0,
    bubblewrap,
    hostRoot: image === undefined,
    filters: unfiltered === undefined,
  };
  const candidates = candidateMethods(machine).filter((method) =>
    enter === undefined || method.enter === enter
  );
  const [best] = candidates;
  if (best !== undefined && await workedBefore(image, best)) {
    trusted.set(keyOf(image, enter), best);
    return best;
  }
  const tried: string[] = [];
  for (const method of candidates) {
    const problem = await problemOf(spec, method, materials);
    if (problem === undefined) {
      // A lesser one would keep a better one from being tried again.
      if (method === best) await recordMethod(image, method, true);
      return method;
    }
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
