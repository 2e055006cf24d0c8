/** The engine's streams of JSON lines (build, import, pull), followed to their end. */
import type { Readable } from "node:stream";

export interface EngineEvent {
  /** Build output. */
  stream?: string;
  /** Pull and import. */
  status?: string;
  id?: string;
  error?: string;
  aux?: { ID?: string };
}

/**
 * Calls `onEvent` for each event until the stream ends; the last event with an `error` becomes the failure.
 * @throws {Error} with the engine's words, or the signal's reason once aborted
 */
export async function followProgress(
  stream: Readable,
  onEvent: (event: EngineEvent) => void,
  signal?: AbortSignal,
): Promise<void> {
  const abort = () => stream.destroy();
  signal?.addEventListener("abort", abort, { once: true });
  let failure: string | undefined;
  try {
    for await (const line of lines(stream)) {
      const event = JSON.parse(line) as EngineEvent;
      if (event.error) failure = event.error;
      onEvent(event);
    }
  } catch (error) {
    signal?.throwIfAborted(); // what the destroyed stream says is not the reason
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
  signal?.throwIfAborted();
  if (failure !== undefined) throw new Error(failure);
}

async function* lines(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    rest += decoder.decode(chunk as Uint8Array, { stream: true });
    const parts = rest.split("\n");
    rest = parts.pop()!;
    for (const part of parts) if (part.trim() !== "") yield part;
  }
  if (rest.trim() !== "") yield rest;
}
