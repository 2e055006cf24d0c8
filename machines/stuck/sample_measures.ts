/** Measures of samples that say the same. */
import type { StuckFigures, StuckJudgement } from "../model/stuck.ts";

export interface SampleTaken {
  type: "sample.taken";
  number: number;
  judgement: StuckJudgement;
  costMs: number;
  /** Time in ms of a clock that only goes forward. */
  at: number;
  /** Time in ms of a processor that the sampler has spent, and for which it has lived. */
  spentMs: number;
  aliveMs: number;
}

/** Share of one processor that samples may take, and time in ms of it that they may take ahead: the first ones cost most. */
const share = 0.01;
const creditMs = 60;

export interface SampleMeasures {
  at: number;
  /** Time of a processor that samples have taken beyond their share. */
  debtMs: number;
  /** Shortest pause in ms before the next sample that keeps within the share. */
  pauseMs: number;
  /** Time of the first sample in a row that said the same. */
  firstAt: number;
  figures: StuckFigures;
}

export const unmeasured: SampleMeasures = {
  at: 0,
  debtMs: 0,
  pauseMs: 0,
  firstAt: 0,
  figures: { provenAfterMs: 0, verdictAfterMs: 0, samplerSpentMs: 0, samplerAliveMs: 0 },
};

/** @param isSame it says the same as the sample before */
export function measuredBy(
  { costMs, at, spentMs, aliveMs }: SampleTaken,
  before: SampleMeasures,
  isSame: boolean,
): SampleMeasures {
  const firstAt = isSame ? before.firstAt : at;
  const afterMs = at - firstAt;
  const debtMs = Math.max(0, before.debtMs - share * (at - before.at)) + costMs;
  return {
    at,
    debtMs,
    pauseMs: Math.max(0, debtMs - creditMs) / share,
    firstAt,
    figures: {
      provenAfterMs: afterMs,
      verdictAfterMs: afterMs,
      samplerSpentMs: spentMs,
      samplerAliveMs: aliveMs,
    },
  };
}

export const withFigures = (measured: SampleMeasures, figures: Partial<StuckFigures>): SampleMeasures => ({
  ...measured,
  figures: { ...measured.figures, ...figures },
});
