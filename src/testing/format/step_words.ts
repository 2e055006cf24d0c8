/** Steps in words, for messages and lists. */
import type { StepAction } from "../../../machines/model/test_case.ts";

/** Names a step in a few words: "get_user", "resources/read demo://a". */
export function stepWords(action: StepAction): string {
  switch (action.kind) {
    case "call":
      return action.tool;
    case "read_resource":
      return `resources/read ${action.uri}`;
    case "subscribe":
      return `resources/subscribe ${action.uri}`;
    case "get_prompt":
      return `prompts/get ${action.prompt}`;
    case "wait_for":
      return `wait for ${action.notification}`;
  }
}

/** "step 2 (get_user)"; `index` counts from 0. */
export const labelOfStep = (index: number, action: StepAction): string =>
  `step ${index + 1} (${stepWords(action)})`;
