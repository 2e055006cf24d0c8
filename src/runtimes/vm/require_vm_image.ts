/** The image that a machine needs, found or told what is missing. */
import { PthError } from "../../core/errors.ts";
import { defaultImage, imageOfKind, otherImages } from "../images/catalogue.ts";
import { findVmImage } from "../images/vm_images.ts";
import type { VmImage } from "./vm_image.ts";

/** The built image that stands for what was asked. @throws {PthError} `IMAGE_MISSING` */
export async function requireVmImage(asked: string = defaultImage): Promise<VmImage> {
  const found = await findVmImage(asked);
  if (found) return found;
  const known = imageOfKind(asked, "vm");
  if (known === undefined) {
    throw new PthError("IMAGE_MISSING", `Cannot make a machine: there is no image ${asked}`, {
      next: [...otherImages(asked, "vm"), {
        terminal: "See what there is: pth images list",
        mcp: "See what there is: pth_preflight({})",
      }],
    });
  }
  throw new PthError("IMAGE_MISSING", `Cannot make a machine: image ${known.name} is not built`, {
    next: [{
      terminal: `Build it: pth images build ${known.name}`,
      mcp: `Build it: pth_rebuild_base_images({ names: ["${known.name}"] })`,
    }, { terminal: "See what there is: pth images list", mcp: "See what there is: pth_preflight({})" }],
  });
}
