/** One way to call a tool: its input, what of it comes from earlier answers, and which tools are called before. */
import type { Path } from "../../core/read_source.ts";
import type { GeneratedInput } from "../json_schema/schema_properties.ts";
import { isSamePath, withValueAt } from "./input_places.ts";
import type { KnownValue } from "./known_values.ts";

/** A value of an earlier answer in the place of one that was made up. */
export interface Feed {
  path: Path;
  value: KnownValue;
}

export interface Attempt {
  input: GeneratedInput;
  feeds: readonly Feed[];
  /** Tools that are called right before. */
  first: readonly string[];
}

export const plainAttempt = (input: GeneratedInput): Attempt => ({ input, feeds: [], first: [] });

/** The attempt with another value at a place, which no answer gives any more. */
export const withValue = ({ input, feeds, first }: Attempt, path: Path, value: unknown): Attempt => ({
  input: withValueAt(input, path, value),
  feeds: feeds.filter((feed) => !isSamePath(feed.path, path)),
  first,
});

/** The attempt with values of earlier answers. */
export const withFeeds = (attempt: Attempt, feeds: readonly Feed[]): Attempt =>
  feeds.reduce((made, feed) => {
    const { input, feeds: others, first } = withValue(made, feed.path, feed.value.value);
    return { input, feeds: [...others, feed], first };
  }, attempt);

/** Text that is equal for attempts that make the same call in the same state. */
export const attemptKey = ({ input, feeds, first }: Attempt): string =>
  JSON.stringify([input, feeds.map(({ path, value }) => [path, value.capture]), first]);
