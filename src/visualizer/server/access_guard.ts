/**
 * Admits only browsers that were given a one-time address, on this host, and no other site.
 *
 * Listening on the loopback alone keeps out neither other sites (a page of theirs can send requests to any name
 * that resolves to this host) nor other users of the host. So the first visit needs a token, and later ones need
 * the cookie that the token was exchanged for.
 */
import { Buffer } from "node:buffer";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { HttpReply, HttpRequest } from "../../platform/http_server.ts";
import { notePage, safeHeaders } from "./replies.ts";

export interface AccessGuard {
  /** The folder of all addresses behind this guard, between slashes. */
  readonly place: string;
  /** A new address that opens once. Those given before stay good until they are used. */
  address(): string;
  /** Returns the reply for a request that is not admitted; undefined for one that is. */
  stop(request: HttpRequest): HttpReply | undefined;
}

export interface AccessGuardOptions {
  /** Port that the server listens on; asked at each request. */
  port: () => number;
  /** Sentence for the refusal page that says how to get a new address. */
  again: string;
}

export function createAccessGuard({ port, again }: AccessGuardOptions): AccessGuard {
  // Cookies know hosts and folders but no ports: in a folder of its own, this one goes to no other server of this host.
  const name = `pth_${randomBytes(6).toString("hex")}`;
  const place = `/${name}/`;
  const pass = secret();
  const tokens = new Set<string>();
  const turnedAway = (why: string) => notePage(403, "Access denied", [why, again]);

  /** Whether the token was good; it is no more. */
  function use(token: string): boolean {
    const found = [...tokens].filter((known) => isSame(known, token));
    for (const used of found) tokens.delete(used);
    return found.length > 0;
  }

  function exchange({ path }: HttpRequest, token: string, fromElsewhere: boolean): HttpReply {
    if (!use(token)) {
      return turnedAway("This address was used before, or is not one of this viewer: each opens only once.");
    }
    const cookie = { "set-cookie": `${name}=${pass}; Path=${place}; HttpOnly; SameSite=Strict` };
    const next = withoutToken(path);
    // The cookie does not go along on a redirect that another site began; a step that this page begins takes it along.
    const reply = fromElsewhere
      ? notePage(200, "One moment …", [], next)
      : { status: 303, headers: { ...safeHeaders, location: next } };
    return { ...reply, headers: { ...reply.headers, ...cookie } };
  }

  return {
    place,
    address() {
      const token = secret();
      tokens.add(token);
      return `http://127.0.0.1:${port()}${place}?token=${token}`;
    },
    stop(request) {
      const why = foreignReason(request, port());
      if (why !== undefined) return turnedAway(why);
      if (!["GET", "HEAD", "POST"].includes(request.method)) {
        return { status: 405, headers: { ...safeHeaders, allow: "GET, HEAD, POST" } };
      }
      if (!URL.canParse(request.path, anyHost)) {
        return notePage(400, "Not here", ["This is not a valid address."]);
      }
      const token = request.method === "GET" ? tokenOf(request) : undefined;
      if (isSame(cookieOf(request, name), pass)) {
        if (token === undefined) return undefined;
        use(token);
        // The browser is known: an address that was used leads here again.
        return { status: 303, headers: { ...safeHeaders, location: withoutToken(request.path) } };
      }
      if (token === undefined) {
        return turnedAway("This page opens by the one-time address that was printed for it.");
      }
      return exchange(request, token, request.headers["sec-fetch-site"] === "cross-site");
    },
  };
}

/** Reason why a request comes neither from the viewer's page nor from a visit. */
function foreignReason({ method, headers }: HttpRequest, port: number): string | undefined {
  // Browsers leave out port 80.
  const hosts = ["127.0.0.1", "localhost"].map((name) => port === 80 ? name : `${name}:${port}`);
  if (!hosts.includes(String(headers.host))) {
    return "The request names a host other than this one.";
  }
  const { origin, "sec-fetch-site": site, "sec-fetch-mode": mode, "content-type": type } = headers;
  const isOurOrigin = hosts.some((host) => origin === `http://${host}`);
  const fromElsewhere = "The request comes from another site.";
  if (origin !== undefined && !isOurOrigin) return fromElsewhere;
  if (method === "POST") {
    if (!isOurOrigin && site !== "same-origin") return fromElsewhere;
    return /^application\/json\b/.test(String(type)) ? undefined : "Only JSON is accepted.";
  }
  // Another port of this host is the same site to a browser, which then sends the cookie along.
  const isVisit = mode === undefined || mode === "navigate";
  return site === undefined || site === "same-origin" || site === "none" || isVisit
    ? undefined
    : fromElsewhere;
}

/** 256 random bits. */
const secret = (): string => randomBytes(32).toString("base64url");

/** Takes as long whatever is wrong, and wherever. */
function isSame(one: string | undefined, other: string): boolean {
  if (one === undefined) return false;
  const digest = (text: string) => createHash("sha256").update(Buffer.from(text)).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function tokenOf({ path }: HttpRequest): string | undefined {
  return urlOf(path).searchParams.get("token") ?? undefined;
}

function withoutToken(path: string): string {
  const url = urlOf(path);
  url.searchParams.delete("token");
  return `${url.pathname.replace(/^\/+/, "/")}${url.search}`;
}

const anyHost = "http://127.0.0.1";

/** Two slashes at the beginning name another host. */
const urlOf = (path: string): URL => new URL(path.replace(/^\/{2,}/, "/"), anyHost);

function cookieOf({ headers: { cookie } }: HttpRequest, name: string): string | undefined {
  return String(cookie ?? "").split(/;\s*/).find((pair) => pair.startsWith(`${name}=`))?.slice(
    name.length + 1,
  );
}
