/** Operations that study the plugin's server in addition to its tests: they need libraries that running tests does not. */
import { readSurface } from "../../contract/read_surface.ts";
import { fuzzHost } from "./fuzz_host.ts";
import type { AnalysisKind, OperationActor } from "../environment/perform_operation.ts";
import { relayServer } from "../connection/relay_server.ts";

export const analysisOperations: { [Kind in AnalysisKind]: OperationActor<Kind> } = {
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
