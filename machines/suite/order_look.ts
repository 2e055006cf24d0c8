/** Groups of a suite whose order is looked at, one after the other, and what is told of their tests. */
import type { OrderFact } from "../order_machine.ts";
import type { OrderEntry } from "./order_search.ts";
import { type HeldTest, isGroupOver, type OrderLook, type Schedule } from "./schedule.ts";

/** Places of a group's tests that are held. */
const heldOf = ({ tests, order }: Schedule, group: string): number[] =>
  Object.keys(order.held).map(Number).filter((place) => tests[place]!.group === group);

/** Group to look at next: one whose tests have all ended. */
export function nextLook(schedule: Schedule): string | undefined {
  if (schedule.order.looking !== undefined) return undefined;
  const groups = Object.keys(schedule.order.held).map((place) => schedule.tests[Number(place)]!.group!);
  return groups.find((group) => isGroupOver(schedule, group));
}

/** The held tests of a group, as they came out. */
export const entriesOf = (schedule: Schedule, group: string): OrderEntry[] =>
  heldOf(schedule, group).map((place) => {
    const { verdict, observation } = schedule.order.held[place]!;
    return { planned: schedule.tests[place]!, verdict, observation };
  });

interface Told {
  facts: (HeldTest & Pick<OrderFact["changed"][string], "attempts">)[];
  order: OrderLook;
}

const keep = ({ held }: OrderLook, places: readonly number[]) =>
  Object.fromEntries(places.map((place) => [place, held[place]!]));

/** Tests of the group that was looked at, with what the look has changed. */
export function tellLooked(schedule: Schedule, changed: OrderFact["changed"]): Told {
  const { order } = schedule;
  const places = order.looking === undefined ? [] : heldOf(schedule, order.looking);
  const facts = places.map((place) => {
    const held = order.held[place]!;
    const { fact, ...judged } = changed[held.testId] ?? { verdict: held.verdict };
    return { ...(fact ?? held), ...judged };
  });
  const others = Object.keys(order.held).map(Number).filter((place) => !places.includes(place));
  return { facts, order: { ...order, looking: undefined, held: keep(order, others) } };
}

/** All held tests as they are, as nothing will be looked at any more; `all`: also those of the group under way. */
export function tellUnlooked(schedule: Schedule, all: boolean): Told {
  const { order } = schedule;
  const looking = all ? undefined : order.looking;
  const kept = looking === undefined ? [] : heldOf(schedule, looking);
  const facts = Object.keys(order.held).map(Number).filter((place) => !kept.includes(place))
    .map((place) => order.held[place]!);
  return { facts, order: { isOn: false, looking, held: keep(order, kept) } };
}
