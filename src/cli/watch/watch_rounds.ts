/** `pth run --watch`: after the run, tests again what the author changes, until told to end. */
import { resolve } from "node:path";
import { asPthError } from "../../core/errors.ts";
import type { Session } from "../../api/harness.ts";
import type { CommandContext } from "../command.ts";
import type { Interruption } from "../listen_for_interrupts.ts";
import type { SuiteRequest } from "../options/suite_options.ts";
import { renderTerminalError } from "../render_terminal_error.ts";
import {
  type DirectorySnapshot,
  snapshotDirectory,
  waitForCause,
  type WatchKey,
  watchKeys,
} from "./wait_for_cause.ts";
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
  { signal, race, exitCode }: Interruption,
  context: CommandContext,
  before: DirectorySnapshot,
): Promise<number> {
  const folder = session.info().source.folder!;
  const keys = listenForKeys(context);
  const watch: Watch = {
    session,
    request,
    options: { signal },
    say: (line) => context.stdout.write(`${line}\n`),
    sources: new Set(),
    edited: new Set(),
  };
  let photo = before;
  watch.say(`\nWatching ${folder} (${keys.help})`);
  try {
    while (true) {
      const look = () => snapshotWatched(folder, request);
      const cause = await waitForCause({ before: photo, look, key: keys.take, signal });
      if (cause.kind === "interrupted" || (cause.kind === "key" && cause.key === "q")) break;
      if (cause.kind === "changed") photo = cause.photo;
      try {
        await race(cause.kind === "changed" ? playChanges(watch, cause.paths) : playKey(watch, cause.key));
      } catch (error) {
        if (signal.aborted) break;
        tell(error, context);
      }
      watch.say(`  Waiting for changes (${keys.help})`);
    }
  } finally {
    keys.stop();
  }
  return exitCode() ?? (isGreen(session) ? 0 : 1);
}

const isGreen = (session: Session): boolean =>
  session.plugin.status().state === "ready" && session.report().summary.failed === 0;

function tell(error: unknown, { stdout, env }: CommandContext): void {
  const text = renderTerminalError(asPthError(error), { colour: stdout.colour, debug: !!env("PTH_DEBUG") });
  stdout.write(text.replace(/^(?=.)/gm, "  "));
}

/** Listens for keys, if stdin is a terminal. */
function listenForKeys({ onKey }: Pick<CommandContext, "onKey">) {
  if (onKey === undefined) return { help: "Ctrl-C ends", take: () => undefined, stop: () => {} };
  const pressed: WatchKey[] = [];
  const stop = onKey((key) => {
    const known = watchKeys.find((one) => one === key);
    if (known !== undefined) pressed.push(known);
  });
  return { help: "a: all, f: failed, q: quit", take: () => pressed.shift(), stop };
}
