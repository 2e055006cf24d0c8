/** Writes what a session leaves on this machine: its trace, and the playbook that was recorded or brought up to date. */
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import type { PlaybookText } from "../../../machines/model/playbook.ts";
import { withRecorded, writePlaybook } from "../../agents/recording/write_playbook.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { count } from "../../core/text.ts";
import { isNoSpace, readTextFile, writeTextAtomically } from "../../platform/files.ts";
import type { ModelSource } from "./model_source.ts";

interface SessionFiles extends Pick<ModelSource, "out" | "update"> {
  /** File for the trace; absent: it is not wanted. */
  trace: string | undefined;
}

/**
 * Writes the recording first: it may not be had again.
 * @returns a line for people; undefined where there is nothing to say
 * @throws {PthError} `REPORT_FAILED`, `DISK_FULL`
 */
export async function writeSessionFiles(
  { trace: traceFile, ...source }: SessionFiles,
  { trace, recorded }: { trace: AgentTrace; recorded?: PlaybookText },
): Promise<string | undefined> {
  const line = await writeRecorded(source, recorded);
  if (traceFile !== undefined) {
    const text = `${JSON.stringify(trace, undefined, 2)}\n`;
    await written("the trace", traceFile, () => writeTextAtomically(traceFile, text));
  }
  return line;
}

async function writeRecorded(
  { out, update }: Pick<ModelSource, "out" | "update">,
  recorded: PlaybookText | undefined,
): Promise<string | undefined> {
  if (out !== undefined) {
    if (recorded === undefined) return `Nothing was recorded: the model gave no answer`;
    await written("the recording", out, () => writeTextAtomically(out, writePlaybook(recorded)));
    const turns = [recorded.turns ?? [], ...(recorded.lanes ?? []).map(({ turns }) => turns)].flat().length;
    return `Wrote ${out}: ${count(turns, "turn")}`;
  }
  const requests = recorded?.recorded;
  if (update === undefined || requests === undefined) return undefined;
  await written(
    "the recording",
    update,
    async () => await writeTextAtomically(update, withRecorded(await readTextFile(update), requests)),
  );
  return `Wrote how the requests are now into ${update}`;
}

async function written(what: string, path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    const code = isNoSpace(cause) ? "DISK_FULL" : "REPORT_FAILED";
    throw new PthError(code, `Cannot write ${what} to ${path}: ${errorMessage(cause)}`, {
      next: ["Free disk space, or choose another file"],
    }, { cause });
  }
}
