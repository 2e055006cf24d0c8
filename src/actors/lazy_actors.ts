/** Slots whose implementations are loaded when one of them is used: a run that needs none does not wait for them. */
import {
  type AnyActorLogic,
  type AnyEventObject,
  type CallbackActorLogic,
  type CallbackLogicFunction,
  type EventObject,
  fromCallback,
  fromPromise,
} from "xstate";

type PromiseCreator = Parameters<typeof fromPromise>[0];

export interface LazyActors<Slots> {
  actors: Slots;
  /** Loads them ahead of their use. */
  ready(): Promise<void>;
}

/**
 * Makes the promise slots named, out of what `load`, called once, resolves to. A slot whose machine has moved on before
 * they were loaded does nothing; from then on they begin at once, as others do.
 */
export function lazyActors<Slots extends Record<keyof Slots, AnyActorLogic>>(
  names: { [Name in keyof Slots]: "promise" },
  load: () => Promise<Slots>,
): LazyActors<Slots> {
  let loading: Promise<void> | undefined;
  let loaded: Slots | undefined;
  const ready = () =>
    loading ??= load().then((slots) => {
      loaded = slots;
    });
  const start = (name: keyof Slots, slot: Parameters<PromiseCreator>[0]) =>
    (loaded![name].config as PromiseCreator)(slot);
  const lazy = (name: keyof Slots) =>
    fromPromise((slot) => {
      if (loaded !== undefined) return start(name, slot);
      return ready().then(() => {
        slot.signal.throwIfAborted();
        return start(name, slot);
      });
    });
  const actors = Object.keys(names).map((name) => [name, lazy(name as keyof Slots)]);
  return { actors: Object.fromEntries(actors) as Slots, ready };
}

/**
 * Makes a callback slot that is loaded when its machine enters the slot's state: events wait until then, and a machine
 * that has moved on meanwhile starts nothing.
 * @param failed Event for the machine where it cannot be loaded or begun
 */
export const lazyCallback = <Input>(
  load: () => Promise<CallbackActorLogic<EventObject, Input>>,
  failed: (error: unknown) => AnyEventObject,
): CallbackActorLogic<EventObject, Input> =>
  fromCallback<EventObject, Input>((slot) => {
    const waiting: EventObject[] = [];
    const listeners: ((event: EventObject) => void)[] = [(event) => waiting.push(event)];
    let stopped = false;
    let stop: ReturnType<CallbackLogicFunction> = undefined;
    slot.receive((event) => listeners.forEach((hear) => hear(event)));
    const begin = ({ config }: CallbackActorLogic<EventObject, Input>) => {
      if (stopped) return;
      listeners.length = 0;
      stop = (config as CallbackLogicFunction<EventObject, AnyEventObject, Input>)({
        ...slot,
        receive: (listener) => void listeners.push(listener as (event: EventObject) => void),
      });
      for (const event of waiting) listeners.forEach((hear) => hear(event));
    };
    load().then(begin).catch((error) => slot.sendBack(failed(error)));
    return () => {
      stopped = true;
      stop?.();
    };
  });
