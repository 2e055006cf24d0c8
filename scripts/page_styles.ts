/** The styles of the visualizer's page: it is bundled where it is asked for, and `tsc` leaves them behind. */
import { join } from "node:path";
import { readDir } from "../src/platform/files.ts";

/** Paths below the root. */
export async function pageStyles(root: string, folder = "src/visualizer/page"): Promise<string[]> {
  const styles: string[] = [];
  for await (const { name, isDirectory } of readDir(join(root, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) styles.push(...await pageStyles(root, path));
    else if (name.endsWith(".css")) styles.push(path);
  }
  return styles;
}
