/** Changes of an environment that mean nothing, and why each is left out of a drift report. */
import type {
  DriftChange,
  EnvironmentFingerprint,
  RuntimeDrift,
} from "../../../machines/model/environment.ts";

export interface Noise {
  what: string;
  why: string;
}

interface Rule extends Noise {
  group: RegExp;
  name: RegExp;
  /** A change whose detail looks like this counts all the same. */
  but?: RegExp;
  /** Pattern that every differing line of the diff has to match. */
  lines?: RegExp;
}

/** Capabilities and a setuid bit make any file worth a look, wherever it lies. */
const ofFiles = /^(file|link|mode)$/;

const rules: readonly Rule[] = [
  {
    group: ofFiles,
    but: /setuid|setgid/,
    name: /^\/(tmp|var\/tmp|run|proc|dev|sys)(\/|$)|^\/\.dockerenv$/,
    what: "scratch files (/tmp, /run …)",
    why: "nobody may rely on them: they are gone with the next start",
  },
  {
    group: ofFiles,
    but: /setuid|setgid/,
    name: /^\/var\/cache(\/|$)|\/(\.cache|\.npm|_cacache|__pycache__|\.cargo\/registry|go\/pkg)(\/|$)|\.pyc$/,
    what: "caches",
    why: "made anew wherever they are missing",
  },
  {
    group: ofFiles,
    but: /setuid|setgid/,
    name:
      /^\/var\/log(\/|$)|\/\.(bash_history|ash_history|python_history|node_repl_history|wget-hsts|lesshst)$/,
    what: "logs and histories",
    why: "written by whatever runs, read by nothing",
  },
  {
    group: ofFiles,
    but: /setuid|setgid/,
    name: /\/\.pth\/services\/[^/]+\/(log|pid)$/,
    what: "PTH's own notes of companion services",
    why: "a service that is started again writes them anew",
  },
  {
    group: ofFiles,
    but: /setuid|setgid/,
    name: /^\/var\/lib\/(dpkg|apt|rpm|apk|dnf|ucf|systemd|dbus|pam)(\/|$)|^\/lib\/apk(\/|$)/,
    what: "records of the package manager and of systemd",
    why: "packages, services and timers are compared themselves",
  },
  {
    group: /^file$/,
    name: /^\/(etc|var\/spool\/cron)(\/|$)/,
    what: "names of configuration files",
    why: "their contents are compared",
  },
  {
    group: /^(config|link|mode)$/,
    but: /setuid|setgid/,
    name:
      /^\/etc\/(resolv\.conf|mtab|hostname|machine-id|adjtime|ld\.so\.cache|\.pwd\.lock|\.updated|udev\/hwdb\.bin)$/,
    what: "files that the system or the engine writes itself (resolv.conf, machine-id, ld.so.cache …)",
    why: "they follow from the machine, not from a test",
  },
  {
    group: /^config$/,
    name: /^\/etc\/hosts$/,
    // Podman names the container, too, and the host.
    lines:
      /^[-+][\d.:a-f]+\s+(?:pth-\S+(?:\s+pth-\S+)?|host\.containers\.internal\s+host\.docker\.internal)\s*$/,
    what: "the environment's own address in /etc/hosts",
    why: "given by the engine, anew with each rollback",
  },
  {
    group: /^(config|mode)$/,
    but: /setuid|setgid/,
    name: /^\/etc\/(passwd|shadow|group|gshadow|subuid|subgid)-$|\.(dpkg|ucf|rpm)-(old|dist|new|save)$/,
    what: "backups of configuration files",
    why: "the files themselves are compared",
  },
  {
    group: /^link$/,
    name: /^\/etc\/(systemd\/(system|user)|rc[\dS]\.d)\//,
    what: "links that stand for services started at boot",
    why: "these are compared themselves",
  },
  {
    group: /^service$/,
    name:
      /^(systemd-(hostnamed|timedated|localed|tmpfiles-clean|udevd|machined)|apt-(daily|daily-upgrade|news)|esm-cache|motd-news|man-db|logrotate|fstrim|packagekit|polkit|dpkg-db-backup|user@\d+|user-runtime-dir@\d+)\.service$/,
    what: "services that come and go on their own",
    why: "started when somebody asks for them, or by a timer of the distribution",
  },
  {
    group: /^port$/,
    name: /^udp\/(3276[89]|327[7-9]\d|32[89]\d\d|3[3-9]\d{3}|[4-6]\d{4})$/,
    what: "UDP ports of clients (32768 and up)",
    why: "chosen anew for each question",
  },
  {
    group: /^sysctl$/,
    name:
      /^(kernel\.(ns_last_pid|pty\.nr|random\.|sched_|perf_)|fs\.(dentry-state|file-nr|inode-nr|inode-state|aio-nr|quota\.)|net\.netfilter\.nf_conntrack_count|vm\.(stat_refresh|compact_memory|drop_caches)|kernel\.(hostname|domainname)$)/,
    what: "kernel parameters that count or trigger something",
    why: "they change by themselves",
  },
  {
    group: /^module$/,
    name: /^((tcp|udp|inet|unix|raw|netlink|af_packet)_diag|binfmt_misc|autofs4?)$/,
    what: "kernel modules that a look at sockets or mounts brings in",
    why: "loaded by whoever looks first",
  },
  {
    group: /^mount$/,
    name: /^\/(proc|sys|dev|run|var\/lib\/(docker|containerd|containers))(\/|$)/,
    what: "mounts of the system's own (/proc, /run …)",
    why: "made by the kernel, by systemd and by container engines",
  },
];

/** Undefined for what counts. */
export const driftNoise = (change: DriftChange): Noise | undefined =>
  rules.find(({ group, name, but, lines }) =>
    group.test(change.group) && name.test(change.name) && but?.test(change.detail ?? "") !== true &&
    (lines === undefined || onlyLines(change.diff, lines))
  );

function onlyLines(diff: string | undefined, wanted: RegExp): boolean {
  const differing = diff?.split("\n").filter((line) => /^[-+]/.test(line)) ?? [];
  return differing.length > 0 && differing.every((line) => wanted.test(line));
}

/** Parts that hold all that the environment shows. */
const shown = ["packages", "groups", "config"] as const;

/** Parts that hold only what differs from the machine beneath. */
const differing = ["files", "modes", "links", "capabilities"] as const;

/** Both as they are where nothing lies beneath. */
export function driftBeneath(
  before: EnvironmentFingerprint,
  after: EnvironmentFingerprint,
): [EnvironmentFingerprint, EnvironmentFingerprint] {
  const [old, now] = [before.beneath, after.beneath];
  if (old === undefined || now === undefined) return [before, after];
  const [from, to] = [{ ...before }, { ...after }];
  for (const name of shown) {
    const [under, over] = [old[name], now[name]];
    if (under === undefined || over === undefined) continue;
    [from[name], to[name]] = withoutInherited([before[name], under], [after[name], over]);
  }
  [from.users, to.users] = ownUsers(before, after, old, now);
  for (const name of differing) {
    from[name] = completed(before, name, now);
    to[name] = completed(after, name, old);
  }
  return [from, to];
}

type Values = Record<string, string>;

/** Leaves out what was the machine's own at both times, whatever it was: who changed it is not the environment. */
function withoutInherited(
  [before, under]: [Values, Values],
  [after, over]: [Values, Values],
): [Values, Values] {
  const own = ([name]: [string, string]) => before[name] !== under[name] || after[name] !== over[name];
  const kept = (values: Values) => Object.fromEntries(Object.entries(values).filter(own));
  return [kept(before), kept(after)];
}

function ownUsers(
  before: EnvironmentFingerprint,
  after: EnvironmentFingerprint,
  old: RuntimeDrift,
  now: RuntimeDrift,
): [string[], string[]] {
  const named = (users: readonly string[] = []): Values =>
    Object.fromEntries(users.map((name) => [name, ""]));
  const [from, to] = withoutInherited([named(before.users), named(old.users)], [
    named(after.users),
    named(now.users),
  ]);
  return [Object.keys(from), Object.keys(to)];
}

/** A file that differs in the other picture alone was, or is again, as the machine has it. */
function completed(
  picture: EnvironmentFingerprint,
  name: typeof differing[number],
  others: RuntimeDrift,
): Values {
  const { files, modes, links } = picture;
  const differs = (path: string) => path in files || path in modes || path in links;
  const same = Object.entries(others[name] ?? {}).filter(([path]) => !differs(path));
  return same.length === 0 ? picture[name] : { ...picture[name], ...Object.fromEntries(same) };
}
