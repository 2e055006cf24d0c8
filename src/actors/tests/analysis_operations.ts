/** Operations that study the plugin's server beside its tests: they need libraries that running tests does not. */
import type { ServerSurface } from "../../../machines/model/contract.ts";
import type { FuzzReport, FuzzRequest } from "../../../machines/model/fuzz.ts";
import { readSurface } from "../../contract/read_surface.ts";
import { fuzzHost } from "./fuzz_host.ts";
import type { BranchOperation } from "../environment/perform_operation.ts";
import type { RelayEnd } from "../../api/requests.ts";
import { relayServer } from "../connection/relay_server.ts";

/** Arguments and result of each kind of operation. */
export interface AnalysisOperations {
  relay: [{ relayId: string }, RelayEnd];
  /** Of the plugin under test: `connections` are its own, of which any that lives is asked. */
  surface: [{ connections: string[] }, ServerSurface];
  fuzz: [FuzzRequest, FuzzReport];
}

export const analysisOperations: {
  [Kind in keyof AnalysisOperations]: BranchOperation<AnalysisOperations[Kind][0]>;
} = {
  relay: (_environment, { relayId }, signal, session) =>
    relayServer(session, session.connections.relayEnds.get(relayId)!, signal),
  async surface(_environment, { connections }, signal, session) {
    const living = connections.find((id) => session.connections.open.has(id)) ?? connections.join(", ");
    return await readSurface(session.connections.require(living), signal);
  },
  async fuzz({ runtime }, request, signal, session) {
    const { fuzzPlugin } = await import("../../testing/fuzz/fuzz_plugin.ts");
    return await fuzzPlugin(session.plugin.tools, fuzzHost(session, signal), request, {
      signal,
      say: session.progress.messages("fuzz"),
      reaching: runtime.abilities.isolated,
    });
  },
};
