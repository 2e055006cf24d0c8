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

export interface SampleMeasures {
  costMs: number;
  firstAt: number;
  figures: StuckFigures;
}

export const unmeasured: SampleMeasures = {
  costMs: 0,
  firstAt: 0,
  figures: { provenAfterMs: 0, verdictAfterMs: 0, samplerSpentMs: 0, samplerAliveMs: 0 },
};

/** @param firstAt time of the first sample in a row that said the same */
export function measuredBy({ costMs, at, spentMs, aliveMs }: SampleTaken, firstAt: number): SampleMeasures {
  const afterMs = at - firstAt;
  return {
    costMs,
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
