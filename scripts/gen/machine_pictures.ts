/** The pictures that machines/README.md shows, one for each machine. */
import { pictures } from "../../src/visualizer/chart/catalogue.ts";
import type { GeneratedFile } from "./generate.ts";

export const machinePictures = async (): Promise<GeneratedFile[]> =>
  (await pictures()).map(({ name, text }) => ({ path: `docs/machines/${name}`, text }));
