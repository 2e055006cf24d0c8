/** Tells a failed question where it belongs, and clears it once it succeeds. */
import { ApiFailure } from "./api.ts";
import { connection, type FailurePlace, failures } from "./state.ts";

/** Undefined when it failed: what was shown before stays. */
export async function attempt<Answer>(
  place: FailurePlace,
  ask: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    const answer = await ask();
    if (failures.value[place] !== undefined) tell(place, undefined);
    return answer;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.code === "REFUSED") connection.value = "refused";
    else if (failure.code === "GONE") connection.value = "lost";
    else tell(place, failure);
    return undefined;
  }
}

export const failureOf = (error: unknown): ApiFailure =>
  error instanceof ApiFailure
    ? error
    : new ApiFailure({ code: "INTERNAL", message: error instanceof Error ? error.message : String(error) });

function tell(place: FailurePlace, failure: ApiFailure | undefined): void {
  const { [place]: _before, ...others } = failures.value;
  failures.value = failure === undefined ? others : { ...others, [place]: failure };
}
