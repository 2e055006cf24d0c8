/** Request about other distributions. */
import type {
  MatrixAnswer,
  MatrixEnd,
  MatrixEntry,
  MatrixOutcome,
  MatrixReport,
  MatrixRun,
} from "../../../machines/model/matrix.ts";
import { PthError } from "../../core/errors.ts";
import type { DistroRequest, LoopCommands, RequestOptions, TestCommands } from "../../api/harness.ts";
import { compareEntries } from "../../matrix/compare_entries.ts";
import { duplicateEntries, entryOf, readEntry } from "../../matrix/matrix_entries.ts";
import { isBaseImage } from "../../runtimes/images/catalogue.ts";
import { registry } from "../../runtimes/_registry.ts";
import { entryResultOf } from "./entry_result.ts";
import { ranWhere } from "../../matrix/ran_where.ts";
import { definedOnly } from "../../core/values.ts";
import { runTask } from "../run_task.ts";
import { saveWhatIsKnown } from "../fixes/checkpoint_command.ts";
import { type SessionParts, withProgress } from "../session/session_parts.ts";
import { runsOn } from "../../actors/tests/runs_on.ts";

interface Others {
  tests: Pick<TestCommands, "list" | "results">;
  loop: Pick<LoopCommands, "status">;
}

export function matrixCommand(
  context: SessionParts,
  others: Others,
): Pick<LoopCommands, "runMatrix"> {
  const { live } = context;

  async function verify(
    request: DistroRequest | MatrixAnswer,
    options: RequestOptions,
  ): Promise<MatrixOutcome> {
    live.environment.require();
    const ask = "images" in request
      ? { type: "session.run_matrix" as const, run: runOf(context, request, others) }
      : { type: "session.answer_matrix" as const, answer: checked(context, request) };
    const { entries, ...end } = await runTask(context, ask, options);
    const matrix = matrixOf(entries);
    context.measurements.reports = { ...context.measurements.reports, matrix };
    context.measurements.commits = definedOnly({
      ...context.measurements.commits,
      matrix: runsOn(live).commit,
    });
    await saveWhatIsKnown(context, others.loop.status);
    verifiedIn.set(context, live.environment.current?.info.handle.environmentId);
    return { ...end, matrix };
  }

  return {
    runMatrix: (request, options = {}) => withProgress(context, options, () => verify(request, options)),
  };
}

/** Environment that the latest answer is about. */
const verifiedIn = new WeakMap<SessionParts, string | undefined>();

const matrixOf = (entries: MatrixEnd["entries"]): MatrixReport => ({
  entries: entries.map(({ report }) => report),
  differences: compareEntries(
    entries.flatMap(({ report: { name }, look }) =>
      look === undefined || look.results.length === 0
        ? []
        : [{ name, results: look.results, diagnosis: { groups: look.groups } }]
    ),
  ),
});

/** @throws {PthError} `INVALID_INPUT`, `NOT_NOW` */
function runOf(context: SessionParts, request: DistroRequest, others: Others): MatrixRun {
  const { images, run, force = false } = request;
  const current = currentEntry(context);
  const problems: string[] = [];
  const read = (text: string): MatrixEntry[] => {
    const one = readEntry(text, registry.map(({ name }) => name));
    if ("entry" in one) return [concrete(one.entry, current)];
    problems.push(one.problem);
    return [];
  };
  const named = images.flatMap(read);
  problems.push(...duplicateEntries(named));
  const primary = request.primary === undefined ? current : read(request.primary)[0] ?? current;
  if (problems.length === 0 && ![current, ...named].some(({ name }) => name === primary.name)) {
    problems.push(
      `primary ${request.primary} is neither the session's environment (${current.name}) nor among the images`,
    );
  }
  const different = named.filter(({ name }) => name !== primary.name);
  if (problems.length === 0 && different.length === 0) {
    problems.push(`there is no other distribution than the primary one, ${primary.name}`);
  }
  if (problems.length > 0) {
    throw new PthError("INVALID_INPUT", `Cannot verify distributions: ${problems.join("; ")}`, {
      next: [{ mcp: `Name others: pth_verify_cross_distro({ images: ["debian13"] })` }],
    });
  }
  const { results, summary } = others.tests.results();
  const known = results.length > 0 && primary.name === current.name;
  if (known && summary.failed > 0 && !force) throw stillFailing(summary.failed, primary);
  const here = ranWhere(context.live.environment.require().info);
  const passes = known && summary.failed === 0 && allAreOf(context, here.id);
  return {
    primary,
    others: different,
    run,
    primaryFirst: !passes,
    ...(passes ? { primaryLook: entryResultOf(others.tests, here, []) } : {}),
  };
}

/** Whether the results there are all of this environment, and of the code as the branch has it. */
const allAreOf = ({ live, results }: SessionParts, environmentId: string): boolean =>
  !live.code.line.isBehind &&
  live.code.line.stale([...results.latest.values()], live.plugin.loadFailure?.message) === undefined &&
  [...results.latest.values()].every((result) => result.environmentId === environmentId);

/** Matrix entry of the session's present environment, with the runtime that was chosen for it. */
function currentEntry({ live }: SessionParts): MatrixEntry {
  const { handle, config } = live.environment.require().info;
  const image = config.baseImage ?? (isBaseImage(handle.image) ? handle.image : undefined);
  return concrete(entryOf(image === undefined ? { runtime: handle.runtime } : { image }), {
    runtime: handle.runtime,
  });
}

/** With the session's runtime where it names none: the same name always means the same environment. */
const concrete = (entry: MatrixEntry, { runtime }: Pick<MatrixEntry, "runtime">): MatrixEntry => {
  const own = entry.runtime ?? runtime;
  const image = entry.image;
  const shown = entryOf(image === undefined || entry.runtime !== runtime ? entry : { image });
  return { ...shown, ...(own === undefined ? {} : { runtime: own }) };
};

const stillFailing = (failed: number, { name }: MatrixEntry): PthError =>
  new PthError(
    "NOT_NOW",
    `Cannot verify distributions: ${failed} ${failed === 1 ? "test fails" : "tests fail"} on ${name}`,
    {
      next: [
        { mcp: "Mend them first: pth_run_iteration({})" },
        { mcp: "Or see where else they fail: pth_verify_cross_distro({ images, force: true })" },
      ],
    },
  );

/** @throws {PthError} `NOT_NOW` for an answer that nothing awaits */
function checked(context: SessionParts, answer: MatrixAnswer): MatrixAnswer {
  const { actor, live } = context;
  const machine = actor.getSnapshot().context.matrix?.getSnapshot();
  if (machine?.value !== "awaitingFixes") {
    throw new PthError("NOT_NOW", "Cannot go on with the matrix: none awaits fixes", {
      next: [{ mcp: 'Begin one: pth_verify_cross_distro({ images: ["debian13"] })' }],
    });
  }
  if (live.environment.current?.info.handle.environmentId !== verifiedIn.get(context)) {
    throw new PthError(
      "NOT_NOW",
      "Cannot go on with the matrix: the environment was replaced meanwhile",
      {
        next: [{ mcp: "Begin it anew: pth_verify_cross_distro({ images })" }],
      },
    );
  }
  return answer;
}
