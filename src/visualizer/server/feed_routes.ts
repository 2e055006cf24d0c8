/** Routes of live data: feeds for pages, and events that a page sends to an actor. */
import type { HttpReply, HttpRequest } from "../../platform/http_server.ts";
import { PthError } from "../../core/errors.ts";
import { isObject } from "../../core/values.ts";
import { fileReply, jsonReply } from "./replies.ts";
import type { SendRequest } from "./api.ts";
import { createFeed, type EventFeed, followSource } from "./event_feed.ts";
import type { ApiContext, ApiHandler } from "./api_request.ts";

const feed: ApiHandler = (_request, context) => feedReply(createFeed(), context);

const sourceFeed: ApiHandler = async ({ params }, context) => {
  const { open, release } = await context.sources.hold(params.source!);
  const feed = createFeed();
  feed.onClose(release);
  const reply = await feedReply(feed, context);
  followSource(feed, open);
  return reply;
};

async function feedReply(feed: EventFeed, { sources, pageCame }: ApiContext): Promise<HttpReply> {
  feed.onClose(pageCame());
  feed.onClose(sources.follow((list) => feed.sources(list)));
  feed.sources(await sources.list());
  return fileReply(feed.body, "text/event-stream");
}

const send: ApiHandler = ({ params, http }, { sources }) =>
  sources.use(params.source!, async ({ source, send }) => {
    if (send === undefined || source.state !== "live") {
      throw new PthError("NOT_NOW", "Cannot send the event: the session is over, or this is a recording");
    }
    if (!source.maySend) {
      throw new PthError("UNSUPPORTED", "Cannot send the event: this viewer is read-only", {
        status: 403,
        next: ["Start it with permission to send: pth viz --allow-send"],
      });
    }
    const { actor, event } = await requestIn(http);
    await send(actor, event);
    return jsonReply({ sent: true });
  });

/** @throws {PthError} `INVALID_INPUT` */
async function requestIn(http: HttpRequest): Promise<SendRequest> {
  const bad = (what: string, cause?: unknown) =>
    new PthError("INVALID_INPUT", `Cannot send the event: ${what}`, {}, { cause });
  let request: unknown;
  try {
    request = JSON.parse(await http.text());
  } catch (error) {
    throw bad((error as Error).message, error);
  }
  if (!isObject(request) || typeof request.actor !== "string") throw bad("no actor is named");
  const { actor, event } = request;
  if (!isObject(event) || typeof event.type !== "string" || event.type === "") throw bad("it has no type");
  return { actor, event: { ...event, type: event.type } };
}

export const feedRoutes: [string, ApiHandler][] = [["feed", feed], ["sources/:source/feed", sourceFeed]];
export const sendRoutes: [string, ApiHandler][] = [["sources/:source/send", send]];
