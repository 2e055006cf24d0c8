/** A picture of an environment outside its source folder, by one shell script (PTH design §5.1). */
import type { EnvironmentFingerprint } from "../../../machines/model/environment.ts";
import { PthError } from "../../errors.ts";
import { sections } from "./sections.ts";

/**
 * POSIX sh, with no process per file. Ports count when a process that the script can see holds them: with a network shared
 * with the host, the host's own listeners are none of the environment's. `$PTH_PIDS` (a list) narrows the processes looked
 * at. Kernel parameters are read where a machine has its own, or may write the host's: where systemd runs. Texts of
 * configuration are those that everyone may read, so that no password hash and no key leaves the environment.
 */
const looks = `
exec 2>/dev/null
echo '== packages'
if command -v dpkg-query >/dev/null; then dpkg-query -W -f '\${Package} \${Version}\\n'
elif command -v rpm >/dev/null; then rpm -qa --qf '%{NAME} %{VERSION}-%{RELEASE}\\n'
elif command -v apk >/dev/null; then apk list -I | cut -d' ' -f1,2
fi
echo '== npm'
for d in /usr/lib /usr/local/lib; do
  [ -d $d/node_modules ] && grep -m1 -H '^ *"version":' $d/node_modules/*/package.json $d/node_modules/@*/*/package.json
done
echo '== pip'
for d in /usr/lib/python3*/dist-packages /usr/lib/python3*/site-packages /usr/local/lib/python3*/dist-packages \\
  /usr/local/lib/python3*/site-packages; do [ -d "$d" ] && ls -d "$d"/*.dist-info; done
echo '== users'; cut -d: -f1 /etc/passwd
echo '== groups'; cut -d: -f1,4 /etc/group
if [ -d /run/systemd/system ]; then
  echo '== units'; systemctl list-units --type=service,timer --state=running,waiting,elapsed,failed --plain --no-legend
  echo '== enabled'; find /etc/systemd/system -type l -printf '%P %l\\n'
  echo '== sysctl'
  find /proc/sys/kernel /proc/sys/net /proc/sys/vm /proc/sys/fs -type f -perm -0200 ! -perm -0022 \\
    ! -path '*/neigh/*' ! -path '*/conf/[!ad]*' ! -path '*/random/*' -exec grep -H '' {} +
fi
echo '== mounts'; cut -d' ' -f1-3 /proc/self/mounts
echo '== sockets'
if [ -n "\${PTH_PIDS+x}" ]; then
  for p in $PTH_PIDS; do ls -l /proc/$p/fd; done | grep -o 'socket:\\[[0-9]*'
else ls -l /proc/[0-9]*/fd | grep -o 'socket:\\[[0-9]*'
fi
echo '== tcp'; cat /proc/net/tcp /proc/net/tcp6 | grep ' 0A '
echo '== udp'; cat /proc/net/udp /proc/net/udp6 | grep ':0000 07 '
echo '== unix'; grep ' 00010000 0001 ' /proc/net/unix
echo '== config'; find /etc /var/spool/cron -xdev -type f -exec sha256sum {} +
echo '== texts'
find /etc -xdev -type f -perm -004 -size -129 ! -path '/etc/ssl/*' ! -path '/etc/*cache' | tar -czf - -T - | base64
`;

/** Says that a script came to its end. */
const end = "echo '== end'\n";

export const fingerprintScript = looks + end;

/**
 * With size and time of each file of the root's file system, for runtimes that cannot tell themselves which differ from the
 * image: 20,000 take a quarter of a second. `$1` is the source's folder. Needs GNU find; without it no file is compared.
 */
export const fingerprintWithFilesScript = `${looks}
echo '== files'; find / -xdev ! -type d ! -path "$1/*" -printf '%s %T@ %p\\n'
${end}`;

/** How a file is marked that the image has and the environment does not. */
export const deleted = "deleted";

/**
 * @param files Of those that differ from the image, path to what tells one state from another; where the runtime knows.
 * @throws {PthError} `EXEC_FAILED` where the script did not come to its end: all would seem to be removed
 */
export function parseFingerprint(
  text: string,
  files: Readonly<Record<string, string>> = {},
): EnvironmentFingerprint {
  const found = sections(text);
  if (!found.has("end")) {
    throw new PthError(
      "EXEC_FAILED",
      "Cannot look at the environment: it cannot run a shell script any more",
      {
        next: [
          "See how it is: pth_check_environment_health({})",
          "Start afresh: pth_reprovision_environment({})",
        ],
      },
    );
  }
  const rows = (name: string, separator: RegExp) =>
    (found.get(name) ?? []).map((line) => line.split(separator) as [string, ...string[]]);
  const record = (name: string, separator: RegExp) =>
    Object.fromEntries(rows(name, separator).map(([key, value = ""]) => [key, value]));
  const units = rows("units", /\s+/).map(([name, , active, state]) => ({ name, active, state }));
  const texts = (found.get("texts") ?? []).join("");
  return {
    takenAt: new Date().toISOString(),
    packages: { ...record("packages", / /), ...npmPackages(found), ...pythonPackages(found) },
    services: named(units, (unit) => unit.name.endsWith(".service") && unit.state === "running"),
    timers: named(units, (unit) => unit.name.endsWith(".timer") && unit.active === "active"),
    failedUnits: named(units, ({ active }) => active === "failed"),
    enabled: enabledUnits(found),
    users: found.get("users") ?? [],
    groups: record("groups", /:/),
    ports: portsOf(found),
    config: Object.fromEntries(rows("config", / [ *](.*)/s).map(([sum, path]) => [path!, sum])),
    ...(texts === "" ? {} : { configTexts: texts }),
    sysctl: parametersOf(found),
    mounts: Object.fromEntries(
      rows("mounts", / /).map(([what, where, type]) => [where!, `${what} (${type})`]),
    ),
    files: { ...listedFiles(found), ...files },
  };
}

interface Unit {
  name: string;
  active: string | undefined;
  state: string | undefined;
}

const named = (units: readonly Unit[], wanted: (unit: Unit) => boolean): string[] =>
  units.filter(wanted).map(({ name }) => name).sort();

/**
 * By the links that `systemctl enable` makes: systemctl itself reads all units there are, which takes seconds. A link of its
 * own name stands for what it leads to, one to nowhere for a unit that never starts.
 */
function enabledUnits(found: Map<string, string[]>): string[] {
  const links = (found.get("enabled") ?? []).map((line) => {
    const [path = "", target = ""] = line.split(" ");
    return { path, target };
  });
  const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const masked = new Set(links.filter(({ target }) => target === "/dev/null").map(({ path }) => path));
  const names = links.filter(({ target }) => target !== "/dev/null")
    .map(({ path, target }) => nameOf(path.includes("/") ? path : target));
  return [...new Set(names)].filter((name) => !masked.has(name)).sort();
}

function npmPackages(found: Map<string, string[]>): Record<string, string> {
  const line = /\/node_modules\/(.+)\/package\.json:.*"version": *"([^"]+)"/;
  const matches = (found.get("npm") ?? []).flatMap((text) =>
    [text.match(line) ?? []].filter((m) => m.length > 0)
  );
  return Object.fromEntries(matches.map(([, name, version]) => [`npm:${name}`, version!]));
}

function pythonPackages(found: Map<string, string[]>): Record<string, string> {
  const folders = (found.get("pip") ?? []).map((path) => path.slice(path.lastIndexOf("/") + 1));
  const matches = folders.flatMap((folder) => [folder.match(/^(.+?)-([^-]+)\.dist-info$/) ?? []]);
  return Object.fromEntries(
    matches.filter((m) => m.length > 0).map(([, name, version]) => [`pip:${name}`, version!]),
  );
}

function portsOf(found: Map<string, string[]>): string[] {
  const held = new Set((found.get("sockets") ?? []).map((line) => line.slice("socket:[".length)));
  const columns = (name: string) => (found.get(name) ?? []).map((line) => line.trim().split(/\s+/));
  const internet = (protocol: "tcp" | "udp") =>
    columns(protocol).filter((column) => held.has(column[9]!))
      .map((column) => `${protocol}/${Number.parseInt(column[1]!.split(":")[1]!, 16)}`);
  // Abstract sockets have no path.
  const local = columns("unix").filter((column) => held.has(column[6]!) && column[7]?.startsWith("/"))
    .map((column) => `unix${column[7]}`);
  return [...new Set([...internet("tcp"), ...internet("udp"), ...local])].sort();
}

/** Lines of `path:value`, as the usual dotted names; several lines of one parameter are one value. */
function parametersOf(found: Map<string, string[]>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of found.get("sysctl") ?? []) {
    const colon = line.indexOf(":");
    const name = line.slice("/proc/sys/".length, colon).replaceAll("/", ".");
    const value = line.slice(colon + 1).replaceAll(/\s+/g, " ");
    values[name] = name in values ? `${values[name]}; ${value}` : value;
  }
  return values;
}

const listedFiles = (found: Map<string, string[]>): Record<string, string> =>
  Object.fromEntries(
    (found.get("files") ?? []).map((line) => {
      const end = line.indexOf(" ", line.indexOf(" ") + 1);
      return [line.slice(end + 1), line.slice(0, end)];
    }),
  );
