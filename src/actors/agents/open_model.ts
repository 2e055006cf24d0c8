/** A model of PTH's own, at an address that leads to it from inside the environment. */
import type { AnswerRequest } from "../../agents/model_api/model_api.ts";
import { type ModelServer, serveModel } from "../../agents/model_api/serve_model.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";

export interface ReachedModel extends ModelServer {
  /** Resolves with the reason once the environment does not reach it any more; never rejects. */
  readonly lost: Promise<Error>;
}

/** @throws {PthError} `UNSUPPORTED` where the environment cannot reach it */
export async function openModel(
  answer: AnswerRequest,
  { runtime, info }: LiveEnvironment,
  signal: AbortSignal,
): Promise<ReachedModel> {
  const server = await serveModel(answer);
  try {
    const forward = await runtime.forwardHostPort(info.handle, Number(new URL(server.url).port), signal);
    return {
      url: `http://127.0.0.1:${forward.port}`,
      lost: forward.lost,
      async close() {
        await forward.close();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}
