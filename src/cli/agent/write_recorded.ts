/** Writes the playbook of a session: one that was recorded, or one whose recorded requests are brought up to date. */
import type { PlaybookText } from "../../../machines/model/playbook.ts";
import { withRecorded, writePlaybook } from "../../agents/recording/write_playbook.ts";
import { count } from "../../core/text.ts";
import { readTextFile, writeTextAtomically } from "../../platform/files.ts";
import type { ModelSource } from "./model_source.ts";

/** @returns a line for people; undefined where nothing was to be written */
export async function writeRecorded(
  { out, update }: Pick<ModelSource, "out" | "update">,
  recorded: PlaybookText | undefined,
): Promise<string | undefined> {
  if (out !== undefined) {
    if (recorded === undefined) return `Nothing was recorded: the model gave no answer`;
    await writeTextAtomically(out, writePlaybook(recorded));
    const turns = [recorded.turns ?? [], ...(recorded.lanes ?? []).map(({ turns }) => turns)].flat().length;
    return `Wrote ${out}: ${count(turns, "turn")}`;
  }
  if (update === undefined || recorded?.recorded === undefined) return undefined;
  await writeTextAtomically(update, withRecorded(await readTextFile(update), recorded.recorded));
  return `Wrote how the requests are now into ${update}`;
}
