/** Where machines meet I/O: every slot of every machine gets its actor. */
import {
  callMachine,
  dependenciesMachine,
  distroVerificationMachine,
  environmentMachine,
  harnessMachine,
  iterationMachine,
  performanceMachine,
  pluginMachine,
  sessionMachine,
} from "../../machines/mod.ts";
import { branchWork } from "../actors/branch/branch_work.ts";
import { destroy } from "../actors/environment/destroy.ts";
import { explainLoss, explainSilence } from "../actors/connection/examine_server.ts";
import { buildDependency, installDependency, planDependency } from "../actors/plugin/load_dependency.ts";
import { buildPlugin, installPlugin, planPlugin } from "../actors/plugin/load_plugin.ts";
import { iterationSteps } from "../actors/loop/iteration_steps.ts";
import { openDependency } from "../actors/plugin/open_dependency.ts";
import { perform } from "../actors/environment/perform.ts";
import { performanceSteps } from "../actors/tests/performance_steps.ts";
import { prepareSource } from "../actors/session/prepare_source.ts";
import type { Stage } from "../actors/promise_actor.ts";
import { provision } from "../actors/environment/provision.ts";
import { release } from "../actors/session/release.ts";
import { rollback } from "../actors/environment/rollback.ts";
import { snapshot } from "../actors/environment/snapshot.ts";
import { startCoverage } from "../actors/tests/start_coverage.ts";
import { studies } from "../actors/tests/studies.ts";
import { verificationSteps } from "../actors/loop/verification_steps.ts";
import type { SessionCommands } from "../api/harness.ts";
import { wireAgentRun, wirePool, wireSuite } from "./wire_testing.ts";

/** The harness machine with everything below it filled. `stage` gives the session that slots work for. */
export function wireMachines(
  stage: Stage,
  options: { fingerprints: () => boolean; commands: () => SessionCommands },
) {
  const pool = wirePool(stage);
  const plugin = pluginMachine.provide({
    actors: {
      plan: planPlugin(stage),
      install: installPlugin(stage),
      build: buildPlugin(stage, startCoverage),
      pool,
    },
  });
  const dependency = pluginMachine.provide({
    actors: {
      plan: planDependency(stage),
      install: installDependency(stage),
      build: buildDependency(stage),
      pool: wirePool(stage, openDependency(stage)),
    },
  });
  const environment = environmentMachine.provide({
    actors: {
      provision: provision(stage, options),
      perform: perform(stage, studies),
      snapshot: snapshot(stage),
      rollback: rollback(stage),
      destroy: destroy(stage),
    },
  });
  const suite = wireSuite(stage);
  const session = sessionMachine.provide({
    actors: {
      prepareSource: prepareSource(stage),
      release: release(stage),
      work: branchWork(stage),
      environment,
      dependencies: dependenciesMachine.provide({ actors: { plugin: dependency } }),
      plugin,
      suite,
      performance: performanceMachine.provide({ actors: performanceSteps(stage) }),
      agentRun: wireAgentRun(stage),
      call: callMachine.provide({
        actors: { explainLoss: explainLoss(stage), explainSilence: explainSilence(stage) },
      }),
      iteration: iterationMachine.provide({ actors: iterationSteps(stage, options.commands) }),
      verification: distroVerificationMachine.provide({
        actors: verificationSteps(stage, options.commands),
      }),
    },
  });
  return harnessMachine.provide({ actors: { session } });
}
