/** Questions that PTH asks the user, and their answers. */

/** A variable that a plugin does not start without, and that has no value yet. */
export interface MissingValue {
  name: string;
  secret: boolean;
  /** File that declares it. */
  source: string;
  description?: string;
}

export interface ConfigQuestion {
  /** The plugin that needs them. */
  plugin: string;
  missing: MissingValue[];
}

/** Values by name, as far as they were given; or a sentence that says why there are none. */
export type ConfigAnswer = { values: Record<string, string> } | { refused: string };
export type AskConfig = (question: ConfigQuestion, signal?: AbortSignal) => Promise<ConfigAnswer>;
