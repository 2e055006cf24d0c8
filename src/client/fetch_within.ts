/**
 * `fetch` that stays with the server under test: redirects within its origin are followed, no others. A plugin could
 * otherwise have PTH, which stands outside its environment, ask whatever the host can reach, with the plugin's headers.
 */

/** A server that sends its client elsewhere; the message is said of the server. */
export class ForeignRedirect extends Error {
  override readonly name = "ForeignRedirect";
  readonly status: number;
  /** The location as the server wrote it, shortened. */
  readonly location: string;

  constructor(status: number, location: string, why: string) {
    super(`HTTP ${status} redirects to ${JSON.stringify(location.slice(0, 200))}: ${why}`);
    this.status = status;
    this.location = location.slice(0, 200);
  }
}

const redirects = [301, 302, 303, 307, 308];
const most = 5;

/** @throws {ForeignRedirect} for a redirect to another origin, and for more than five */
export async function fetchWithin(input: string | URL, init: RequestInit = {}): Promise<Response> {
  let url = new URL(input);
  let asked = init;
  for (let turn = 0;; turn++) {
    const answer = await fetch(url, { ...asked, redirect: "manual" });
    const location = answer.headers.get("location");
    if (!redirects.includes(answer.status) || location === null) return answer;
    await answer.body?.cancel();
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
    const foreign = (why: string) => new ForeignRedirect(answer.status, location, why);
    if (next?.origin !== url.origin) throw foreign("another origin, which is not asked");
    if (turn >= most) throw foreign(`more than ${most} redirects`);
    asked = repeated(asked, answer.status);
    url = next;
  }
}

/** Repeats a request as browsers do: a POST that is answered with 301 or 302, and anything with 303, becomes a GET. */
function repeated(init: RequestInit, status: number): RequestInit {
  const method = init.method ?? "GET";
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (!becomesGet) return init;
  const { body: _body, ...rest } = init;
  const headers = new Headers(init.headers);
  for (const name of ["content-type", "content-length"]) headers.delete(name);
  return { ...rest, method: "GET", headers };
}
