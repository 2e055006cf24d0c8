/** Whether a machine could be had right now. */
import { asPthError } from "../../core/errors.ts";
import type { Readiness } from "../runtime.ts";
import { findAcceleration } from "./acceleration.ts";
import { diskSizeGB } from "./disk.ts";
import { findGolden } from "./golden.ts";
import { hypervisor } from "./hypervisor.ts";
import { requireVmImage } from "./require_vm_image.ts";
import { machineSize } from "./size.ts";

/** An image that would first have to be built counts as not ready, and it says how to build it. */
export async function probeMachine(asked?: string): Promise<Readiness> {
  try {
    const daemon = await hypervisor();
    const { accelerator, reason } = await findAcceleration(daemon);
    const image = await requireVmImage(asked);
    const size = machineSize({}, image, accelerator, await diskSizeGB(image.disk));
    const golden = await findGolden(daemon, { image, size, accelerator });
    const first = golden
      ? ""
      : "; its golden state is made at the first start, which takes a minute or so, once";
    return { ready: true, reason: `libvirt answers and image ${image.name} is built; ${reason}${first}` };
  } catch (error) {
    const { code, message, context: { next, ...facts } } = asPthError(error, "Cannot use virtual machines");
    const missing = code === "IMAGE_MISSING" ? { code } : {};
    return { ready: false, reason: message, facts, ...missing, ...(next ? { next } : {}) };
  }
}
