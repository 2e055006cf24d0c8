/** Tells a failed question where it belongs, and clears it once it succeeds. */
import { ApiFailure } from "./api.ts";
import { type FailurePlace, feedStatus, loadFailures } from "./state.ts";

/** Undefined when it failed: what was shown before stays. */
export async function attempt<Answer>(
  place: FailurePlace,
  ask: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    const answer = await ask();
    if (loadFailures.value[place] !== undefined) tell(place, undefined);
    return answer;
  } catch (error) {
    const failure = toApiFailure(error);
    if (failure.code === "REFUSED") feedStatus.value = "refused";
    else if (failure.code === "GONE") feedStatus.value = "lost";
    else tell(place, failure);
    return undefined;
  }
}

export const toApiFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure
    ? error
    : new ApiFailure({ code: "INTERNAL", message: error instanceof Error ? error.message : String(error) });

function tell(place: FailurePlace, failure: ApiFailure | undefined): void {
  const { [place]: _before, ...others } = loadFailures.value;
  loadFailures.value = failure === undefined ? others : { ...others, [place]: failure };
}
