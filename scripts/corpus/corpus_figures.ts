/** Counts what the results of the corpus show. */
import { allTools, type CorpusJudgements, type PublishedServer, type ServerResult } from "./corpus_schema.ts";
import { judgementOf } from "./judgement_of.ts";

export interface ServerFigures {
  /** Whether its tools were listed and its tests ran to their end. */
  loaded: boolean;
  tools: number;
  exercised: number;
  /** Tools that need nothing from outside. */
  inside: number;
  insideExercised: number;
  faults: number;
  falseAlarms: number;
  unjudged: number;
  findings: number;
  seconds: number;
}

/** Need of the tool from outside, or undefined where it needs nothing. */
export const outsideNeedOf = ({ outside }: Pick<PublishedServer, "outside">, tool: string) =>
  outside[tool] ?? outside[allTools];

export function serverFigures(
  server: PublishedServer,
  result: ServerResult,
  judgements: CorpusJudgements,
): ServerFigures {
  const tools = Object.entries(result.tools);
  const inside = tools.filter(([tool]) => outsideNeedOf(server, tool) === undefined);
  const isExercised = ([, { state }]: (typeof tools)[number]): boolean => state === "exercised";
  const judged = result.failures.map((failure) => judgementOf(judgements, server.package, failure)?.fault);
  return {
    loaded: result.error === undefined,
    tools: tools.length,
    exercised: tools.filter(isExercised).length,
    inside: inside.length,
    insideExercised: inside.filter(isExercised).length,
    faults: judged.filter((fault) => fault === true).length,
    falseAlarms: judged.filter((fault) => fault === false).length,
    unjudged: judged.filter((fault) => fault === undefined).length,
    findings: Object.values(result.findings).reduce((sum, number) => sum + number, 0),
    seconds: result.seconds,
  };
}

/** Sum of the figures of several servers; `loaded` is how many were. */
export function sumOfFigures(
  figures: readonly ServerFigures[],
): Omit<ServerFigures, "loaded"> & { loaded: number } {
  const sum = (key: keyof ServerFigures): number =>
    figures.reduce((total, one) => total + Number(one[key]), 0);
  return {
    loaded: sum("loaded"),
    tools: sum("tools"),
    exercised: sum("exercised"),
    inside: sum("inside"),
    insideExercised: sum("insideExercised"),
    faults: sum("faults"),
    falseAlarms: sum("falseAlarms"),
    unjudged: sum("unjudged"),
    findings: sum("findings"),
    seconds: sum("seconds"),
  };
}

/** Mistakes in the list that only a run shows: a tool is named that the server does not list. */
export function unlistedTools({ outside }: PublishedServer, { tools, error }: ServerResult): string[] {
  if (error !== undefined) return [];
  return Object.keys(outside).filter((tool) => tool !== allTools && !Object.hasOwn(tools, tool));
}
