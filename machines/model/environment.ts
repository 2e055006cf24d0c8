/** Environments as plain values. */

/** 1 container, 2 container with systemd, 3 virtual machine. */
export type Tier = 1 | 2 | 3;

/** For people. */
export const tierNames: Record<Tier, string> = {
  1: "a container",
  2: "a container with systemd",
  3: "a virtual machine",
};

export interface Resources {
  cpus?: number;
  memoryMB?: number;
  diskGB?: number;
}

/** A file or folder that is there before anything starts; one of `content`, `from`, `folder`. */
export interface FileFixture {
  /** Absolute path inside the environment. */
  path: string;
  content?: string;
  /** File or folder of the host. */
  from?: string;
  /** An empty folder. */
  folder?: true;
  /** Octal permission bits as text, for example "0644". */
  mode?: string;
  /** User and group inside, as `chown` takes them. */
  owner?: string;
}

/** A shell script, or a file of the host that holds one. */
export type SetupScript = string | {
  /** File of the host; its first line may name an interpreter. */
  script: string;
  /** Limit in seconds; default 600. */
  timeout?: number;
};

/** Condition under which a service counts as ready. */
export type ServiceReadiness =
  /** Shell command that exits with 0. */
  | string
  | { command: string }
  /** Ready when it listens on a port; true for the service's own port. */
  | { port: number | true }
  /** A line of its log matches. */
  | { log: string }
  /** Answers a GET with less than 400. */
  | { http: string };

/** A database, a queue …: a process inside (`command`), a container beside (`image`), or a systemd unit inside (`unit`). */
export interface ServiceDefinition {
  name: string;
  /** Runs until the environment is destroyed; a list is no shell command. With `image`: in place of the image's own. */
  command?: string | string[];
  /** Reference of an image on the container engine. */
  image?: string;
  /** Unit of the environment's systemd. */
  unit?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** Port that it listens on. `{port}` stands for it, and is chosen if there is none. */
  port?: number;
  ready?: ServiceReadiness;
  /** Seconds until it has to be ready; default 30. */
  timeout?: number;
  /** Shell script that runs inside the environment once the service is ready. */
  setup?: string;
  /** Shell command that ends it, before it is ended all the same. */
  stop?: string;
  /** Announced to the plugin; `{host}` and `{port}` stand for where it is. */
  url?: string;
}

/** Another plugin that must run next to the one under test; it is neither tested nor changed. */
export interface DependencyPlugin {
  /** A folder, or `npm:<package>[@version]`. */
  source: string;
  /** Unique among the dependencies; default: the folder's or package's own. */
  name?: string;
  /** Start command; `{port}` stands for an HTTP port that PTH chooses. */
  command?: string[];
  args?: string[];
  /** Name of its server, if it has several. */
  server?: string;
  buildCommand?: string;
  installCommand?: string;
  /** Address of an HTTP server (`{port}` allowed), as seen inside the environment. */
  url?: string;
  configValues?: Record<string, string>;
  /** Tools that it has to list. */
  expectTools?: string[];
}

/** `none`: no network but a loopback of the environment's own. `host`: the host's network, with all that listens there. */
export type NetworkMode = "none" | "host";

/** Configuration from a user (`--config FILE`, `pth_provision_environment`). */
export interface EnvironmentConfig {
  /** A runtime's name, or "auto": the strongest that is ready. */
  runtime: string;
  tier: Tier;
  /** `debian12` or `pth-base-debian12`; absent: the runtime's own default. */
  baseImage?: string;
  targetPlugin?: { buildCommand?: string; configValues?: Record<string, string> };
  /** Started in this order, before the plugin under test. */
  dependencyPlugins?: DependencyPlugin[];
  fixtures?: { files?: FileFixture[]; setupScripts?: SetupScript[]; services?: ServiceDefinition[] };
  resources?: Resources;
  /** Absent or "default": the runtime's own way. */
  network?: NetworkMode | "default";
}

/** Specification for a runtime: every choice made, every path resolved. */
export interface EnvironmentSpec {
  /** Unique; names containers, boxes and folders: `pth-<environmentId>`. */
  environmentId: string;
  /** Label `pth.session` of everything that the environment holds. */
  sessionId: string;
  tier: Tier;
  /** Folder name under `images/`, for example `debian12`; absent: the runtime's default. */
  image?: string;
  /** Variables for everything that runs inside. */
  env: Record<string, string>;
  resources: Resources;
  /** Absent: the runtime's own way. */
  network?: NetworkMode;
}

/** A living environment. Plain data: any process of the same user can act on it. */
export interface EnvironmentHandle {
  environmentId: string;
  sessionId: string;
  runtime: string;
  tier: Tier;
  /** The image it was made from, or what stands for one ("host root"). */
  image: string;
  /** Path of the source inside. */
  sourcePath: string;
  /** Runtime's own data to find it again (container id, init pid, folders …). */
  state: Record<string, unknown>;
}

/** Capabilities of a runtime, known before they are used. */
export interface RuntimeAbilities {
  /** Contents of a snapshot; false without snapshots. */
  snapshots: "disk" | "memory" | false;
  systemd: boolean;
  /** A kernel of its own. */
  kernel: boolean;
  /** Whether processes, files and hostname are apart from the host's. */
  isolated: boolean;
  /** Whether a port inside is a port of the host. */
  sharesNetwork: boolean;
  /** Whether an environment goes on when the PTH that made it ends (`--keep`). */
  outlivesOwner: boolean;
  /** Limits that are enforced; the others are stated as "not enforced". */
  limits: { cpus: boolean; memory: boolean; disk: boolean };
  /** Note for users of such an environment; part of the answer. */
  advisory?: string;
  /** Starting one takes so long, and keeping one so little, that a session has the next one started ahead. */
  keptReady?: true;
}

/** Reason why a plugin seems to need a tier. */
export interface TierReason {
  tier: Tier;
  /** For people: "starts and stops services". */
  what: string;
  /** Relative to the plugin's folder. */
  file: string;
  /** From 1. */
  line: number;
  /** The line, cut to what shows it. */
  text: string;
}

export interface TierRecommendation {
  tier: Tier;
  /** The highest tier first. Those of tier 1 are told and raise nothing. */
  reasons: TierReason[];
}

/** State of an environment's system. */
export interface EnvironmentState {
  runtime: string;
  tier: Tier;
  image: string;
  status: "running" | "stopped" | "gone";
  hostname: string;
  os: string;
  kernel: string;
  sourcePath: string;
  cpus: number;
  memoryMB: number;
  diskFreeMB: number;
  /** For each limit asked for: the value and whether it is enforced. */
  limits: { name: string; value: number; enforced: boolean }[];
  /** Versions found inside: node, npm, python3, git, gcc, make …; absent where nobody asked for them, as in a scripted run. */
  tools?: Record<string, string>;
  network: string;
  processes: number;
  /** Other notes for users: privileges that were not granted, units that failed at the start. */
  notes?: string[];
}

export interface MountInfo {
  /** "copy", or "same folder" where the environment works in the host's. */
  method: string;
  hostPath: string;
  envPath: string;
  writable: boolean;
  /** When an edit on the host is seen inside; "none" for at once. */
  latency: string;
}

export interface HealthReport {
  healthy: boolean;
  /** Sentences, the worst first; empty when healthy. */
  problems: string[];
  diskUsedPercent: number;
  memoryUsedPercent: number;
  /** Set where a box keeps its disk in memory: the share of the memory limit that its files take, beside `memoryUsedPercent`. */
  memoryForFilesPercent?: number;
  processes: number;
  zombies: number;
  /** Since the environment began, as far as the kernel counts them for it. */
  oomKills: number;
  failedUnits: string[];
  /** True when there is nothing left that could be asked. */
  gone?: boolean;
  /** Absent where the file system has no such number. */
  inodesUsedPercent?: number;
  /** Other places to write than the root, by mount point: share used in percent. */
  otherDisks?: Record<string, number>;
  /** Share of the last ten seconds in which everything waited for memory, in percent (the kernel's pressure). */
  memoryPressurePercent?: number;
  /** Open files in percent of the kernel's limit. */
  openFilesPercent?: number;
  /** Seconds that the clock inside is ahead of the host's. */
  clockSkewSeconds?: number;
  /** Processes that have long been using a processor, and still do. */
  busy?: BusyProcess[];
  /** Files that nothing works without, and that are gone. */
  missing?: string[];
}

export interface BusyProcess {
  pid: number;
  command: string;
  /** Processor time so far. */
  cpuSeconds: number;
}

/** A picture of everything outside the source folder that a test or a fix may change. */
export interface EnvironmentFingerprint {
  takenAt: string;
  /** Name to version; those of npm and Python, installed for all, as `npm:<name>` and `pip:<name>`. */
  packages: Record<string, string>;
  /** Units that run. */
  services: string[];
  /** Units that are started at boot. */
  enabled: string[];
  timers: string[];
  /** Units that had failed already. */
  failedUnits: string[];
  users: string[];
  /** Name to members. */
  groups: Record<string, string>;
  /** `tcp/<port>`, `udp/<port>`, `unix<path>`, held by processes of the environment. */
  ports: string[];
  /** Path to checksum, for /etc and crontabs. */
  config: Record<string, string>;
  /** Contents of those that every user may read: a gzipped tar, in base64. */
  configTexts?: string;
  /** Kernel parameters, if the environment has its own. */
  sysctl: Record<string, string>;
  /** Mount point to what is mounted. */
  mounts: Record<string, string>;
  hostname: string;
  /** IPv4 and IPv6 addresses, where the network is its own, but those that the engine or the hypervisor gave it. */
  addresses: string[];
  /** Rules of its packet filter, line by line, where the network is its own. */
  firewall: string[];
  /** Kernel modules, where the kernel is its own. */
  modules: string[];
  /** Files outside the source folder, or those of them that differ from the image: path to what tells one state from another. */
  files: Record<string, string>;
  /** Modes of the same files, and of folders: `755 0:0`, the mode in octal and the ids of user and group; a folder's begins with "d". */
  modes: Record<string, string>;
  /** Symbolic links outside the source folder, or those of them that differ from the image: path to target. */
  links: Record<string, string>;
  /** Capabilities of executable files, as getcap names them. */
  capabilities: Record<string, string>;
  /** Parts that could not be looked at, and why. */
  unseen?: UnseenPart[];
  /** State of the machine's own root at the same moment, where the environment lies over it. */
  beneath?: RuntimeDrift;
}

export interface UnseenPart {
  what: string;
  why: string;
}

/** State of a machine beneath an environment: of packages, accounts and configuration all, of files those that differ. */
export type RuntimeDrift = Partial<
  Pick<
    EnvironmentFingerprint,
    "packages" | "users" | "groups" | "config" | "files" | "modes" | "links" | "capabilities"
  >
>;

export interface DriftChange {
  group:
    | "package"
    | "service"
    | "timer"
    | "user"
    | "group"
    | "port"
    | "config"
    | "cron"
    | "sysctl"
    | "mount"
    | "hostname"
    | "address"
    | "firewall"
    | "module"
    | "file"
    | "link"
    | "mode"
    | "capability";
  change: "added" | "removed" | "changed";
  name: string;
  detail?: string;
  /** Lines of a unified diff, for texts that everyone may read. */
  diff?: string;
  /** True if the plugin's first load made it: a new environment would have it, too. */
  byLoad?: true;
}

export interface DriftReport {
  /** Whether anything changed that a new environment with the plugin would not have. */
  drifted: boolean;
  changes: DriftChange[];
  /** Changes that were left out, with the reason. */
  ignored?: { what: string; why: string; count: number }[];
  /** Parts that were not compared, and why. */
  unseen?: UnseenPart[];
}
