/// <reference lib="dom" />
/** A failure, where it belongs, with what can be done. */
import { type Failure, type FailurePlace, loadFailures } from "../state.ts";

export function ProblemMessage({ place }: { place: FailurePlace }) {
  const failure = loadFailures.value[place];
  return failure === undefined ? null : <FailureText failure={failure} />;
}

export const FailureText = ({ failure }: { failure: Failure }) => (
  <div class="notice failing" role="alert">
    <p>
      {failure.message}
      {failure.next.map((step) => <span key={step} class="quiet">{step}</span>)}
    </p>
  </div>
);
