import type { ReadableFolder } from "../plugin/readable_folder.ts";

/** The Python that the project's own environment has, relative to its folder, else the one of the path. */
export async function pythonLauncher(folder: ReadableFolder): Promise<string> {
  for (const path of [".venv/bin/python", "venv/bin/python", "env/bin/python"]) {
    if (await folder.exists(path)) return path;
  }
  return "python3";
}
