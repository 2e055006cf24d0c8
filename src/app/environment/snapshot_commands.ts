/** Requests about snapshots: taking, listing, forgetting, and going back to one. */
import { RestoredNotLoaded } from "../../../machines/restore_machine.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import type { RequestOptions, SnapshotCommands, SnapshotInfo } from "../../api/harness.ts";
import { runTask } from "../run_task.ts";
import { publicError, sendOperation, sendRequest } from "../send_request.ts";
import { type SessionParts, withProgress } from "../session/session_parts.ts";

export function snapshotCommands(context: SessionParts): SnapshotCommands {
  const { actor, live } = context;

  function snapshots(): SnapshotInfo[] {
    const gates = new Map(
      [...live.snapshots.beforeFixes].map(([commit, { snapshot }]) => [snapshot, commit]),
    );
    return [...live.snapshots.taken].map(([name, { tag, takenAt, environment }]) => {
      const fix = gates.get(name);
      return {
        name,
        tag,
        takenAt,
        ageSeconds: Math.max(0, Math.round((Date.now() - Date.parse(takenAt)) / 1000)),
        holds: holds(live.environment.current?.runtime.abilities.snapshots),
        usable: live.environment.current !== undefined && environment === live.environment.count,
        ...(fix === undefined ? {} : { fix }),
      };
    });
  }

  /** Resolves a name or a tag to a snapshot's name; of several, the latest of the present environment. */
  function nameOf(asked: string): string {
    const known = snapshots().filter(({ usable }) => usable);
    if (known.some(({ name }) => name === asked)) return asked;
    return known.findLast(({ tag }) => tag === asked)?.name ?? asked;
  }

  async function dropSnapshot(asked: string, { signal }: RequestOptions = {}): Promise<void> {
    const known = snapshots().filter(({ usable }) => usable);
    const snapshot = nameOf(asked);
    if (!known.some(({ name }) => name === snapshot)) {
      throw new PthError(
        "NO_SUCH_SNAPSHOT",
        `Cannot drop snapshot ${snapshot}: this environment has none of that name`,
        {
          next: [
            known.length > 0
              ? `Use one of: ${known.map(({ name }) => name).join(", ")}`
              : "There is none to drop",
          ],
        },
      );
    }
    await sendOperation(actor, "drop_snapshot", { snapshot }, { signal });
    for (const [commit, gate] of live.snapshots.beforeFixes) {
      if (gate.snapshot === snapshot) live.snapshots.beforeFixes.delete(commit);
    }
  }

  return {
    list: snapshots,
    drop: dropSnapshot,
    async take(tag, options) {
      const snapshot = await sendRequest(actor, { type: "session.snapshot", tag }, {
        signal: options?.signal,
      });
      return { snapshot, holds: holds(live.environment.require().runtime.abilities.snapshots) };
    },
    rollBack: (snapshot, { recover = false, ...options } = {}) =>
      withProgress(context, options, async () => {
        const request = { type: "session.restore_snapshot", snapshot: nameOf(snapshot), recover } as const;
        try {
          const { reloaded, recovered } = await runTask(context, request, options);
          return { reloaded, ...(recovered === undefined ? {} : { recovered }) };
        } catch (error) {
          throw asNotReloaded(error);
        }
      }),
  };
}

const holds = (ability: "disk" | "memory" | false | undefined): SnapshotInfo["holds"] =>
  ability === "memory" ? "disk and memory" : "disk";

function asNotReloaded(thrown: unknown): PthError {
  const error = asPthError(thrown);
  if (!(error.cause instanceof RestoredNotLoaded)) return error;
  const failure = publicError(error.cause.cause);
  const message =
    `The environment is back at ${error.cause.snapshot}, but the plugin does not load there. ${failure.message}`;
  return new PthError(failure.code, message, failure.context, { cause: failure });
}
