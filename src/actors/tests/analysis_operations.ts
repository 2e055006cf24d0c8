/** Operations that study the plugin's server in addition to its tests: they need libraries that running tests does not. */
import { readSurface } from "../../contract/read_surface.ts";
import type { AnalysisKind, OperationActor } from "../environment/perform_operation.ts";
import { relayServer } from "../connection/relay_server.ts";
import { asPthError } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";
import type { FuzzHost } from "../../testing/fuzz/fuzz_server.ts";
import type { SessionResources } from "../session_resources.ts";
import { callPlace } from "../session/call_place.ts";
import { openInstance } from "../connection/open_connection.ts";

export const analysisOperations: { [Kind in AnalysisKind]: OperationActor<Kind> } = {
  relay: (_environment, { relayId }, signal, session) =>
    relayServer(session, session.connections.relayEnds.get(relayId)!, signal),
  async surface(_environment, { connections }, signal, session) {
    const living = connections.map((id) => session.connections.open.get(id)).find((each) =>
      each !== undefined
    );
    try {
      if (living !== undefined) return await readSurface(living, signal);
    } catch (error) {
      signal.throwIfAborted();
      // It may have been ending when it was asked, as one does whose call was cancelled.
      if (asPthError(error).code !== "SERVER_LOST") throw error;
    }
    const instances = fuzzHost(session, signal, "surface");
    const own = await instances.open();
    try {
      return await readSurface(own, signal);
    } finally {
      await instances.close(own);
    }
  },
  async fuzz({ runtime }, request, signal, session) {
    const { fuzzPlugin } = await import("../../testing/fuzz/fuzz_plugin.ts");
    return await fuzzPlugin(session.plugin.tools, fuzzHost(session, signal), request, {
      signal,
      say: session.progress.messages("fuzz"),
      reaching: runtime.abilities.isolated,
      place: callPlace(session),
    });
  },
  async learn(_environment, request, signal, session) {
    const { learnTools } = await import("../../testing/learn/learn_tools.ts");
    const { layOutExamples } = await import("./lay_out_examples.ts");
    const { serveExamplePage } = await import("./serve_example_page.ts");
    return await learnTools(session.plugin.tools, fuzzHost(session, signal, "learn"), request, {
      signal,
      say: session.progress.messages("learn"),
      layOut: (inputs) => layOutExamples(session, inputs),
      servePage: () => serveExamplePage(session),
      place: callPlace(session),
      variables: new Map([...Object.entries(session.plugin.variables), ...session.secrets.values]),
    });
  },
};

/** Above those of pools and checks, so that HTTP ports never meet. */
const firstInstance = 1_000;

/** Adds up what the processes with an instance's mark hold, in KB. The mark is on stdin, so that nobody else carries it. */
const memoryScript = `
read -r mark
grep -lz -x -F -- "PTH_INSTANCE=$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | while read -r pid; do
  grep ^VmRSS: "/proc/$pid/status" 2>/dev/null
done | awk '{ sum += $2 } END { print sum + 0 }'`;

/** Server instances outside the pool: those that are killed or worn out serve nothing else. */
function fuzzHost(live: SessionResources, signal: AbortSignal, name = "fuzz"): FuzzHost {
  return {
    hide: (value) => live.secrets.redact.value(value),
    async open() {
      const number = live.connections.nextCheck();
      return await openInstance(live, {
        connectionId: `${name}-${number + 1}`,
        instance: firstInstance + number,
      }, signal);
    },
    async close(connection) {
      try {
        await connection.close({ graceMs: 0 });
      } catch (error) {
        // The end of the environment ends it, too.
        log.warn("Cannot end a server", { connectionId: connection.id, error });
      } finally {
        live.connections.forget(connection.id);
      }
    },
    async megabytes({ id }) {
      const { runtime, info } = live.environment.require();
      const words = ["sh", "-c", memoryScript];
      const stdin = `${live.sessionId}/${id}\n`;
      const { code, stdout } = await runtime.exec(info.handle, words, { cwd: "/", stdin, signal });
      const kilobytes = Number(stdout.trim());
      return code === 0 && kilobytes > 0 ? kilobytes / 1024 : undefined;
    },
  };
}
