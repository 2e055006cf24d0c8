/** Inputs that were found to work, and the search for them. */
import type { StartingInput } from "./fuzz.ts";

/** An input of a tool that worked. */
export interface LearnedInput extends StartingInput {
  /** Assertions that a person added; without them the call has to be accepted. */
  expect?: Record<string, unknown>;
  /** The server's words to the input that was tried first. */
  refusal?: string;
}

export interface LearnRequest {
  /** Tools to find an input for; default all that refuse the input that is generated for them. */
  tools?: string[];
  /** Includes tools that are annotated destructive or open-world. */
  includeHeldBack?: boolean;
  /** Inputs to try in place of a search. */
  inputs?: Omit<LearnedInput, "refusal">[];
  /** Inputs that are known to work; their tools are not searched, and others may need their calls. */
  known?: LearnedInput[];
  /** Absolute path of the folder where calls land, and the folder of example files that inputs name. */
  place?: { folder?: string; files?: string };
  /** Limit for everything together; default 120. */
  timeSeconds?: number;
}

export interface LearnReport {
  learned: LearnedInput[];
  /** Tools for which no input was found, with the words of the last refusal. */
  refused: { tool: string; reason: string; input: Record<string, unknown> }[];
  calls: number;
  durationMs: number;
  /** Reason why it ended before all tools were tried. */
  cutShort?: string;
}
