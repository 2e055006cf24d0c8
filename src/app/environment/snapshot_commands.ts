/** Requests about snapshots: taking, listing, forgetting, and going back to one. */
import { asPthError, errorMessage, PthError } from "../../core/errors.ts";
import type {
  EnvironmentCommands,
  PluginCommands,
  RequestOptions,
  SnapshotCommands,
  SnapshotInfo,
} from "../../api/harness.ts";
import { sendRequest } from "../send_request.ts";
import { type SessionContext, withProgress } from "../session/session_context.ts";

interface Others {
  plugin: Pick<PluginCommands, "reload">;
  environment: Pick<EnvironmentCommands, "reprovision">;
}

export function snapshotCommands(context: SessionContext, others: Others): SnapshotCommands {
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

  /** Its name, also where its tag is given: of the living environment's the latest one. */
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
    await sendRequest(actor, { type: "session.perform", kind: "drop_snapshot", args: { snapshot } }, {
      signal,
    });
    for (const [commit, gate] of live.snapshots.beforeFixes) {
      if (gate.snapshot === snapshot) live.snapshots.beforeFixes.delete(commit);
    }
  }

  /** What was installed outside of the plugin's folder went with the environment, too. */
  async function goBack(snapshot: string, options: RequestOptions): Promise<{ reloaded: boolean }> {
    await sendRequest(actor, { type: "session.rollback", snapshot });
    if (!(context.plugin ?? context.lostPlugin)) return { reloaded: false };
    await others.plugin.reload(options).catch((error) => Promise.reject(notReloaded(error, snapshot)));
    return { reloaded: true };
  }

  /** A clean environment, and the plugin built from the branch as it stands. */
  async function startAfresh(failure: PthError, options: RequestOptions) {
    live.progress.note(`${failure.message}. A new environment takes its place.`);
    await others.environment.reprovision({}, options);
    return { reloaded: context.plugin !== undefined, recovered: errorMessage(failure) };
  }

  return {
    list: snapshots,
    drop: dropSnapshot,
    async take(tag, options) {
      const snapshot = await sendRequest<string>(actor, { type: "session.snapshot", tag }, {
        signal: options?.signal,
      });
      return { snapshot, holds: holds(live.environment.require().runtime.abilities.snapshots) };
    },
    rollBack: (snapshot, { recover = false, ...options } = {}) =>
      withProgress(context, options, async () => {
        try {
          return await goBack(nameOf(snapshot), options);
        } catch (thrown) {
          const error = asPthError(thrown);
          if (!recover || !curable.has(error.code)) throw thrown;
          return await startAfresh(error, options);
        }
      }),
  };
}

/** What a new environment cures; a wrong name or a plugin that does not build it does not. */
const curable: ReadonlySet<string> = new Set([
  "ROLLBACK_FAILED",
  "ENVIRONMENT_LOST",
  "SNAPSHOT_FAILED",
  "NO_SUCH_SNAPSHOT",
]);

const holds = (ability: "disk" | "memory" | false | undefined): SnapshotInfo["holds"] =>
  ability === "memory" ? "disk and memory" : "disk";

function notReloaded(thrown: unknown, snapshot: string): PthError {
  const error = asPthError(thrown);
  const message =
    `The environment is back at ${snapshot}, but the plugin does not load there. ${error.message}`;
  return new PthError(error.code, message, error.context, { cause: thrown });
}
