/** What a machine needs on the host, found or told what is missing. */
import { PthError } from "../../errors.ts";
import type { Hypervisor } from "../../platform/libvirt.ts";
import { defaultImage, imageOfKind } from "../images/catalogue.ts";
import { findVmImage } from "../images/vm_images.ts";
import type { VmImage } from "./vm_image.ts";

/** The built image that stands for what was asked. @throws {PthError} `IMAGE_MISSING` */
export async function requireImage(asked: string = defaultImage): Promise<VmImage> {
  const found = await findVmImage(asked);
  if (found) return found;
  const known = imageOfKind(asked, "vm");
  if (known === undefined) {
    throw new PthError(
      "IMAGE_MISSING",
      `Cannot use image ${asked}: there is no machine's image of that name`,
      {
        next: ["See which images there are: pth images list"],
      },
    );
  }
  throw new PthError("IMAGE_MISSING", `Cannot make a machine: image ${known.name} is not built`, {
    next: [`Build it: pth images build ${known.name}`, "See what there is: pth images list"],
  });
}

/** Path of the QEMU that libvirt would run. @throws {PthError} `RUNTIME_UNAVAILABLE` where it has none */
export async function requireEmulator(hypervisor: Hypervisor): Promise<string> {
  const capabilities = await hypervisor.capabilities();
  const found = capabilities.match(/<arch name='x86_64'>[\s\S]*?<emulator>([^<]+)<\/emulator>/)?.[1];
  if (found !== undefined) return found;
  throw new PthError("RUNTIME_UNAVAILABLE", "Cannot run machines: libvirt knows no QEMU for x86_64", {
    next: ["Install it: scripts/setup-host.sh --with-vm"],
  });
}
