/** Slots: the places of a machine where I/O goes in. `src/app/create_harness.ts` fills them with `machine.provide({ actors })`. */
import {
  type CallbackActorLogic,
  type EventObject,
  fromCallback,
  fromPromise,
  type PromiseActorLogic,
} from "xstate";

const unfilled = (name: string) => new Error(`Cannot run slot "${name}": no implementation provided`);

/** A piece of work with one result. */
export const slot = <Output, Input>(name: string): PromiseActorLogic<Output, Input> =>
  fromPromise<Output, Input>(() => Promise.reject(unfilled(name)));

/** A piece of work that tells its machine events while it goes on, its result among them. */
export const callbackActor = <Input>(name: string): CallbackActorLogic<EventObject, Input> =>
  fromCallback<EventObject, Input>(() => {
    throw unfilled(name);
  });
