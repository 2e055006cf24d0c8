/**
 * Failures around a plugin, facts that PTH reports with each, and the next steps. `deno task gen` makes
 * docs/recovery.md of it; answers take labels and options from here.
 */
import { type ErrorCode, PthError } from "../core/errors.ts";
import type { NextStep } from "../core/next_step.ts";

export interface RecoveryRow {
  /** Name of the failure. */
  failure: string;
  group: "environment" | "plugin" | "source";
  codes: readonly ErrorCode[];
  /** Keys of the error's context with their labels. The raw output is in `output`. */
  facts: Readonly<Record<string, string>>;
  /** Ways out, each a tool call, a command, or something for the person. */
  options: readonly NextStep[];
  /** Retry that PTH made before it reported the failure. */
  retried?: string;
}

const endSession = { mcp: "Give up: pth_end_session({}) keeps the branch and its commits" };
const reprovision = {
  mcp:
    "Use a new environment: pth_reprovision_environment({}), then pth_load_plugin({}) unless it was loaded again",
};

export const recoveryTable: readonly RecoveryRow[] = [
  {
    failure: "Container engine unreachable",
    group: "environment",
    codes: ["RUNTIME_UNAVAILABLE"],
    facts: { output: "Connection error", address: "Engine", lastKnown: "Last known state of the engine" },
    options: [
      "Try again in a moment; with more attempts: retries: 5 in the call, or PTH_RETRIES=5",
      "See whether it runs: docker info, systemctl status docker; for virtual machines virsh version, systemctl status libvirtd",
      {
        mcp:
          'Go on without it: pth_reprovision_environment({ runtime: "sandbox" }), then pth_load_plugin({}) unless it was loaded again',
      },
      endSession,
    ],
    retried: "until the engine answers",
  },
  {
    failure: "Environment dies mid-session",
    group: "environment",
    codes: ["ENVIRONMENT_LOST"],
    facts: {
      output: "Last logs",
      exitCode: "Exit code",
      outOfMemory: "Killed for lack of memory",
      resourcesBefore: "Resources before",
      snapshots: "Snapshots",
    },
    options: [reprovision, endSession],
  },
  {
    failure: "Disk full",
    group: "environment",
    codes: ["DISK_FULL"],
    facts: {
      output: "What could not be written",
      disk: "Disks of the host",
      diskInside: "Disks inside the environment",
      artefacts: "What PTH takes up",
    },
    options: [
      "Free space on the disk that is full",
      "Remove what dead sessions left: pth clean",
      "Remove old base images: pth images prune",
      {
        mcp:
          "Destroy the environment with its snapshots: pth_destroy_environment({}), then provision with more room: resources.diskGB",
      },
      endSession,
    ],
  },
  {
    failure: "Snapshot or rollback fails",
    group: "environment",
    codes: ["SNAPSHOT_FAILED", "ROLLBACK_FAILED", "NO_SUCH_SNAPSHOT"],
    facts: { output: "Error of the runtime", snapshots: "Snapshots", disk: "Disks of the host" },
    options: [
      reprovision,
      {
        mcp:
          "In one call: pth_rollback_environment({ snapshot, recover: true }) creates a new environment if the rollback fails",
      },
      { mcp: "Apply the fix without a snapshot: pth_apply_fix({ …, snapshot: false })" },
    ],
  },
  {
    failure: "Network unavailable inside the environment",
    group: "environment",
    codes: ["NETWORK_UNAVAILABLE"],
    facts: { output: "Output", connectivity: "Connectivity test" },
    options: [
      { mcp: "Try again: pth_load_plugin({ retries: 5 })" },
      "Check the engine's network, and the proxy settings of the host that are carried inside (HTTPS_PROXY, NO_PROXY)",
      reprovision,
      "Ask the person to look at the network",
    ],
    retried: "the install or build",
  },
  {
    failure: "Install or build fails",
    group: "plugin",
    codes: ["INSTALL_FAILED", "BUILD_FAILED"],
    facts: {
      output: "Output",
      buildSystem: "Build system",
      evidence: "Detected by",
      dependencyTree: "Dependency tree",
    },
    options: [
      { mcp: "Fix what the output names: pth_apply_fix, then pth_load_plugin({})" },
      { mcp: 'Try another command: pth_load_plugin({ build: "<command>", install: "<command>" })' },
      endSession,
    ],
  },
  {
    failure: "Plugin config resolution fails",
    group: "plugin",
    codes: ["CONFIG_MISSING"],
    facts: { output: "Declared and given", asked: "Asked" },
    options: [
      {
        terminal: "--var NAME=value, --secret NAME (from the environment, or asked for), --secrets-file FILE",
        mcp:
          "pth_load_plugin({ configValues: { NAME: value } }), ({ secrets: [NAME] }) for variables of PTH's own environment, or ({ secretsFile })",
      },
      "Ask the person for the values; of secrets, where they are",
    ],
  },
  {
    failure: "Dependency plugin fails to start",
    group: "plugin",
    codes: ["DEPENDENCY_FAILED"],
    facts: { output: "Build output, stderr", step: "Failed step", source: "Source" },
    options: [
      "Fix the dependency in its own folder and try again: it is copied again",
      { terminal: "If the plugin works without it, take it out of dependency_plugins (--config file)" },
      {
        mcp:
          "Try again: pth_load_plugin({}); without it: pth_reprovision_environment({ dependencyPlugins: [...] }), then pth_load_plugin({})",
      },
      endSession,
    ],
    retried: "the start, where the server ended before its tools were listed",
  },
  {
    failure: "MCP server crashes",
    group: "plugin",
    codes: ["SERVER_LOST", "START_FAILED"],
    facts: {
      output: "Standard error",
      exitCode: "Exit code",
      signal: "Signal",
      lastCall: "Last successful call",
      coreDump: "Core dump",
    },
    options: [
      "Call again: PTH starts a new instance by itself",
      { mcp: "Rebuild and restart: pth_reload_plugin({}), or pth_load_plugin({})" },
      { mcp: "If the crash damaged the environment: pth_reprovision_environment({})" },
    ],
  },
  {
    failure: "MCP server hangs",
    group: "plugin",
    codes: ["SERVER_SILENT"],
    facts: {
      output: "Standard error",
      silentFor: "Time since its last answer",
      stacks: "Stacks",
      processes: "Processes",
      resources: "Resources",
    },
    options: [
      "Call again: an instance that does not even answer a ping is ended and replaced",
      { mcp: "Restart it: pth_reload_plugin({})" },
      {
        mcp:
          "Give it more time: pth_call_plugin_tool({ …, timeoutSeconds }), pth_load_plugin({ startTimeoutSeconds })",
      },
      {
        mcp:
          "If the environment is exhausted: pth_check_environment_health({}), pth_reprovision_environment({})",
      },
    ],
  },
  {
    failure: "Worktree cannot be made",
    group: "source",
    codes: ["WORKTREE_FAILED"],
    facts: { output: "What git says", worktrees: "Worktrees of the repository", path: "State of the path" },
    options: [
      "Remove what dead sessions left: pth clean",
      "Use another folder for worktrees: PTH_WORKTREE_DIR=<folder> in PTH's environment",
      "Ask the person to look at the folder",
    ],
  },
  {
    failure: "Commit fails",
    group: "source",
    codes: ["COMMIT_FAILED"],
    facts: { output: "What git says", disk: "Disks of the host", index: "State of the index" },
    options: [
      "Try again: the same call; nothing was committed",
      "Check the disk space",
      "If no git is running, remove the index.lock that is named",
    ],
    retried: "while another git holds a lock",
  },
  {
    failure: "Revert conflicts",
    group: "source",
    codes: ["REVERT_CONFLICT"],
    facts: { output: "Conflict markers", commit: "Commit to be reverted", files: "Files" },
    options: [
      { mcp: "Skip the revert, and put the old text back with a fix of its own: pth_apply_fix" },
      "Ask the person to resolve it on the branch",
    ],
  },
  {
    failure: "Session branch exists",
    group: "source",
    codes: ["BRANCH_EXISTS"],
    facts: { branch: "Branch", history: "Its latest commits" },
    options: [
      { mcp: "Resume it: pth_resume_session({ branch })" },
      { mcp: "Start with another name, or none: pth_start_session({ pluginPath })" },
      "Delete the old branch if it is not needed: git branch -D <branch>",
    ],
  },
];

export const recoveryRow = (code: ErrorCode): RecoveryRow | undefined =>
  recoveryTable.find(({ codes }) => codes.includes(code));

/**
 * Tells what the table names for this failure and the error knows, but for the raw output, which has a place of its own.
 * @param most lines of one fact
 */
export function factLines({ code, context }: PthError, most = Infinity): string[] {
  return Object.entries(recoveryRow(code)?.facts ?? {}).flatMap(([key, label]) => {
    const text = key === "output" ? "" : textOf(context[key]);
    if (text === "") return [];
    const [first = "", ...more] = text.split("\n");
    return more.length === 0
      ? [`${label}: ${first}`]
      : [`${label}:`, ...bounded([first, ...more], most).map((line) => `  ${line}`)];
  });
}

const bounded = (lines: string[], most: number): string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most), `… ${lines.length - most} more lines`];

function textOf(fact: unknown): string {
  if (fact === undefined || fact === null) return "";
  if (typeof fact === "string") return fact.trimEnd();
  if (Array.isArray(fact)) return fact.map(textOf).join("\n");
  return typeof fact === "object" ? JSON.stringify(fact) : String(fact);
}

/** Whether an error says in its context that it may be over in a moment. */
export const isTransient = (error: unknown): boolean =>
  error instanceof PthError && error.context.transient === true;
