/** A turn as model APIs give it. */
import type { ToolCall, Turn } from "../../../machines/model/playbook.ts";

/** A turn whose calls may have ids that the agent has to repeat with their results. */
export interface ModelTurn extends Omit<Turn, "calls"> {
  calls?: (ToolCall & { id?: string })[] | undefined;
}
