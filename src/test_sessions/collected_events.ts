/** Events of a test session, collected for assertions. */

export interface CollectedCall {
  toolName: string;
  input: Record<string, unknown>;
  /** Whether an extension, a hook or a permission kept the tool from running. */
  blocked: boolean;
  blockReason?: string;
}

export interface CollectedResult {
  toolName: string;
  /** Content as the agent has it. */
  content: unknown;
  /** All of its texts. */
  text: string;
  isError: boolean;
}

/** @template Event Event as the agent tells it. @template Message Message of its conversation. */
export interface CollectedEvents<Event, Message> {
  all: Event[];
  toolCalls: CollectedCall[];
  /** In the order in which they came. */
  toolResults: CollectedResult[];
  messages: Message[];
  toolCallsFor(toolName: string): CollectedCall[];
}

/**
 * Makes the collection for a session that fills its lists.
 * @param messages Messages of the conversation so far.
 */
export function collectEvents<Event, Message>(
  messages: (all: readonly Event[]) => Message[],
): CollectedEvents<Event, Message> {
  const all: Event[] = [];
  const toolCalls: CollectedCall[] = [];
  return {
    all,
    toolCalls,
    toolResults: [],
    get messages() {
      return messages(all);
    },
    toolCallsFor: (name) => toolCalls.filter(({ toolName }) => toolName === name),
  };
}
