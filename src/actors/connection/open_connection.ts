/** Slot `connection.open`: starts a server instance inside the environment and shakes hands. */
import { defaultStartSeconds } from "../../plugin/start_limit.ts";
import type { Socket } from "node:net";
import type { OpenedConnection, OpenInput } from "../../../machines/connection_machine.ts";
import type { PluginPlan, ServerTransport, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { Connection } from "../../client/connection.ts";
import { openHttpConnection } from "../../client/http_connection.ts";
import { type Era, modernRevision } from "../../client/initialize_connection.ts";
import type { ConnectionOptions } from "../../client/make_connection.ts";
import { openStdioConnection } from "../../client/stdio_connection.ts";
import { freePortFrom, listenOnLoopback } from "../../platform/sockets.ts";
import type { EnvironmentProcess } from "../../runtimes/runtime.ts";
import type { SessionResources } from "../session_resources.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";
import { endInstance } from "./end_instance.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import { startup } from "../../testing/coverage/coverage_run.ts";
import { count } from "../../core/text.ts";

export const openConnection = (stage: GetSession) =>
  promiseActor<OpenedConnection, OpenInput>(stage, async (live, input, signal, tell) => {
    const starting = (limitMs: number) => tell({ type: "connection.starting", limitMs });
    const first = live.plugin.tools.length === 0;
    const open = async () => {
      const connection = await openInstance(live, input, signal, live.plugin, starting);
      try {
        if (first || input.abilities?.length) starting(startLimitMs(live));
        if (first) live.plugin.tools = live.secrets.redact.value(await connection.listTools());
        // Some tools are there only for clients that offer more; their output schemas are to be known, too.
        else if (input.abilities?.length) {
          live.plugin.moreTools = live.secrets.redact.value(await connection.listTools());
        }
        return connection;
      } catch (error) {
        await connection.close();
        live.connections.forget(connection.id);
        throw error;
      }
    };
    const connection = first
      ? await live.progress.step(
        "start",
        "starting the server",
        open,
        ({ server }) =>
          `${server.name} ${server.version}, protocol ${server.protocolVersion}, ${
            count(live.plugin.tools.length, "tool")
          }`,
      )
      : await open();
    await live.coverage.run?.mark(startup);
    return {
      server: live.secrets.redact.value(connection.server),
      pid: connection.pid,
      tools: live.plugin.tools,
    };
  });

/** Plugin whose server is started; what the server turns out to be is stored in it for the next start. */
export interface StartablePlugin {
  plan: PluginPlan | undefined;
  tools: ToolDefinition[];
  era: Era;
}

/**
 * One server instance with a connection to it; the session knows it by its id until it is closed.
 * @param starting hears of each start of its process, with the limit in ms on its first answers
 */
export const openInstance = (
  live: SessionResources,
  input: Omit<OpenInput, "plan">,
  signal: AbortSignal,
  plugin: StartablePlugin = live.plugin,
  starting: (limitMs: number) => void = () => {},
): Promise<Connection> =>
  live.connections.opening(input.connectionId, startInstance(live, input, signal, plugin, starting));

/** Limit in ms on the server's first answers, and again on each list of its tools. */
export const startLimitMs = (live: SessionResources): number =>
  (live.decided()?.loaded.request?.startTimeoutSeconds ?? defaultStartSeconds) * 1000;

async function startInstance(
  live: SessionResources,
  { connectionId, instance, abilities }: Omit<OpenInput, "plan">,
  signal: AbortSignal,
  plugin: StartablePlugin,
  starting: (limitMs: number) => void,
): Promise<Connection> {
  const plan = plugin.plan ?? live.plugin.requirePlan();
  const { server } = plan;
  const environment = live.environment.require();
  const common = {
    id: connectionId,
    timeoutMs: startLimitMs(live),
    hide: (text: string) => live.secrets.redact.text(text),
    tools: plugin.tools,
    ...(abilities === undefined ? {} : { abilities }),
    signal,
    era: plugin.era,
    byHand: byHand(server),
    afterExit: endInstance(environment, `${live.sessionId}/${connectionId}`, live.tasks.leaving.signal),
  };
  // Only the plugin under test is measured.
  const measured = plugin === live.plugin ? live.coverage.run?.serverVariables(server.env) : undefined;
  const start = async ({ env, ...server }: ServerTransport, port?: number) => {
    if (port !== undefined) live.connections.serverPorts.add(port);
    const measuredServer = { ...server, env: { ...env, ...measured } };
    const child = await spawnServer(live, environment, measuredServer, connectionId, port);
    starting(common.timeoutMs);
    return child;
  };
  const connection = server.type === "stdio"
    ? await openStdioConnection({ ...common, process: await start(server), restart: () => start(server) })
    : await openHttp(
      environment,
      server,
      instance,
      { ...common, firstPort: live.connections.firstPort },
      start,
    );
  live.connections.add(connection, plan);
  plugin.era = connection.server.protocolVersion === modernRevision ? "modern" : "legacy";
  if (signal.aborted) {
    await connection.close();
    live.connections.forget(connectionId);
    signal.throwIfAborted();
  }
  return connection;
}

/** The next step of a person whose server does not start. */
const byHand = ({ command, ...server }: ServerTransport): string =>
  command !== undefined
    ? `Run it by hand and look at what it says: ${command.join(" ")}`
    : `See whether an MCP server answers at ${"url" in server ? server.url : "its address"}`;

const refuse = (socket: Socket) => void socket.destroy();

type HttpServer = Extract<ServerTransport, { type: "http" }>;

async function openHttp(
  { runtime, info }: LiveEnvironment,
  server: HttpServer,
  instance: number,
  { firstPort, ...common }: Omit<ConnectionOptions, "url"> & { firstPort: number },
  start: (server: ServerTransport, port: number) => Promise<EnvironmentProcess>,
): Promise<Connection> {
  const headers = server.headers ? { headers: server.headers } : {};
  if (!server.command) return await openHttpConnection({ ...common, url: server.url, ...headers });
  const wanted = (server.port ?? firstPort) + instance;
  const asked = server.port !== undefined && instance === 0;
  // Where ports inside are the host's, someone else's server must not be taken for the plugin's.
  const shared = runtime.abilities.sharesNetwork && info.config.network !== "none";
  if (asked && shared) await (await listenOnLoopback(wanted, refuse)).close();
  const port = asked ? wanted : await freePortFrom(wanted);
  // Before the server starts: a port that cannot be reached leaves no process behind.
  const reached = await runtime.forwardPort(info.handle, port);
  return await openHttpConnection({
    ...common,
    ...headers,
    process: await start(server, port),
    url: urlAt(server, reached),
  });
}

/** A port inside may be another one outside, and each instance of a pool has its own. */
function urlAt({ url, port }: HttpServer, reached: number): string {
  if (port === undefined) return url.replaceAll("{port}", String(reached));
  const address = new URL(url);
  address.port = String(reached);
  return address.href;
}

/** Variables that mark the process, so that what it leaves behind can be found, and the server's own ones. */
export async function spawnServer(
  live: SessionResources,
  { runtime, info }: LiveEnvironment,
  server: ServerTransport,
  connectionId: string,
  port?: number,
): Promise<EnvironmentProcess> {
  const command = (server.command ?? []).map((word) =>
    port === undefined ? word : word.replaceAll("{port}", String(port))
  );
  const child = await runtime.spawn(info.handle, command, {
    cwd: server.cwd,
    env: {
      ...server.env,
      ...(port === undefined ? {} : { PORT: String(port) }),
      PTH_INSTANCE: `${live.sessionId}/${connectionId}`,
    },
  });
  if (child.pid !== undefined) live.connections.pids.set(connectionId, child.pid);
  return child;
}
