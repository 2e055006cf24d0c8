/** A test of the network from inside an environment. */
import type { EnvironmentAccess } from "./environment_access.ts";

/** What installers and resolvers say when nobody is reached; they may say it for a moment only. */
export const networkWords =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|Temporary failure in name resolution|Could not resolve host|NewConnectionError|Network is unreachable/;

/** Most hosts that are tried. */
const mostHosts = 3;
const testWithin = 20_000;

/** POSIX sh; arguments are `host:port`. Without any, npm's registry is tried. */
const script = `
[ $# -gt 0 ] || set -- $(npm config get registry 2>/dev/null | sed -n 's,^\\(https\\{0\\,1\\}\\)://\\([^/:]*\\):\\{0\\,1\\}\\([0-9]*\\).*,\\1 \\2 \\3,p' |
  while read -r scheme host port; do [ "$scheme" = http ] && echo "$host:\${port:-80}" || echo "$host:\${port:-443}"; done)
for target in "$@"; do
  host=\${target%:*}; port=\${target##*:}
  printf '%s: ' "$target"
  if command -v getent >/dev/null && ! getent hosts "$host" >/dev/null; then echo 'the name is not resolved'; continue; fi
  if command -v node >/dev/null; then
    node -e 'const s=require("net").connect({host:process.argv[1],port:+process.argv[2]});s.setTimeout(3000,()=>{console.log("no answer within 3 s");process.exit()});s.on("connect",()=>{console.log("reached");process.exit()});s.on("error",e=>console.log(e.code||e.message))' "$host" "$port"
  elif command -v python3 >/dev/null; then
    python3 -c 'import socket,sys
try: socket.create_connection((sys.argv[1],int(sys.argv[2])),3); print("reached")
except Exception as e: print(e)' "$host" "$port"
  else echo 'not tried: neither node nor python3 is there'; fi
done
printf 'name servers: '; sed -n 's/^nameserver *//p' /etc/resolv.conf 2>/dev/null | tr '\\n' ' '; echo
printf 'default route: '; awk '$2 == "00000000" { print $1; found = 1 } END { if (!found) print "none" }' /proc/net/route 2>/dev/null || echo unknown
printf 'proxy: '; [ -n "$HTTPS_PROXY$https_proxy$HTTP_PROXY$http_proxy" ] && echo set || echo none
true`;

/** Lines of the test: each host that the output names, name servers, route, proxy. */
export async function connectivity(env: EnvironmentAccess, output: string): Promise<string> {
  const hosts = hostsIn(output).slice(0, mostHosts);
  const { stdout, stderr } = await env.exec(["sh", "-c", script, "sh", ...hosts], {
    cwd: "/",
    signal: AbortSignal.timeout(testWithin),
  });
  return `${stdout}${stderr}`.trim();
}

/** `host:port` of whatever an installer could not reach. */
export function hostsIn(output: string): string[] {
  const found = new Set<string>();
  for (
    const [, scheme, host, port] of output.matchAll(/\b(https?):\/\/(?:[^@\s/]*@)?([\w.-]+)(?::(\d+))?/g)
  ) {
    found.add(`${host}:${port ?? (scheme === "http" ? "80" : "443")}`);
  }
  for (const [, host, port] of output.matchAll(/\bECONNREFUSED ([\w.:-]+):(\d+)/g)) {
    found.add(`${host}:${port}`);
  }
  for (const [, host] of output.matchAll(/\b(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/g)) {
    if (![...found].some((known) => known.startsWith(`${host}:`))) found.add(`${host}:443`);
  }
  return [...found];
}
