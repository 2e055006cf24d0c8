/** All requests of one session, put together from its parts. */
import type { SessionInfo } from "../../../machines/model/session.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import type { Session } from "../../api/harness.ts";
import { agentCommands } from "../agents/agent_commands.ts";
import { agentRunCommands } from "../tests/agent_run_commands.ts";
import { branchCommands } from "../fixes/branch_commands.ts";
import { checkpointCommand } from "../fixes/checkpoint_command.ts";
import { coverageCommands } from "../tests/coverage_commands.ts";
import { measuredAgentRuns } from "../tests/measure_steps.ts";
import { cleanRunCommand } from "../tests/clean_run_command.ts";
import { detailCommand } from "../tests/detail_command.ts";
import { environmentCommands } from "../environment/environment_commands.ts";
import { fixCommands } from "../fixes/fix_commands.ts";
import { iterationCommands } from "../loop/iteration_commands.ts";
import { pluginCommands } from "../plugin/plugin_commands.ts";
import { projectTestCommands } from "../project_tests/project_test_commands.ts";
import { relayCommands } from "../plugin/relay_command.ts";
import type { SessionParts } from "./session_parts.ts";
import { snapshotCommands } from "../environment/snapshot_commands.ts";
import { testCommands } from "../tests/test_commands.ts";
import { lazyFunction } from "../../core/lazy_function.ts";

export function sessionCommands(context: SessionParts): Session {
  const { report, ...tests } = testCommands(context);
  const loop = iterationCommands(context, tests);
  const ownPlugin = pluginCommands(context);
  const environment = environmentCommands(context);
  const snapshots = snapshotCommands(context);
  const relayed = relayCommands(context, { plugin: ownPlugin, tests });
  const branch = branchCommands(context);
  const fixes = fixCommands(context);
  const agentRuns = agentRunCommands(context);
  const { detail } = detailCommand(context, environment);
  const contract = async () =>
    (await import("../plugin/contract_commands.ts")).contractCommands(context, ownPlugin);
  const installs = async () => (await import("../plugin/install_commands.ts")).installCommands(context);
  return {
    info: () => sessionInfo(context.live, describeState(context)),
    timings: () => context.live.progress.timings,
    report,
    detail,
    environment,
    snapshots,
    plugin: {
      ...ownPlugin,
      ...relayed.plugin,
      takeChanges: lazyFunction(async () =>
        (await import("../plugin/sync_changes_command.ts")).syncChangesCommand(context).takeChanges
      ),
      measurePerformance: lazyFunction(async () =>
        (await import("../tests/performance_command.ts")).performanceCommand(context, { loop })
          .measurePerformance
      ),
    },
    contract: {
      surface: lazyFunction(async () => (await contract()).surface),
      check: lazyFunction(async () => (await contract()).check),
      lint: lazyFunction(async () => (await contract()).lint),
      tokenCost: lazyFunction(async () => (await contract()).tokenCost),
    },
    tests: {
      ...tests,
      ...relayed.tests,
      generate: lazyFunction(async () =>
        (await import("../tests/generate_command.ts")).generateCommand(context).generate
      ),
      fuzz: lazyFunction(async () => (await import("../tests/fuzz_command.ts")).fuzzCommand(context).fuzz),
      learn: lazyFunction(async () =>
        (await import("../tests/learn_command.ts")).learnCommand(context).learn
      ),
      ...cleanRunCommand(context),
    },
    agentRuns: { ...agentRuns, ...measuredAgentRuns(context, agentRuns) },
    agents: agentCommands(context),
    fixes: {
      ...branch.fixes,
      ...fixes,
      bisect: lazyFunction(async () =>
        (await import("../fixes/bisect_command.ts")).bisectCommand(context, fixes).bisect
      ),
    },
    loop: {
      ...loop,
      runMatrix: lazyFunction(async () =>
        (await import("../loop/matrix_command.ts")).matrixCommand(context, { tests, loop }).runMatrix
      ),
      ...checkpointCommand(context),
    },
    coverage: coverageCommands(context, { detail, fixes }),
    installs: {
      kinds: lazyFunction(async () => (await installs()).kinds),
      check: lazyFunction(async () => (await installs()).check),
    },
    projectTests: projectTestCommands(context),
    export: {
      ...branch.export,
      report: lazyFunction(async () =>
        (await import("../fixes/report_command.ts")).reportCommand(context, { report, loop }).report
      ),
    },
  };
}

export const sessionInfo = (live: SessionResources, status: string): SessionInfo => ({
  sessionId: live.sessionId,
  source: live.code.source!,
  status,
  ...(live.detected.tier ? { recommendation: live.detected.tier } : {}),
  ...(live.detected.services ? { services: live.detected.services } : {}),
  ...(live.detected.superpowers ? { superpowers: live.detected.superpowers } : {}),
});

function describeState({ actor }: SessionParts): string {
  const { value } = actor.getSnapshot();
  if (typeof value === "string" || !("open" in value)) return "ending";
  const open = value.open as Record<string, string>;
  return Object.entries(open).map(([part, state]) => `${part} ${state}`).join(", ");
}
