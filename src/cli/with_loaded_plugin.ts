/** A plugin loaded in a run of its own, for commands that want no verdict. */
import type { Session } from "../api/harness.ts";
import { dispatch } from "../testing/reporter.ts";
import { createProgress } from "../testing/reporters/spec/spec_progress.ts";
import type { CommandContext } from "./command.ts";
import type { Interruption } from "./listen_for_interrupts.ts";
import type { StartRequest } from "./options/start_options.ts";
import { withHarness } from "./with_harness.ts";

/** The same start, for a command that only calls what the server offers. */
export const callingOnly = (start: StartRequest): StartRequest => ({
  ...start,
  target: { ...start.target, callsOnly: true },
});

/** Answers the exit code: 0, or that of the interruption. @throws {PthError} what stopped it */
export async function withLoadedPlugin(
  start: StartRequest,
  context: CommandContext,
  work: (session: Session, interruption: Interruption) => Promise<void>,
): Promise<number> {
  const progress = createProgress(context.stderr);
  return await withHarness(start, context, async (harness, interruption) => {
    const { signal, race } = interruption;
    const stopFollowing = harness.on((fact) => dispatch(progress.hooks, fact));
    try {
      await race(harness.startSession(start.target, { signal, mode: "run", force: start.force }));
      const session = harness.session();
      await race(session.environment.provision(start.config, { signal }));
      await race(session.plugin.load({}, { signal, ...start.asking }));
      await work(session, interruption);
      return 0;
    } catch (error) {
      const interrupted = interruption.exitCode();
      if (interrupted === undefined) throw error;
      return interrupted;
    } finally {
      stopFollowing();
      progress.live.show(undefined);
    }
  });
}
