/** Events that a session of an agent hears. */
import type { HangFact } from "../hang_inspection_machine.ts";
import type { AgentDialog, AgentExit } from "../model/agent_session.ts";
import type { JudgedRequest, Usage } from "../model/playbook.ts";
import type { PlaybookFact } from "../playbook_machine.ts";
import type { Spawn } from "./choose_turn.ts";

export type AgentSessionEvent =
  | { type: "task.cancel" }
  /** Facts of the model's server. */
  | { type: "model.listening"; url: string }
  | { type: "model.failed"; error: unknown }
  | { type: "model.requested"; request: JudgedRequest }
  | { type: "model.spawned"; spawn: Spawn }
  | { type: "model.contradicted"; message: string }
  | { type: "model.broke"; message: string; upstream?: boolean }
  /** A real model has answered; without usage nobody can count it. */
  | { type: "model.used"; usage: Usage | undefined }
  /** Facts of the agent's process. */
  | { type: "agent.concluded" }
  /** A dialog for a person is shown; output or work has gone on. */
  | { type: "agent.asked"; dialog: AgentDialog }
  | { type: "agent.went_on" }
  | { type: "agent.ended"; exit: AgentExit }
  | { type: "agent.failed"; error: unknown }
  | HangFact
  | PlaybookFact;
