/** What is laid over `/` of a machine that is being made: what the host carries in, and the scripts that run there. */
import { join } from "node:path";
import { copyFile, listFolder, makeTempDir, mkdir, removeIfExists } from "../../platform/files.ts";
import { type BuildOptions, carryIn, imagesFolder } from "./context.ts";

/** Where the scripts are inside. */
export const scriptsFolder = "/usr/local/share/pth";

/** Makes it in a temporary folder of its own, which the caller removes. */
export async function makeScripts(options: BuildOptions): Promise<string> {
  const context = await makeTempDir({ prefix: "pth-image-" });
  try {
    const images = await imagesFolder();
    const inside = join(context, scriptsFolder);
    await mkdir(inside, { recursive: true });
    const scripts = (await listFolder(join(images, "vm"))).filter(({ isFile }) => isFile);
    for (const { name } of scripts) await copyFile(join(images, "vm", name), join(inside, name));
    await copyFile(join(images, "provision.sh"), join(inside, "provision.sh"));
    await copyFile(join(images, "host", scriptsFolder, "README.md"), join(inside, "README.md"));
    await carryIn(context, options);
    return context;
  } catch (error) {
    await removeIfExists(context);
    throw error;
  }
}
