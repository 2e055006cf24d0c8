/** A model server of PTH's own in place of a vendor's: it plays turns, one after the other in each conversation. */
import type { Test } from "tap";
import type { ModelTurn } from "../../src/agents/model_api/model_turn.ts";
import { serveModel } from "../../src/agents/model_api/serve_model.ts";
import type { ModelRequest } from "../../src/agents/playbook/model_request.ts";

/** A turn, or one that is made of the request. */
export type VendorTurn = ModelTurn | ((request: ModelRequest) => ModelTurn);

/**
 * Calls without tools get a title.
 * @param subagents Turns of all subagents together.
 */
export async function openVendor(
  t: Test,
  turns: readonly VendorTurn[],
  subagents: readonly VendorTurn[] = [],
) {
  const [main, others] = [[...turns], [...subagents]];
  const server = await serveModel((request) => {
    if (request.tools.length === 0 && request.agent === undefined) {
      return Promise.resolve({ turn: { text: "A title" } });
    }
    const turn = (request.agent === undefined ? main : others).shift();
    if (turn === undefined) return Promise.resolve({ refused: "the vendor has no turn left" });
    return Promise.resolve({ turn: typeof turn === "function" ? turn(request) : turn });
  });
  t.teardown(() => server.close());
  return server;
}
