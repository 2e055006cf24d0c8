import t from "tap";
import type { HttpRequest } from "../../../../src/platform/http_server.ts";
import { createAccessGuard } from "../../../../src/visualizer/server/access_guard.ts";

const own = "127.0.0.1:4000";
const ask = (path: string, headers: Record<string, string> = {}, method = "GET"): HttpRequest => ({
  method,
  path,
  headers: { host: own, ...headers },
  text: () => Promise.resolve(""),
});
const open = () => createAccessGuard({ port: () => 4000, again: "Press Enter for a new address." });
const pathOf = (address: string) => address.slice(`http://${own}`.length);

/** A door, and the cookie of a browser that went through it. */
function entered() {
  const door = open();
  const reply = door.stop(ask(pathOf(door.address())));
  return { door, cookie: reply?.headers?.["set-cookie"]?.split(";")[0] ?? "" };
}

t.test("a one-time address is changed for a cookie, and leads to the address without it", (t) => {
  const door = open();
  const path = pathOf(door.address());
  t.match(path, /^\/pth_[0-9a-f]{12}\/\?token=[\w-]{43}$/, "256 bits");
  const reply = door.stop(ask(`${path}&keep=1`));
  t.equal(reply?.status, 303);
  t.equal(reply?.headers?.location, `${door.place}?keep=1`);
  const cookie = reply?.headers?.["set-cookie"] ?? "";
  t.match(cookie, /^pth_[0-9a-f]{12}=[\w-]{43}; Path=\/pth_[0-9a-f]{12}\/; HttpOnly; SameSite=Strict$/);
  t.ok(cookie.includes(`Path=${door.place};`), "only there, since servers of other ports get cookies, too");
  t.equal(door.stop(ask("/", { cookie: `other=1; ${cookie.split(";")[0]}` })), undefined, "let in");
  t.end();
});

t.test("a token opens once; each address has its own", (t) => {
  const door = open();
  const [first, second] = [pathOf(door.address()), pathOf(door.address())];
  t.equal(door.stop(ask(first))?.status, 303);
  const again = door.stop(ask(first));
  t.equal(again?.status, 403);
  t.match(String(again?.body), "used before");
  t.match(String(again?.body), "Press Enter for a new address.", "says how to get in");
  t.equal(door.stop(ask(second))?.status, 303, "the other one is still good");
  t.end();
});

t.test("without token and cookie, or with wrong ones, nobody comes in", (t) => {
  const door = open();
  const good = pathOf(door.address());
  for (const path of ["/", "/api/sources", "/?token=", "/?token=wrong", `${good}x`, good.slice(0, -1)]) {
    t.equal(door.stop(ask(path))?.status, 403, path);
  }
  const { door: other, cookie } = entered();
  t.equal(door.stop(ask("/", { cookie }))?.status, 403, "another viewer's cookie");
  t.equal(other.stop(ask("/", { cookie: `${cookie}x` }))?.status, 403, "a changed one");
  t.equal(door.stop(ask(good, {}, "HEAD"))?.status, 403, "asking for headers uses no token");
  t.equal(door.stop(ask(good))?.status, 303);
  t.end();
});

t.test("a known browser that follows a used address is let in", (t) => {
  const { door, cookie } = entered();
  const reply = door.stop(ask("/?token=used", { cookie }));
  t.equal(reply?.status, 303);
  t.equal(reply?.headers?.location, "/");
  t.notOk(reply?.headers?.["set-cookie"]);
  t.end();
});

t.test("under another name than the host's own it is not reached, not even with the cookie", (t) => {
  const { door, cookie } = entered();
  for (const host of ["evil.example", "127.0.0.1", "127.0.0.1:4001", "evil.example:4000", "[::1]:4000", ""]) {
    t.equal(door.stop(ask("/api/sources", { host, cookie }))?.status, 403, host);
  }
  t.equal(door.stop(ask("/api/sources", { host: "localhost:4000", cookie })), undefined);
  t.end();
});

t.test("port 80 is named by no browser", (t) => {
  const door = createAccessGuard({ port: () => 80, again: "" });
  const { pathname, search } = new URL(door.address());
  t.equal(door.stop(ask(pathname + search, { host: "127.0.0.1", origin: "http://127.0.0.1" }))?.status, 303);
  t.equal(door.stop(ask(pathname, { host: "evil.example" }))?.status, 403);
  t.end();
});

t.test("pages of other sites are refused, with the cookie, too", (t) => {
  const { door, cookie } = entered();
  for (const origin of ["https://evil.example", "null", "http://localhost:3000", `https://${own}`]) {
    t.equal(door.stop(ask("/api/sources", { origin, cookie }))?.status, 403, origin);
  }
  t.equal(door.stop(ask("/api/sources", { origin: `http://${own}`, cookie })), undefined, "our own");
  for (const site of ["cross-site", "same-site"]) {
    const headers = { cookie, "sec-fetch-site": site, "sec-fetch-mode": "no-cors" };
    t.equal(door.stop(ask("/api/sources", headers))?.status, 403, `a script tag of a page that is ${site}`);
    const visit = { cookie, "sec-fetch-site": site, "sec-fetch-mode": "navigate" };
    t.equal(door.stop(ask("/", visit)), undefined, "a link to it is a visit");
  }
  t.end();
});

t.test("what changes something needs JSON from our own page", (t) => {
  const { door, cookie } = entered();
  const post = (headers: Record<string, string>) =>
    door.stop(
      ask("/api/sources/live-1/send", { cookie, "content-type": "application/json", ...headers }, "POST"),
    );
  t.equal(post({ origin: `http://${own}` }), undefined);
  t.equal(post({ "sec-fetch-site": "same-origin" }), undefined);
  t.equal(post({})?.status, 403, "nobody says where it comes from");
  t.equal(post({ origin: "https://evil.example" })?.status, 403);
  t.equal(post({ origin: "https://evil.example", "sec-fetch-site": "same-origin" })?.status, 403);
  t.equal(post({ "sec-fetch-site": "cross-site" })?.status, 403);
  t.equal(post({ origin: `http://${own}`, "content-type": "text/plain" })?.status, 403, "a form's type");
  t.equal(door.stop(ask("/", { cookie, origin: `http://${own}` }, "DELETE"))?.status, 405);
  t.end();
});

t.test("a link on another site with a good address takes one step of our own, so that the cookie goes along", (t) => {
  const door = open();
  const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  const reply = door.stop(ask(pathOf(door.address()), headers));
  t.equal(reply?.status, 200);
  t.match(String(reply?.body), '<meta http-equiv="refresh" content="0;url=' + door.place);
  t.ok(reply?.headers?.["set-cookie"]);
  t.end();
});

t.test("an address cannot lead to another host", (t) => {
  const { door, cookie } = entered();
  for (const path of ["//evil.example/?token=x", "/.//evil.example/?token=x", "/\\evil.example/?token=x"]) {
    t.match(door.stop(ask(path, { cookie }))?.headers?.location, /^\/(?!\/)/, path);
  }
  t.end();
});

t.test("what is no address is refused, whoever asks", (t) => {
  const { door, cookie } = entered();
  for (const path of ["http://[", "//[", "http://[?token=x"]) {
    t.equal(door.stop(ask(path))?.status, 400, path);
    t.equal(door.stop(ask(path, { cookie }))?.status, 400, path);
  }
  t.end();
});

t.test("every answer forbids foreign scripts, frames and caches", (t) => {
  const headers = open().stop(ask("/"))?.headers ?? {};
  t.match(headers["content-security-policy"], "default-src 'none'");
  t.match(headers["content-security-policy"], "frame-ancestors 'none'");
  t.equal(headers["cache-control"], "no-store");
  t.equal(headers["x-content-type-options"], "nosniff");
  t.end();
});
