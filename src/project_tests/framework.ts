/** The interface of test frameworks: how one is found, started and read. */
import type {
  FrameworkFound,
  ProjectSummary,
  ProjectTest,
  ProjectTestEvent,
  ProjectTestRequest,
  TestCommand,
} from "../../machines/model/project_test.ts";
import type { RunnerThreads } from "../../machines/model/stuck.ts";
import type { ReadableFolder } from "../plugin/readable_folder.ts";

/** Result of a command that a framework asks for before tests run: a probe of a program, a list of tests. */
export interface ProbeResult {
  /** Null where it could not be started, or a signal or the time limit ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A project in the place where its tests run. */
export interface TestProject {
  /** The project's files as they are there. */
  folder: ReadableFolder;
  /** Absolute path of the project's folder there. */
  root: string;
  request: ProjectTestRequest;
  /** Runs a short command in the project's folder; bounded in time and output. Never throws for what the command does. */
  probe(argv: readonly string[], env?: Record<string, string>): Promise<ProbeResult>;
}

/** Files and commands of one run. */
export interface TestPlan {
  /** Programs of PTH's own that the commands name: placed before, removed after. By name, relative to `place.scratch`. */
  files: Record<string, string>;
  /** Commands before the tests, such as compiling; one that fails ends the run with what `readPreparation` says of it. */
  preparation: TestCommand[];
  /** Commands that run tests, one after the other; each is watched by the stuck detector. */
  runs: TestCommand[];
}

export interface PlanPlace {
  /** Absolute path of a folder of PTH's own, outside of the project, that exists. */
  scratch: string;
  /** Absolute path of the file to which a reporter appends one JSON value a line; it exists and is empty. */
  events: string;
}

/** Sources of what a framework says: the streams of its process, and the lines of the events file. */
export type TestStream = "stdout" | "stderr" | "events";

/** Reads one run as it goes on. It never throws, whatever it is given, and keeps a bounded amount. */
export interface EventReader {
  /** Takes text as it comes, cut anywhere; `events` come as whole lines. */
  push(stream: TestStream, text: string): ProjectTestEvent[];
  /** The process has ended, by itself or not. */
  end(exit: { code: number | null; signal: string | null }): ProjectTestEvent[];
}

export interface ProjectTestFramework {
  /** Name as `framework` of a request takes it. */
  name: string;
  /** Description for the documentation. */
  summary: string;
  language: string;
  buildSystem: string;
  /** Sign of a project that uses it, for people. */
  detectedBy: string;
  /** Runs a `command` of the request; a framework without this fits no request that has one. */
  takesCommands?: true;
  /** Programs that have to be there; the first that is missing is named. */
  needs(project: TestProject): readonly string[];
  /** Undefined where nothing points to it. Files alone decide, but for a `command` of the request, which may be probed. */
  detect(project: TestProject): Promise<Omit<FrameworkFound, "framework"> | undefined>;
  /**
   * @throws {PthError} `INVALID_INPUT` for a level, test or command that it cannot take, with the next step
   */
  plan(project: TestProject, place: PlanPlace): Promise<TestPlan>;
  /** Reads the output of a preparation that failed: errors of the compiler with their places. */
  readPreparation?(result: ProbeResult, project: TestProject): ProjectTestEvent[];
  /** Makes a reader for each of the runs. */
  reader(project: TestProject): EventReader;
  /** Command that runs one test alone, as a person pastes it into a shell in the project's folder. */
  rerun?(test: ProjectTest, project: TestProject): TestCommand;
  /** Patterns of functions that are worth tracing after that failure, best first. */
  suggestTraces?(test: ProjectTest): string[];
  /** Functions of the process tree that belong to the framework and not to a test, for the stuck detector. */
  runnerThreads?: RunnerThreads;
  /** Counts test files, and says how a first test is made. */
  withoutTests(project: TestProject): Promise<ProjectSummary & { hint: string }>;
}

/** Identity with types: the default export of a file in `frameworks/`. */
export const defineFramework = (definition: ProjectTestFramework): ProjectTestFramework => definition;
