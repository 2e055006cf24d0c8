import t from "tap";
import { EventPages } from "../../../../../src/visualizer/page/events/event_pages.ts";
import type { EventRow } from "../../../../../src/visualizer/timeline/timeline.ts";

const rowAt = (index: number): EventRow => ({
  position: index + 1,
  settled: index + 1,
  at: index,
  target: { actor: "x:0", id: "harness" },
  type: "t",
  gist: "",
  trouble: false,
  ignored: false,
});

/** A server with so many rows; each question is remembered. */
function served(total: number) {
  const asked: number[] = [];
  const server = { total, fails: false };
  const pages = new EventPages((from, count) => {
    asked.push(from);
    if (server.fails) return Promise.resolve(undefined);
    const length = Math.max(0, Math.min(count, server.total - from));
    const rows = Array.from({ length }, (_, index) => rowAt(from + index));
    return Promise.resolve({ total: server.total, from, rows });
  });
  return { asked, server, pages };
}

const answered = () => new Promise((resolve) => setTimeout(resolve, 0));

t.test("only pages in sight are fetched, each once", async (t) => {
  const { asked, pages } = served(1_000_000);
  pages.want(0, 40);
  await answered();
  t.equal(pages.total.value, 1_000_000);
  t.equal(pages.row(39)?.position, 40);
  t.equal(pages.row(500_000), undefined);
  pages.want(390, 430);
  await answered();
  pages.want(10, 50);
  await answered();
  t.same(asked, [0, 200, 400]);
});

t.test("pages that were scrolled past before their turn are not fetched", async (t) => {
  const { asked, pages } = served(1_000_000);
  pages.want(0, 10);
  for (const from of [1000, 50_000, 700_000]) pages.want(from, from + 10);
  await answered();
  t.same(asked, [0, 700_000]);
});

t.test("rows that come fill the last page and make more", async (t) => {
  const { pages, server } = served(150);
  pages.want(0, 40);
  await answered();
  server.total = 450;
  pages.grew(false);
  await answered();
  t.equal(pages.total.value, 450);
  t.equal(pages.row(199)?.position, 200);
  pages.want(380, 450);
  await answered();
  t.equal(pages.row(449)?.position, 450);
});

t.test("a page that could not be fetched is asked for again when it is wanted again", async (t) => {
  const { asked, pages, server } = served(10);
  server.fails = true;
  pages.want(0, 10);
  await answered();
  t.equal(pages.total.value, undefined);
  server.fails = false;
  pages.want(0, 10);
  await answered();
  t.same(asked, [0, 0]);
  t.equal(pages.total.value, 10);
});

t.test("a long way through a recording does not keep all of it", async (t) => {
  const { asked, pages } = served(1_000_000);
  for (let page = 0; page < 60; page++) {
    pages.want(page * 200, page * 200 + 10);
    await answered();
  }
  t.equal(pages.row(0), undefined);
  t.equal(pages.row(59 * 200)?.position, 59 * 200 + 1);
  t.equal(asked.length, 60);
});

t.test("rows in sight that could not be fetched are asked for again once there is more", async (t) => {
  const { pages, server } = served(1000);
  pages.want(0, 40);
  await answered();
  server.fails = true;
  pages.want(390, 430);
  await answered();
  t.equal(pages.row(399), undefined);
  server.fails = false;
  pages.grew(false);
  await answered();
  t.equal(pages.row(399)?.position, 400);
  t.equal(pages.row(400)?.position, 401);
});

t.test("who stays at the end of a list that grows fast has the rows there when it has their number", async (t) => {
  const { pages, server } = served(150);
  pages.want(0, 40);
  await answered();
  const missing: number[] = [];
  pages.total.subscribe((total = 0) => {
    if (pages.row(total - 1) === undefined || pages.row(total - 40) === undefined) missing.push(total);
  });
  for (const total of [1350, 2410, 5000]) {
    server.total = total;
    pages.grew(true);
    await answered();
    t.equal(pages.total.value, total);
  }
  t.same(missing, []);
});
