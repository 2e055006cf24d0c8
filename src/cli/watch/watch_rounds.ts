/** `pth run --watch`: after the run, tests again what the author changes, until told to end. */
import { resolve } from "node:path";
import type { Session } from "../../api/harness.ts";
import type { CommandContext } from "../command.ts";
import type { Interruption } from "../listen_for_interrupts.ts";
import type { SuiteRequest } from "../options/suite_options.ts";
import { type DirectorySnapshot, snapshotDirectory } from "./wait_for_cause.ts";
import { watchChanges } from "./watch_changes.ts";
import { playChanges, playKey, type Watch } from "./play_changes.ts";

/** Looks at the author's folder, and at the tests that stand for the plugin's own. */
export const snapshotWatched = (
  folder: string,
  { testsPath }: Pick<SuiteRequest, "testsPath">,
): Promise<DirectorySnapshot> =>
  snapshotDirectory(folder, testsPath === undefined ? undefined : resolve(testsPath));

/**
 * Resolves to the exit code: what the latest results of all tests say, or that of an interruption. A round that fails, as
 * with a build error, is told, and the next change is waited for.
 * @param before the author's folder as the session's copy was made from it
 */
export async function watchRounds(
  session: Session,
  request: SuiteRequest,
  interruption: Interruption,
  context: CommandContext,
  before: DirectorySnapshot,
): Promise<number> {
  const folder = session.info().source.folder!;
  const watch: Watch = {
    session,
    request,
    options: { signal: interruption.signal },
    say: (line) => context.stdout.write(`${line}\n`),
    sources: new Set(),
    edited: new Set(),
  };
  await watchChanges(
    {
      folder,
      before,
      look: () => snapshotWatched(folder, request),
      play: (cause) => cause.kind === "changed" ? playChanges(watch, cause.paths) : playKey(watch, cause.key),
    },
    interruption,
    context,
  );
  return interruption.exitCode() ?? (isGreen(session) ? 0 : 1);
}

const isGreen = (session: Session): boolean =>
  session.plugin.status().state === "ready" && session.report().summary.failed === 0;
