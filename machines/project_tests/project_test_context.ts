/** State of a run of a project's own tests, and the inputs of its work that follow from it. */
import type { TestName } from "../model/project_test.ts";
import type {
  CaptureTestsInput,
  FrameworkChoice,
  PlannedTests,
  ProjectTestAnswer,
  ProjectTestRun,
  ReportTestsInput,
  SeenByDetector,
  StuckRun,
  TestCommandInput,
} from "../model/project_test_run.ts";
import type { TaskContext, TaskInput } from "../task/task.ts";

export interface ProjectTestRunInput extends TaskInput {
  readonly run: ProjectTestRun;
}

export interface ProjectTestRunContext extends TaskContext, ProjectTestRunInput {
  choice: FrameworkChoice | undefined;
  /** With the number of its commands that have ended, of those that prepare and those that run tests. */
  planned: PlannedTests & { ended: { preparation: number; runs: number } } | undefined;
  suspects: {
    /** The test that the plan is for. */
    current?: TestName;
    /** Tests that may have ended their process, still to be run alone. */
    waiting: TestName[];
  };
  watch: {
    /** Commands that were ended. */
    stuck: StuckRun[];
    /** Latest word of the detector on the command that runs. */
    seen: SeenByDetector;
    /** Reason why a command was not watched. */
    unwatched?: string;
    /** The limit was reached: no command starts any more. */
    isOverdue: boolean;
  };
  answer: ProjectTestAnswer | undefined;
}

/** Name of the chosen framework, once there is one. */
export const frameworkOf = ({ choice }: ProjectTestRunContext): string => choice!.found[0]!.framework;

/** Input of the command that is next in a list of the plan. */
export const commandInput =
  (list: "preparation" | "runs") => ({ context }: { context: ProjectTestRunContext }) => {
    const { requestId, run, planned, suspects: { current: suspect } } = context;
    return {
      requestId,
      run: suspect === undefined ? run : { ...run, test: suspect.name },
      framework: frameworkOf(context),
      plan: planned!.plan,
      command: planned![list][planned!.ended[list]]!,
      ...(suspect === undefined ? {} : { suspect }),
    } satisfies TestCommandInput;
  };

/** Input of the look at a command that still runs. */
export const captureInput = ({ context: { requestId, run, watch } }: { context: ProjectTestRunContext }) => {
  const { judgement, stacks } = watch.seen;
  const isCertain = judgement !== undefined && "certain" in judgement && judgement.certain;
  return { requestId, run, hasStacks: isCertain && stacks !== undefined } satisfies CaptureTestsInput;
};

/** Input of the report. */
export const reportInput = (
  { context: { requestId, run, choice, watch } }: { context: ProjectTestRunContext },
) => ({
  requestId,
  run,
  choice: choice!,
  stuck: watch.stuck,
  ...(watch.unwatched === undefined ? {} : { unwatched: watch.unwatched }),
} satisfies ReportTestsInput);
