/** The side effects of the exported runner: those of a command, but that it makes no harness. */
import type { CommandContext, Interrupt } from "../cli/command.ts";
import { exitProcess, offSignal, onSignal, readEnv } from "../platform/host.ts";
import { standardOutputs } from "../platform/terminal.ts";

export type CiContext = Omit<CommandContext, "createHarness" | "askHidden">;

const interrupts: readonly Interrupt[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** As this process has them. */
export function ciContext(): CiContext {
  return {
    ...standardOutputs(),
    env: readEnv,
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
