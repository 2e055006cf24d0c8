/** Committed changes in figures, as structured answers have them. */
import { z } from "zod";

export const changeFigures = { added: z.number(), removed: z.number() };

/** Lines are absent for binary files. */
export const changedFileSchema = z.object({
  path: z.string(),
  from: z.string().exactOptional().describe("Earlier name."),
  added: z.number().exactOptional(),
  removed: z.number().exactOptional(),
});
