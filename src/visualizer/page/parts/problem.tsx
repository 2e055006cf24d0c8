/// <reference lib="dom" />
/** A failure, where it belongs, with what can be done. */
import { type Failure, type FailurePlace, failures } from "../state.ts";

export function Problem({ place }: { place: FailurePlace }) {
  const failure = failures.value[place];
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
