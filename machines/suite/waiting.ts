/**
 * Places in the list of tests that wait for their turn, in its order. Taking the first one, as nearly always, copies nothing: a
 * suite of thousands would else copy them all for each test.
 */
export interface Waiting {
  readonly places: readonly number[];
  /** Index of the first that waits. */
  readonly from: number;
}

export const waitingOf = (places: readonly number[]): Waiting => ({ places, from: 0 });

export const waitingPlaces = ({ places, from }: Waiting): number[] => places.slice(from);

export const waitingCount = ({ places, from }: Waiting): number => places.length - from;

/** First place that waits and for which the condition holds. */
export function findWaiting(
  { places, from }: Waiting,
  holds: (place: number) => boolean,
): number | undefined {
  for (let at = from; at < places.length; at++) if (holds(places[at]!)) return places[at];
  return undefined;
}

/** Without one place, which waits. */
export const withoutPlace = ({ places, from }: Waiting, place: number): Waiting =>
  places[from] === place
    ? { places, from: from + 1 }
    : { places: places.toSpliced(places.indexOf(place, from), 1), from };
