/** `--stately`: where Stately's inspector listens. */
import { errorMessage } from "../../core/errors.ts";
import { statelyAddress } from "../../visualizer/live/stately.ts";
import type { Problems } from "./problems.ts";
import { textValue } from "./option_values.ts";

export function readStately(value: unknown, problems: Problems): string | undefined {
  const address = textValue(value);
  try {
    return address === undefined ? undefined : statelyAddress(address);
  } catch (error) {
    problems.add(`--stately: ${errorMessage(error)}`);
    return undefined;
  }
}
