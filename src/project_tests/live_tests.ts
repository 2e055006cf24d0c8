/** A run of tests while it goes on: its place, what was read, its plans and its command. */
import type { FrameworkFound, ProjectTestRequest } from "../../machines/model/project_test.ts";
import type { ProjectTestFact } from "../../machines/model/project_test_run.ts";
import type { ProbeResult, ProjectTestFramework, TestProject, TestStream } from "./framework.ts";
import { type BoundedOutput, boundedOutput } from "./bounded_output.ts";
import { TestLog } from "./test_log.ts";
import type { ProjectPlace } from "./project_place.ts";

/** Characters of the beginning and of the end that are kept of what a framework says. */
const rawHalf = 512 * 1024;
/** In ms. */
const probeLimit = 20_000;
const probeBytes = 8 * 1024 * 1024;

/** A plan as it was placed. */
export interface PlacedPlan {
  framework: ProjectTestFramework;
  project: TestProject;
  /** File of its reporters, and how much of it was read. */
  events: string;
  offset: number;
  log: TestLog;
}

/** A command as the details file tells it. */
export interface RanCommand {
  kind: "preparation" | "tests" | "suspect";
  argv: string[];
  cwd?: string;
  exit: string;
  durationMs: number;
}

export interface LiveTests {
  readonly place: ProjectPlace;
  readonly publish: (fact: ProjectTestFact) => void;
  readonly log: TestLog;
  readonly raw: Record<TestStream, BoundedOutput>;
  readonly plans: PlacedPlan[];
  readonly commands: RanCommand[];
  /** Folder of the run, once there is one. */
  scratch?: string;
  found: FrameworkFound[];
  /** File of the tracer in the place, its name and its cost per call, where calls are traced. */
  trace?: { output: string; tracer: string; cost: string };
  /** End of the limit, once the first command runs; in ms of the epoch. */
  deadlineAt?: number;
  /** End of all that the last command started, where that was ended. */
  ending?: Promise<void>;
  /** The command that runs tests now. */
  current?: RunningCommand;
}

export interface RunningCommand {
  pid: number;
  began: number;
  /** PTH is ending it. */
  isEnded: boolean;
  log: TestLog;
  /** Set from the moment when its last stacks are taken, which may end it, until PTH ends it: it says nothing any more on tests. */
  held?: { promise: Promise<void>; release(): void };
}

/** The command that runs, for those who take its stacks. */
export const watchedCommand = ({ raw }: LiveTests, current: RunningCommand) => ({
  printed: (): string => `${raw.stdout.text()}\n${raw.stderr.text()}`,
  endsNow(): void {
    current.isEnded = true;
    let release = () => {};
    const promise = new Promise<void>((resolve) => release = resolve);
    current.held ??= { promise, release: () => release() };
  },
});

export const openLiveTests = (
  place: ProjectPlace,
  publish: (fact: ProjectTestFact) => void,
): LiveTests => ({
  place,
  // Names are the project's.
  publish: (fact) => publish(place.redact.value(fact)),
  log: new TestLog(),
  raw: { stdout: boundedOutput(rawHalf), stderr: boundedOutput(rawHalf), events: boundedOutput(rawHalf) },
  plans: [],
  commands: [],
  found: [],
});

/** The project as frameworks see it, in the place of the run. */
export const projectOf = (place: ProjectPlace, request: ProjectTestRequest): TestProject => ({
  folder: place.folder,
  root: place.root,
  request,
  async probe(argv, env): Promise<ProbeResult> {
    try {
      const { code, stdout, stderr } = await place.exec(argv, {
        ...(env && { env }),
        signal: AbortSignal.timeout(probeLimit),
        maxBytes: probeBytes,
      });
      return { code, stdout, stderr };
    } catch (error) {
      // A program that cannot be started, or does not end, is an answer, too.
      return { code: null, stdout: "", stderr: error instanceof Error ? error.message : String(error) };
    }
  },
});
