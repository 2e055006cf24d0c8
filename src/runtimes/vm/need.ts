/** The image that a machine needs, found or told what is missing. */
import { PthError } from "../../errors.ts";
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
