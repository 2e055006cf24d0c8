/** The plugin's code in a session: its copy, the commits made on it, and the session that it was resumed from. */
import type { SessionState } from "../../../machines/model/session_state.ts";
import type { SessionSource } from "../../../machines/model/session.ts";
import { CodeLine } from "../../session/code_line.ts";
import type { FoundSession } from "../../session/resume/find_session.ts";

export class SessionCode {
  source: SessionSource | undefined;
  /** Fixes and reverts of the branch, and which of them the server runs. */
  readonly line = new CodeLine();
  /** The interrupted session that this one resumes. */
  resume: FoundSession | undefined;
  /** State that the interrupted session had saved. */
  resumed: SessionState | undefined;
}
