/** All requests of one session, put together from its parts. */
import type { SessionInfo } from "../../../machines/model/session.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import type { Session } from "../../api/harness.ts";
import { agentCommands } from "../agents/agent_commands.ts";
import { agentRunCommands } from "../tests/agent_run_commands.ts";
import { bisectCommand } from "../fixes/bisect_command.ts";
import { branchCommands } from "../fixes/branch_commands.ts";
import { checkpointCommand } from "../fixes/checkpoint_command.ts";
import { coverageCommands } from "../tests/coverage_commands.ts";
import { measuredAgentRuns } from "../tests/measure_steps.ts";
import { installCommands } from "../plugin/install_commands.ts";
import { cleanRunCommand } from "../tests/clean_run_command.ts";
import { contractCommands } from "../plugin/contract_commands.ts";
import { detailCommand } from "../tests/detail_command.ts";
import { environmentCommands } from "../environment/environment_commands.ts";
import { fixCommands } from "../fixes/fix_commands.ts";
import { fuzzCommand } from "../tests/fuzz_command.ts";
import { generateCommand } from "../tests/generate_command.ts";
import { iterationCommands } from "../loop/iteration_commands.ts";
import { performanceCommand } from "../tests/performance_command.ts";
import { pluginCommands } from "../plugin/plugin_commands.ts";
import { reportCommand } from "../fixes/report_command.ts";
import { projectTestCommands } from "../project_tests/project_test_commands.ts";
import { relayCommands } from "../plugin/relay_command.ts";
import type { SessionParts } from "./session_parts.ts";
import { snapshotCommands } from "../environment/snapshot_commands.ts";
import { syncChangesCommand } from "../plugin/sync_changes_command.ts";
import { testCommands } from "../tests/test_commands.ts";
import { learnCommand } from "../tests/learn_command.ts";
import { matrixCommand } from "../loop/matrix_command.ts";

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
      ...syncChangesCommand(context),
      ...performanceCommand(context, { loop }),
    },
    contract: contractCommands(context, ownPlugin),
    tests: {
      ...tests,
      ...relayed.tests,
      ...generateCommand(context),
      ...fuzzCommand(context),
      ...learnCommand(context),
      ...cleanRunCommand(context),
    },
    agentRuns: { ...agentRuns, ...measuredAgentRuns(context, agentRuns) },
    agents: agentCommands(context),
    fixes: {
      ...branch.fixes,
      ...fixes,
      ...bisectCommand(context, fixes),
    },
    loop: { ...loop, ...matrixCommand(context, { tests, loop }), ...checkpointCommand(context) },
    coverage: coverageCommands(context, { detail, fixes }),
    installs: installCommands(context),
    projectTests: projectTestCommands(context),
    export: { ...branch.export, ...reportCommand(context, { report, loop }) },
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
