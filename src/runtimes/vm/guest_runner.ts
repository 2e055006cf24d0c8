/** Interface to start commands in a guest: by the agent, or by a channel each where there can be no agent. */
import { PthError } from "../../core/errors.ts";
import type { CommandRequest, InsideCommand } from "../shared/agent/inside_command.ts";

export interface GuestRunner {
  /** For people: "agent (Python 3.11.2)", "a channel per command: the guest has no python3". */
  readonly how: string;
  /** Whether it can start commands, as far as is known: an agent may end before its connection. */
  readonly isOpen: boolean;
  /** Undefined where nothing was asked of the guest, as it is not open any more. @throws {PthError} `ENVIRONMENT_LOST` */
  start(order: CommandRequest): Promise<InsideCommand | undefined>;
  /**
   * Ends what others had run, and their agents.
   * @param ids How their ids begin.
   * @throws {PthError} `ENVIRONMENT_LOST`
   */
  endOthers(ids: string): Promise<void>;
  /** Sets the guest's clock, in seconds since 1970; false where the connection was lost. @throws {PthError} `EXEC_FAILED` */
  setClock(seconds: number): Promise<boolean>;
}

export const clockRefused = (why: string): PthError =>
  new PthError("EXEC_FAILED", `Cannot set the guest's clock: ${why}`);
