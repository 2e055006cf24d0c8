/** Lives of an environment, whose requests come at any moment. */
import type { AnyEventObject } from "xstate";
import { environmentFake } from "./fakes.ts";
import { Ledger } from "./ledger.ts";
import { type Begin, describe, parentOf } from "./run_walk.ts";
import type { World } from "./world.ts";

export function environmentLife(world: World): Begin {
  const machine = environmentFake(world);
  return () => {
    const ledger = new Ledger();
    let requests = 0;
    let destroys = 0;
    const { root, subject } = parentOf(world, machine, {
      input: () => ({ config: {} }),
      hear: (fact) => {
        const { type } = fact;
        if (type.startsWith("operation.")) ledger.answered(`request ${fact["requestId"]}`, type);
        if (type === "environment.provisioned" || type === "environment.provision_failed") {
          ledger.answered("provision", type);
        }
        if (type === "environment.rolled_back" || type === "environment.rollback_failed") {
          if (rollbacks === 0) strange.push(`${type} without a rollback`);
          rollbacks--;
        }
        if (type === "environment.destroy_failed") ledger.answeredAll("destroy", type);
        if (type === "environment.destroyed") {
          rollbacks = 0;
          ledger.answeredAll("provision", type);
          ledger.answeredAll("destroy", type);
        }
      },
    });
    let rollbacks = 0;
    const strange: string[] = [];
    const send = (event: AnyEventObject) => {
      world.journal.push(`${event.type} ${event["requestId"] ?? ""}`);
      subject().send(event);
    };
    const isOver = () => subject().getSnapshot().status !== "active";
    const destroy = () => {
      if (isOver()) return;
      if (describe(subject()) !== '"destroying"') ledger.asked(`destroy ${destroys++}`, describe(subject()));
      rollbacks = 0;
      send({ type: "environment.destroy" });
    };
    return {
      root,
      act() {
        if (isOver()) return;
        const { random } = world;
        const lot = random.below(20);
        const requestId = `${requests++}`;
        if (describe(subject()) === '"absent"' && lot < 12) {
          ledger.asked("provision", "absent");
          send({ type: "environment.provision" });
        } else if (lot === 0) destroy();
        else if (lot < 4) {
          const [, id = "unknown"] = random.pick(["x unknown", ...ledger.open]).split(" ");
          send({ type: "environment.cancel_operation", requestId: id });
        } else {
          ledger.asked(`request ${requestId}`, describe(subject()));
          if (lot < 14) send({ type: "environment.perform", requestId, kind: "exec", args: {} });
          else if (lot < 17) send({ type: "environment.snapshot", requestId, tag: "t" });
          else {
            const refused = ['"absent"', '"failed"', '"destroying"'].includes(describe(subject()));
            if (!refused) rollbacks++;
            send({ type: "environment.rollback", requestId, snapshot: "s" });
          }
        }
      },
      end: destroy,
      isOver,
      faults: () => [
        ...ledger.faults(),
        ...strange,
        ...(rollbacks > 0 ? [`${rollbacks} rollbacks of which nothing was told`] : []),
      ],
    };
  };
}
