import t from "tap";
import { watchAddresses } from "../../../src/server/watch_addresses.ts";

t.test("each address is a new one, and all are of one listener", async (t) => {
  const watching = watchAddresses({ allowSend: false });
  const harness = { announced: Promise.resolve("abc") };
  const [one, two] = [await watching.next(harness), await watching.next(harness)];
  t.match(one, /^http:\/\/127\.0\.0\.1:\d+\/pth_\w+\/\?token=[\w-]{40,}$/);
  t.not(one, two);
  t.equal(new URL(one!).port, new URL(two!).port);
  await watching.close();
  await t.rejects(fetch(one!), "nothing listens any more");
});

t.test("a session that cannot be watched has no address, and nothing listens", async (t) => {
  const watching = watchAddresses({ allowSend: false });
  t.equal(await watching.next({}), undefined);
  t.equal(await watching.next({ announced: Promise.resolve(undefined) }), undefined);
  await watching.close();
});
