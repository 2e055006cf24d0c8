/** `--stately`: where Stately's inspector listens. */
import { messageOf } from "../../core/errors.ts";
import { statelyAddress } from "../../visualizer/live/stately.ts";
import type { Problems } from "./problems.ts";
import { text } from "./values.ts";

export function readStately(value: unknown, problems: Problems): string | undefined {
  const address = text(value);
  try {
    return address === undefined ? undefined : statelyAddress(address);
  } catch (error) {
    problems.add(`--stately: ${messageOf(error)}`);
    return undefined;
  }
}
