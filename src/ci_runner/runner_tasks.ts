/**
 * Tasks of the runner's session: it loads a plugin once and runs tests. In its bundle these take the place of all tasks of a
 * session (`bundleRunner`), most of which are about agents and fixes.
 */
import { testRunMachine } from "../../machines/mod.ts";
import type { taskMachines } from "../../machines/session/task_machines.ts";

export const runnerTasks = { testRunTask: testRunMachine } satisfies Partial<typeof taskMachines>;

/** Under the name that it is asked for. */
export { runnerTasks as taskMachines };
