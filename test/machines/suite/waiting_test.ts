import t from "tap";
import {
  findWaiting,
  type Waiting,
  waitingCount,
  waitingOf,
  waitingPlaces,
  withoutPlace,
} from "../../../machines/suite/waiting.ts";

const any = () => true;

t.test("places are taken in order, and one from the middle leaves the others in theirs", (t) => {
  let waiting: Waiting = waitingOf([2, 3, 5, 7]);
  waiting = withoutPlace(waiting, 5);
  t.same(waitingPlaces(waiting), [2, 3, 7]);
  waiting = withoutPlace(waiting, 2);
  waiting = withoutPlace(waiting, 7);
  t.same(waitingPlaces(waiting), [3]);
  t.equal(findWaiting(waiting, any), 3);
  waiting = withoutPlace(waiting, 3);
  t.equal(waitingCount(waiting), 0);
  t.equal(findWaiting(waiting, any), undefined);
  t.end();
});

t.test("taking the first place copies no list", (t) => {
  const waiting = waitingOf([0, 1, 2]);
  const next = withoutPlace(waiting, 0);
  t.equal(next.places, waiting.places);
  t.equal(findWaiting(next, any), 1);
  t.equal(findWaiting(waiting, any), 0, "what was known before is as it was");
  t.end();
});
