/** A picture of an environment outside its source folder, by one shell script (PTH design §5.1). */
import type { EnvironmentFingerprint } from "../../../machines/model/environment.ts";
import { sections } from "./sections.ts";

/**
 * POSIX sh. Ports count when a process that the script can see holds them: with a network shared with the host, the
 * host's own listeners are none of the environment's. `$PTH_PIDS` (a list) narrows the processes looked at.
 */
export const fingerprintScript = `
echo '== packages'
if command -v dpkg-query >/dev/null; then dpkg-query -W -f '\${Package} \${Version}\\n'
elif command -v rpm >/dev/null; then rpm -qa --qf '%{NAME} %{VERSION}-%{RELEASE}\\n'
elif command -v apk >/dev/null; then apk list -I 2>/dev/null | cut -d' ' -f1,2
fi
echo '== users'; cut -d: -f1 /etc/passwd
echo '== services'
[ -d /run/systemd/system ] && systemctl list-units --type=service --state=running --plain --no-legend 2>/dev/null | cut -d' ' -f1
echo '== sockets'
if [ -n "\${PTH_PIDS+x}" ]; then
  for p in $PTH_PIDS; do ls -l /proc/$p/fd 2>/dev/null; done | grep -o 'socket:\\[[0-9]*'
else ls -l /proc/[0-9]*/fd 2>/dev/null | grep -o 'socket:\\[[0-9]*'
fi
echo '== listening'
for f in /proc/net/tcp /proc/net/tcp6; do
  [ -r $f ] && while read -r _ local _ state _ _ _ _ _ inode _; do [ "$state" = 0A ] && echo "$local $inode"; done <$f
done
echo '== config'; find /etc -xdev -type f -exec sha256sum {} + 2>/dev/null
true
`;

/** @param files Changed paths, where the runtime can tell (its upper layer, `docker diff`). */
export function parseFingerprint(text: string, files: readonly string[] = []): EnvironmentFingerprint {
  const found = sections(text);
  const pairs = (name: string, separator: RegExp) =>
    (found.get(name) ?? []).map((line) => line.split(separator) as [string, string]);
  return {
    takenAt: new Date().toISOString(),
    packages: Object.fromEntries(pairs("packages", / /)),
    services: found.get("services") ?? [],
    users: found.get("users") ?? [],
    ports: portsOf(found),
    config: Object.fromEntries(pairs("config", / [ *]/).map(([sum, path]) => [path, sum])),
    files: [...files].filter((path) => !isNoise(path)).sort(),
  };
}

function portsOf(found: Map<string, string[]>): string[] {
  const held = new Set((found.get("sockets") ?? []).map((line) => line.slice("socket:[".length)));
  const ports = (found.get("listening") ?? [])
    .map((line) => line.split(" "))
    .filter(([, inode]) => held.has(inode!))
    .map(([local]) => `tcp/${Number.parseInt(local!.split(":")[1]!, 16)}`);
  return [...new Set(ports)].sort();
}

/** Scratch files and caches come and go without meaning; /etc has checksums of its own. */
const isNoise = (path: string): boolean =>
  /^\/(tmp|var\/tmp|run|proc|dev|sys|etc|var\/cache|var\/log)(\/|$)/.test(path) ||
  /\/(\.cache|\.npm|_cacache|__pycache__)(\/|$)/.test(path);
