/** Install checks as plain values: how a package was packed, installed and started, and what is missing. */
import type { SuiteSummary } from "./test_result.ts";

export interface InstallCheckRequest {
  /** Kind of package: `npm`, `claude-plugin` … */
  kind: string;
  /** Whether the source is installed, built and started first; without it, servers' tools are not compared. */
  source: boolean;
  /** Whether the session's tests run on the server that was installed. */
  suite: boolean;
  /** Limit of the whole check, in ms. */
  timeoutMs: number;
}

export type InstallFaultCode =
  | "absolute-path"
  | "case-mismatch"
  | "import-fails"
  | "no-run-bit"
  | "not-installed"
  | "not-packed"
  | "not-published"
  | "not-started"
  | "outside-package"
  | "part-lost"
  | "undeclared-dependency"
  | "wrong-engine"
  | "wrong-path"
  | "wrong-version";

/** A fault of a package that its users would meet. */
export interface InstallFault {
  code: InstallFaultCode;
  /** File of the package, with `:line`, or file and key of a manifest. */
  place: string;
  message: string;
  /** Next step for the author. */
  next: string;
  /** Last lines of what failed. */
  output?: string;
}

/** Account of the package's source. */
export interface InstallSurvey {
  name: string;
  version?: string;
  servers: SourceServer[];
  /** Path inside of the archive that was given in place of a source. */
  archive?: string;
}

/** A server as it is started from the source. */
export interface SourceServer {
  /** Name in the plugin's declarations; empty for one that is not declared. */
  name: string;
  /** Command inside; absent where a load finds it. */
  command?: string[];
}

/** The package as its users get it, inside the environment. */
export interface PackedPackage {
  /** Archive, or folder of a marketplace. */
  path: string;
  /** Things to say to the user. */
  notes: string[];
  /** Reason why there is none. */
  fault?: InstallFault;
}

export interface InstalledServer {
  name: string;
  /** Command that starts it outside of the source, in a folder of its own. */
  command: string[];
}

export interface InstalledPackage {
  /** Folder inside that holds the package's files. */
  root: string;
  servers: InstalledServer[];
  /** Programs and modules that are tried without being servers. */
  programs: InstalledProgram[];
  notes: string[];
  fault?: InstallFault;
  /** Names that the host itself finds; `source` is absent where an archive was given. */
  found?: { source?: FoundParts; installed: FoundParts };
}

/** Parts that a host finds when it loads a package, sorted. */
export type FoundParts = Pick<PackageParts, "tools" | "skills" | "commands">;

export interface InstalledProgram {
  /** Place in the manifest: `package.json: bin.greet`. */
  place: string;
  command: string[];
  /** Folder in which it is started. */
  cwd: string;
  /** Fault that it is if it does not start. */
  code: "import-fails" | "not-started";
}

/** A server that was started, with the names of its tools, or the reason why it does not start. */
export interface ServerStart {
  name: string;
  tools?: string[];
  error?: { message: string; output?: string };
}

/** Names of what a package brings, sorted. */
export interface PackageParts {
  tools: string[];
  skills: string[];
  commands: string[];
  agents: string[];
  hooks: string[];
  programs: string[];
}

/** The parts in the source and in what was installed, and the faults that comparing them shows. */
export interface ComparedPackage {
  source: PackageParts;
  installed: PackageParts;
  faults: InstallFault[];
  notes: string[];
}

export interface InstallCheckResult {
  kind: string;
  name: string;
  version?: string;
  faults: InstallFault[];
  /** Absent where packing or installing failed. */
  source?: PackageParts;
  installed?: PackageParts;
  /** Remarks: parts that were not checked, and why. */
  notes: string[];
  /** Results of the session's tests on what was installed. */
  suite?: SuiteSummary;
  /** Names of the tests that failed on it. */
  failedTests?: string[];
}
