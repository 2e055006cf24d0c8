/** Captures from text: `/Task ID: (\w+)/` takes what its group matched, `/note (\d+)/number` takes it as a number. */
import { bounded, OutOfTime } from "../../platform/bounded.ts";

const form = /^\/(.+)\/(number)?$/s;

export const isTextCapture = (capture: string): boolean => form.test(capture);

/** Describes the mistake in a capture from text; undefined for a valid one. */
export function textCaptureProblem(capture: string): string | undefined {
  const [, pattern = ""] = form.exec(capture) ?? [];
  try {
    const groups = new RegExp(`${pattern}|`).exec("")!.length - 1;
    return groups === 1 ? undefined : `it has one group in (), which is captured; this has ${groups}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The first match of the group, or undefined. The text is a server's, so that the search is bounded in time. */
export function captureText(capture: string, text: string): string | number | undefined {
  const [, pattern = "", number] = form.exec(capture) ?? [];
  try {
    const found = bounded(() => new RegExp(pattern).exec(text)?.[1]);
    return found !== undefined && number !== undefined ? Number(found) : found;
  } catch (error) {
    // A search without end finds nothing; the test says that nothing was there.
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}
