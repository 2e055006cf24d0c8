/** Fills the slots of runs of a project's own tests in its folder on the host, without a session. */
import { resolve } from "node:path";
import { fromPromise } from "xstate";
import { parentRef } from "../../../machines/parent_ref.ts";
import { stuckDetectorMachine } from "../../../machines/stuck_detector_machine.ts";
import type { PublishedEvent } from "../../api/published_event.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { makeRedactor } from "../../core/redact.ts";
import { isAbsent, lstat, readDir, stat } from "../../platform/files.ts";
import { isSecretName } from "../../plugin/declared_variables.ts";
import { hostAccess } from "../../project_tests/host_access.ts";
import { hostPlace } from "../../project_tests/host_place.ts";
import type { WatchedCommand } from "../../stuck/stacks/stack_way.ts";
import { lazyProjectTestActors } from "./lazy_project_test_actors.ts";
import type { MakeTestActor } from "./project_test_actors.ts";
import { stuckDetectorActors } from "./stuck_detector_actors.ts";

export const projectTestsInPlace = (publish: (fact: PublishedEvent) => void) =>
  actorsInPlace(publish, new Map());

const actorsInPlace = (
  publish: (fact: PublishedEvent) => void,
  watched: Map<number, WatchedCommand>,
) => ({
  detector: stuckDetectorMachine.provide({
    // A sampler ends by itself once its input is closed.
    actors: stuckDetectorActors(() => ({
      access: hostAccess,
      track: () => {},
      commandOf: (pid) => watched.get(pid),
    })),
  }),
  ...lazyProjectTestActors({
    actor,
    publish,
    access: () => hostAccess,
    watched,
    async openPlace({ projectRoot, env = {} }) {
      const root = resolve(projectRoot);
      const problem = await whyNoFolder(root);
      if (problem !== undefined) {
        throw new PthError("TARGET_NOT_FOUND", `Cannot run the tests: ${problem}`, {
          next: ["Name the project's folder"],
        });
      }
      const secrets = Object.entries(env).filter(([name]) => isSecretName(name)).map(([, value]) => value);
      return hostPlace(root, makeRedactor(secrets));
    },
    async step(phase, message, work) {
      const began = performance.now();
      publish({ type: "step.started", phase, message });
      try {
        const result = await work();
        publish({ type: "step.finished", phase, message, durationMs: performance.now() - began });
        return result;
      } catch (error) {
        publish({ type: "step.failed", phase, error });
        throw error;
      }
    },
  }),
});

const actor: MakeTestActor = (work) =>
  fromPromise(({ input, signal, self }) =>
    work(input, signal, (event) => {
      if (!signal.aborted) parentRef({ self }).send(event);
    })
  );

async function whyNoFolder(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isDirectory) return `${path} is a file`;
    // Looking into it shows whether that is allowed; leaving the loop closes it.
    for await (const _first of readDir(path)) break;
    return undefined;
  } catch (error) {
    if (!isAbsent(error)) return `${path} cannot be read (${errorMessage(error)})`;
    const isLink = await lstat(path).then(({ isSymlink }) => isSymlink, () => false);
    return isLink ? `${path} is a link that leads nowhere` : `there is no folder ${path}`;
  }
}
