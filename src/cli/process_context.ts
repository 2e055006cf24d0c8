/** Provides the side effects of commands in this process. */
import { exitProcess, offSignal, onSignal, readEnv, stdinIsTerminal } from "../platform/host.ts";
import { askHidden, listenForKeys, standardOutputs } from "../platform/terminal.ts";
import type { CommandContext, Interrupt } from "./command.ts";

const interrupts: readonly Interrupt[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export function processContext(): CommandContext {
  return {
    ...standardOutputs(),
    env: readEnv,
    ...(stdinIsTerminal() ? { askHidden, onKey: listenForKeys } : {}),
    createHarness: async (options) => {
      const { createHarness } = await import("../app/create_harness.ts");
      return await createHarness(options);
    },
    onInterrupt(listener) {
      const listeners = interrupts.map((signal) => [signal, () => listener(signal)] as const);
      for (const [signal, listen] of listeners) onSignal(signal, listen);
      return () => {
        for (const [signal, listen] of listeners) offSignal(signal, listen);
      };
    },
    exit: exitProcess,
  };
}
