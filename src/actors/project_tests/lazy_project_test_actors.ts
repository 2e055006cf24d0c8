/** The slots of runs of projects' own tests, loaded when such a run begins. */
import { lazyActors } from "../lazy_actors.ts";
import type { ProjectTestParts } from "./project_test_actors.ts";

export const lazyProjectTestActors = (parts: ProjectTestParts) =>
  lazyActors(
    {
      open: "promise",
      detect: "promise",
      plan: "promise",
      prepare: "promise",
      runTests: "promise",
      capture: "promise",
      endCommand: "promise",
      report: "promise",
      clear: "promise",
    },
    async () => (await import("./project_test_actors.ts")).projectTestActors(parts),
  ).actors;
