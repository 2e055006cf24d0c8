import type { AnyActorRef } from "xstate";

/** Target of facts: the parent. An actor without one (a walk through the graph) tells itself, and nobody hears. */
export const parentRef = ({ self }: { self: AnyActorRef }): AnyActorRef => self._parent ?? self;
