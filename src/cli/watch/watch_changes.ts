/** Waits for changes of files and for keys, and plays a round for each until it is to end. */
import { asPthError } from "../../core/errors.ts";
import type { CommandContext } from "../command.ts";
import type { Interruption } from "../listen_for_interrupts.ts";
import { renderTerminalError } from "../render_terminal_error.ts";
import {
  type Cause,
  type DirectorySnapshot,
  waitForCause,
  type WatchKey,
  watchKeys,
} from "./wait_for_cause.ts";

/** A cause to play a round. */
export type RoundCause = Exclude<Cause, { kind: "interrupted" }>;

interface WatchedFolder {
  /** For people. */
  folder: string;
  /** State of the folder when it was taken in last. */
  before: DirectorySnapshot;
  look(): Promise<DirectorySnapshot>;
  /** Plays a round. One that fails, as with a build error, is told, and the next cause is waited for. */
  play(cause: RoundCause): Promise<void>;
}

/** Resolves once a key or an interruption ends it. */
export async function watchChanges(
  { folder, before, look, play }: WatchedFolder,
  { signal, race }: Pick<Interruption, "signal" | "race">,
  context: CommandContext,
): Promise<void> {
  const keys = listenForKeys(context);
  const say = (line: string) => context.stdout.write(`${line}\n`);
  let photo = before;
  say(`\nWatching ${folder} (${keys.help})`);
  try {
    while (true) {
      const cause = await waitForCause({ before: photo, look, key: keys.take, signal });
      if (cause.kind === "interrupted" || (cause.kind === "key" && cause.key === "q")) return;
      if (cause.kind === "changed") photo = cause.photo;
      try {
        await race(play(cause));
      } catch (error) {
        if (signal.aborted) return;
        tell(error, context);
      }
      say(`  Waiting for changes (${keys.help})`);
    }
  } finally {
    keys.stop();
  }
}

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
