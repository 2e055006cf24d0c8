/** Which way of sharing the source is wanted. */
import { PthError } from "../../../errors.ts";
import { env } from "../../../platform/host.ts";

const methods = ["sync", "virtiofs"] as const;
export type ShareMethod = typeof methods[number];

/**
 * `PTH_VM_SHARE`; where it is not set, the one that disturbs nothing: watchers, servers that run through a snapshot and
 * mapped files work as on a disk of the guest's own.
 * @throws {PthError} `INVALID_INPUT` for a word that names none
 */
export function shareMethod(asked: string = env("PTH_VM_SHARE") || "sync"): ShareMethod {
  const found = methods.find((method) => method === asked);
  if (found !== undefined) return found;
  throw new PthError(
    "INVALID_INPUT",
    `Cannot share the source as PTH_VM_SHARE wants: "${asked}" is no way to`,
    {
      next: [`Set it to one of: ${methods.join(", ")}`],
    },
  );
}
