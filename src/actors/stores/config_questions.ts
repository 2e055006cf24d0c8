/** Questions for configuration that were put to a person. */
import type { AskConfig } from "../../api/harness.ts";

export class ConfigQuestions {
  /** Answers by variable; none of them secret. */
  readonly answers: Record<string, string> = {};
  /** Variables, secret or not, whose values are answers. */
  readonly answered = new Set<string>();
  /** Asks a person while the loop is under way. */
  ask: AskConfig | undefined;
}
