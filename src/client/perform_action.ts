/** Performs a step of a test: calls, resources, prompts, waiting, cancelling. */
import type { StepResult } from "../../machines/model/observation.ts";
import type { CallOutcome } from "../../machines/model/plugin.ts";
import type { StepAction, TestStep } from "../../machines/model/test_case.ts";
import { PthError } from "../core/errors.ts";
import type { CallOptions, Connection } from "./connection.ts";
import { modernRevision } from "./initialize_connection.ts";

/** Time in ms that a server has to answer a ping after a call was cancelled. */
const pingMs = 2000;
const defaultWaitSeconds = 5;

type Options = Required<Omit<CallOptions, "timeoutMs">>;

/**
 * Does what a step says, its variables replaced, and answers what the server asks meanwhile from the step's script.
 * @throws {PthError} `SERVER_LOST`, `PROTOCOL_VIOLATION`; or the signal's reason
 */
export async function performAction(
  connection: Connection,
  step: Pick<TestStep, "action" | "replies" | "cancel">,
  options: Options,
): Promise<StepResult> {
  const { client } = connection;
  client.script(step.replies ?? {});
  const result = step.cancel
    ? await cancelled(connection, step.action, step.cancel, options)
    : { outcome: await send(connection, step.action, options) };
  const { outcome } = result;
  return {
    action: step.action,
    ...client.finish(),
    ...("cancelled" in result ? { cancelled: result.cancelled } : {}),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

/** The answer; undefined where a notification did not come in time. */
async function send(
  connection: Connection,
  action: StepAction,
  options: CallOptions,
): Promise<CallOutcome | undefined> {
  switch (action.kind) {
    case "call":
      return await connection.callTool(action.tool, action.input, options);
    case "read_resource":
      return await connection.request("resources/read", { uri: action.uri }, options);
    case "subscribe":
      return await subscribe(connection, action.uri, options);
    case "get_prompt":
      return await connection.request(
        "prompts/get",
        { name: action.prompt, arguments: action.arguments },
        options,
      );
    case "wait_for":
      return await waitFor(connection, action, options);
  }
}

/** From 2026-07-28 on a subscription is a request that stays open; a notification confirms it. */
async function subscribe(
  connection: Connection,
  uri: string,
  options: CallOptions,
): Promise<CallOutcome | undefined> {
  if (connection.server.protocolVersion !== modernRevision) {
    return await connection.request("resources/subscribe", { uri }, options);
  }
  const answer = connection.request("subscriptions/listen", {
    notifications: { resourceSubscriptions: [uri] },
  });
  // It is open until the connection ends, which the connection itself reports.
  answer.catch(() => undefined);
  const notification = "notifications/subscriptions/acknowledged";
  return await Promise.race([answer, waitFor(connection, { kind: "wait_for", notification }, options)]);
}

async function waitFor(
  { client }: Connection,
  { notification, params, timeoutSeconds = defaultWaitSeconds }: Extract<StepAction, { kind: "wait_for" }>,
  { signal }: CallOptions,
): Promise<CallOutcome | undefined> {
  const started = performance.now();
  const wanted = { method: notification, ...(params === undefined ? {} : { params }) };
  const found = await client.next(wanted, timeoutSeconds * 1000, signal);
  return found && {
    kind: "result",
    raw: found,
    text: JSON.stringify(found.params),
    isError: false,
    structuredContent: found.params,
    violations: [],
    durationMs: performance.now() - started,
  };
}

type Cancelled = Pick<StepResult, "outcome" | "cancelled">;

/** Cancels the request as the step says, and looks whether the server lives on; an answer that came before has won. */
async function cancelled(
  connection: Connection,
  action: StepAction,
  when: NonNullable<TestStep["cancel"]>,
  { signal, onProgress, onActivity }: Options,
): Promise<Cancelled> {
  const stop = new AbortController();
  const started = performance.now();
  const enough = new PthError("INTERRUPTED", "Cannot finish the call: the test cancels it");
  const giveUp = () => stop.abort(enough);
  const timer = "afterMs" in when ? setTimeout(giveUp, when.afterMs) : undefined;
  try {
    const outcome = await send(connection, action, {
      signal: AbortSignal.any([signal, stop.signal]),
      onActivity,
      onProgress: (progress) => {
        onProgress(progress);
        if ("onProgress" in when) giveUp();
      },
    });
    return outcome === undefined ? {} : { outcome };
  } catch (error) {
    if (error !== enough) throw error;
    const afterMs = Math.round(performance.now() - started);
    return { cancelled: { afterMs, alive: await isAlive(connection) } };
  } finally {
    clearTimeout(timer);
  }
}

async function isAlive(connection: Connection): Promise<boolean> {
  try {
    await connection.ping(pingMs);
    return true;
  } catch (error) {
    // Silence is the answer; whatever else it is goes on.
    if (error instanceof PthError && error.code === "SERVER_SILENT") return false;
    throw error;
  }
}
