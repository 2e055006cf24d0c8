/** What a test needs its client to offer to the server. */
import type { ClientCapability } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";

/**
 * Those that its steps have replies for, no more: servers show other tools and do other things by what their client
 * declares, and a test should find the same server alone and among others.
 */
export function abilitiesOf({ steps = [] }: TestCase): ClientCapability[] {
  const scripted = (ability: ClientCapability) =>
    steps.some(({ replies }) => replies?.[ability] !== undefined);
  return (["elicitation", "roots", "sampling"] as const).filter(scripted);
}
