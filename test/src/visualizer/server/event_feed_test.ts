import type { Duplex, Readable } from "node:stream";
import t from "tap";
import { createFeed, followSource, mergeGrowth } from "../../../../src/visualizer/server/event_feed.ts";
import type { Growth, Timeline } from "../../../../src/visualizer/timeline/timeline.ts";

const growth = (length: number, more: Partial<Growth> = {}): Growth => ({
  length,
  duration: length * 10,
  events: 1,
  growing: true,
  moved: [],
  ...more,
});

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Told = [event: string, data: Growth][];

/** Reads from now on; answers `[event, data]` of what has come, once that is enough, and forgets it. */
function listenTo(body: Readable) {
  let text = "";
  body.on("data", (chunk) => text += String(chunk));
  return async (enough: (told: Told) => boolean = ({ length }) => length > 0): Promise<Told> => {
    for (let tries = 0;; tries++) {
      await wait(5);
      const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)\n$/gm)];
      const told = events.map(([, event, data]): Told[number] => [event!, JSON.parse(data!)]);
      if (!enough(told) && tries < 2000) continue;
      text = "";
      return told;
    }
  };
}

t.test("growth carries its length as id, so that a page that comes back can say where it was", async (t) => {
  const feed = createFeed();
  let text = "";
  feed.body.on("data", (chunk) => text += String(chunk));
  feed.growth(growth(5));
  for (let tries = 0; !text.includes("data: ") && tries < 2000; tries++) await wait(5);
  t.match(text, /^retry: 1000\n\nid: 5\nevent: growth\ndata: \{.*\}\n\n$/);
  feed.body.destroy();
});

t.test("a page that does not read is sent what came meanwhile as one, however long it takes", async (t) => {
  const feed = createFeed();
  const moved = (state: string) => [{
    actor: "x:1",
    value: state.padEnd(1000, "."),
    status: "active" as const,
    taken: [state],
  }];
  for (let length = 1; length <= 10_000; length++) feed.growth(growth(length, { moved: moved(`${length}`) }));
  const { readableLength, writableLength } = feed.body as Duplex;
  t.ok(readableLength + writableLength < 200_000, "10 MB are not kept");
  const whole = (told: Told) => told.at(-1)?.[1].length === 10_000;
  const heard = (await listenTo(feed.body)(whole)).map(([, data]) => data);
  t.ok(heard.length < 200);
  t.equal(heard.reduce((sum, { events }) => sum + events, 0), 10_000, "every event is counted");
  t.equal(heard.at(-1)?.length, 10_000);
  t.match(heard.at(-1)?.moved[0]?.value, /^10000\./, "and the last state is told");
  feed.body.destroy();
});

t.test("merged growth keeps each actor's last state and all that it took", (t) => {
  const at = (actor: string, value: string, taken: string[]) => ({
    actor,
    value,
    status: "active" as const,
    taken,
  });
  const first = growth(3, { moved: [at("a", "one", ["1"]), at("b", "one", ["2"])] });
  const second = growth(5, { events: 4, moved: [at("a", "two", ["3"])], growing: false });
  t.same(
    mergeGrowth(first, second),
    growth(5, {
      events: 5,
      growing: false,
      moved: [at("a", "two", ["1", "3"]), at("b", "one", ["2"])],
    }),
  );
  t.end();
});

t.test("a feed begins with where the source is, and stops following when the page leaves", async (t) => {
  const feed = createFeed();
  let listen: ((growth: Growth) => void) | undefined;
  const timeline = {
    length: 7,
    duration: 70,
    growing: true,
    follow(listener: (growth: Growth) => void) {
      listen = listener;
      return () => void (listen = undefined);
    },
  } as Partial<Timeline> as Timeline;
  const heard = listenTo(feed.body);
  let end: (how: { reason: string }) => void = () => {};
  const ended = new Promise<{ reason: string }>((resolve) => end = resolve);
  followSource(feed, { timeline, ended });
  t.same(await heard(), [["growth", growth(7, { events: 0 })]]);
  end({ reason: "it was closed" });
  await Promise.resolve();
  listen?.(growth(9));
  t.same(
    await heard(({ length }) => length === 2),
    [["growth", growth(9)], ["ended", { reason: "it was closed" }]],
    "the end comes after what came last",
  );
  feed.body.destroy();
  await wait(0);
  t.equal(listen, undefined);
});
