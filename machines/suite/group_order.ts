/** Groups of a suite whose order is checked, one after the other, and what is reported of their tests. */
import type { OrderFact } from "../order_machine.ts";
import type { OrderEntry } from "./order_search.ts";
import type { PendingTest } from "./pending_test.ts";
import { isGroupOver, type OrderState, overtaken, type Schedule } from "./schedule.ts";
import { waitingOf, waitingPlaces } from "./waiting.ts";

/** Places of a group's pending tests. */
const pendingOf = ({ tests, order }: Schedule, group: string): number[] =>
  Object.keys(order.pending).map(Number).filter((place) => tests[place]!.group === group);

/**
 * Group to check next: one whose tests have all ended, but for those that take long, which are not repeated, and those that
 * wait for such a one, which are checked after it.
 */
export function nextGroup(schedule: Schedule): string | undefined {
  const { inFlight, order, queue, slow } = schedule;
  const ended = Object.keys(order.pending);
  if (order.group !== undefined || ended.length === 0) return undefined;
  const quick = Object.entries(inFlight).filter(([actor]) => !slow.actors.includes(actor));
  const isOvertaken = overtaken(schedule);
  const tests = waitingOf(waitingPlaces(queue.tests).filter((place) => !isOvertaken(place)));
  const rest = { ...schedule, inFlight: Object.fromEntries(quick), queue: { ...queue, tests } };
  const groups = ended.map((place) => schedule.tests[Number(place)]!.group!);
  return groups.find((group) => isGroupOver(rest, group));
}

/** The pending tests of a group, as they came out. */
export const entriesOf = (schedule: Schedule, group: string): OrderEntry[] =>
  pendingOf(schedule, group).map((place) => {
    const { verdict, observation } = schedule.order.pending[place]!;
    return { planned: schedule.tests[place]!, verdict, observation };
  });

interface Settled {
  facts: (PendingTest & Pick<OrderFact["changed"][string], "attempts">)[];
  order: OrderState;
}

const keep = ({ pending }: OrderState, places: readonly number[]) =>
  Object.fromEntries(places.map((place) => [place, pending[place]!]));

/** Tests of the group that was checked, with what the check has changed. */
export function settleGroup(schedule: Schedule, changed: OrderFact["changed"]): Settled {
  const { order } = schedule;
  const places = order.group === undefined ? [] : pendingOf(schedule, order.group);
  const facts = places.map((place) => {
    const held = order.pending[place]!;
    const { fact, ...judged } = changed[held.testId] ?? { verdict: held.verdict };
    return { ...(fact ?? held), ...judged };
  });
  const others = Object.keys(order.pending).map(Number).filter((place) => !places.includes(place));
  return { facts, order: { ...order, group: undefined, pending: keep(order, others) } };
}

/** All pending tests as they are, as no order will be checked any more; `all`: also those of the group under way. */
export function settleRest(schedule: Schedule, all: boolean): Settled {
  const { order } = schedule;
  const group = all ? undefined : order.group;
  const kept = group === undefined ? [] : pendingOf(schedule, group);
  const facts = Object.keys(order.pending).map(Number).filter((place) => !kept.includes(place))
    .map((place) => order.pending[place]!);
  return { facts, order: { isOn: false, group, pending: keep(order, kept) } };
}
