/** Connects the machines to I/O: every slot of every machine gets its actor. */
import {
  agentSessionMachine,
  callMachine,
  closeMachine,
  dependenciesMachine,
  environmentMachine,
  evalCaseMachine,
  evalRunMachine,
  fixMachine,
  fixtureRunMachine,
  harnessMachine,
  hookRunMachine,
  installCheckMachine,
  iterationMachine,
  loadMachine,
  matrixMachine,
  performanceMachine,
  pluginMachine,
  projectTestRunMachine,
  promptTestMachine,
  replaceMachine,
  restoreMachine,
  resumeMachine,
  sessionMachine,
  testRunMachine,
} from "../../machines/mod.ts";
import { installCheckActors } from "../actors/install_checks/install_check_actors.ts";
import { agentSessionActors } from "../actors/agents/agent_session_actors.ts";
import { hookRunActors } from "../actors/agents/hook_run_actors.ts";
import { evalCaseActors } from "../actors/agents/eval_case_actors.ts";
import { fixtureRunActors } from "../actors/agents/fixture_run_actors.ts";
import { branchWork } from "../actors/branch/branch_work.ts";
import { destroy } from "../actors/environment/destroy.ts";
import { diagnoseTimeout, explainLoss } from "../actors/connection/explain_loss.ts";
import { buildDependency, installDependency, planDependency } from "../actors/plugin/dependency_actors.ts";
import { treeAccessOf } from "../actors/plugin/tree_access_of.ts";
import { buildPluginActor, installPluginActor, planPluginActor } from "../actors/plugin/plugin_actors.ts";
import { evalSteps } from "./agents/eval_steps.ts";
import { iterationSteps } from "./loop/iteration_steps.ts";
import { openDependency } from "../actors/plugin/open_dependency.ts";
import { performOperation } from "../actors/environment/perform_operation.ts";
import { judgePromptTestActor } from "../actors/tests/judge_prompt_test_actor.ts";
import { projectTestsInSession } from "../actors/project_tests/project_tests_in_session.ts";
import { projectTestsInPlace } from "../actors/project_tests/project_tests_in_place.ts";
import type { PublishedEvent } from "../api/published_event.ts";
import { performanceSteps } from "../actors/tests/performance_steps.ts";
import { prepareSourceActor } from "../actors/session/prepare_source_actor.ts";
import { fixSteps } from "./fixes/fix_steps.ts";
import { replaceSteps, restoreSteps } from "./environment/replace_steps.ts";
import { loadSteps } from "./plugin/load_steps.ts";
import { resumeSteps } from "./session/resume_steps.ts";
import { closeSteps } from "./session/close_session.ts";
import type { SessionParts } from "./session/session_parts.ts";
import type { GetSession } from "../actors/promise_actor.ts";
import { provisionActor } from "../actors/environment/provision_actor.ts";
import { releaseSource } from "../actors/session/release_source.ts";
import { rollbackActor } from "../actors/environment/rollback_actor.ts";
import { snapshot } from "../actors/environment/snapshot.ts";
import { startCoverage } from "../actors/tests/start_coverage.ts";
import { cleanUpTest, prepareTest, verifyTest } from "../actors/tests/test_actors.ts";
import { analysisOperations } from "../actors/tests/analysis_operations.ts";
import { matrixSteps } from "./loop/matrix_steps.ts";
import { measureSteps } from "./tests/measure_steps.ts";
import { ownTestSteps } from "./tests/own_test_steps.ts";
import { layOutExamples } from "../actors/tests/lay_out_examples.ts";
import { testRunSteps } from "./tests/test_run_steps.ts";
import {
  provideAgentRunActors,
  providePoolActors,
  provideServerInspection,
  provideSuiteActors,
} from "./provide_suite_actors.ts";

/** The harness machine with everything below it filled. `stage` gives the session that slots work for. */
export function provideActors(
  stage: GetSession,
  options: {
    fingerprints: () => boolean;
    context: () => SessionParts;
    /** Tells facts of work that belongs to no session. */
    publish: (fact: PublishedEvent) => void;
  },
) {
  const pool = providePoolActors(stage);
  const plugin = pluginMachine.provide({
    actors: {
      plan: planPluginActor(stage),
      install: installPluginActor(stage, treeAccessOf),
      build: buildPluginActor(stage, startCoverage),
      pool,
    },
  });
  const dependency = pluginMachine.provide({
    actors: {
      plan: planDependency(stage),
      install: installDependency(stage),
      build: buildDependency(stage),
      pool: providePoolActors(stage, openDependency(stage)),
    },
  });
  const environment = environmentMachine.provide({
    actors: {
      provision: provisionActor(stage, options),
      perform: performOperation(stage, analysisOperations),
      snapshot: snapshot(stage),
      rollback: rollbackActor(stage),
      destroy: destroy(stage),
    },
  });
  const agentSession = agentSessionMachine.provide({ actors: agentSessionActors(stage) });
  const evalCase = evalCaseMachine.provide({
    actors: { session: agentSession, ...evalCaseActors(stage) },
  });
  const promptTest = promptTestMachine.provide({
    actors: {
      session: agentSession,
      prepare: prepareTest(stage),
      verify: verifyTest(stage),
      judge: judgePromptTestActor(stage),
      cleanUp: cleanUpTest(stage),
    },
  });
  const suite = provideSuiteActors(stage, promptTest);
  const session = sessionMachine.provide({
    actors: {
      prepareSource: prepareSourceActor(stage),
      release: releaseSource(stage),
      work: branchWork(stage),
      environment,
      dependencies: dependenciesMachine.provide({ actors: { plugin: dependency } }),
      plugin,
      suite,
      performance: performanceMachine.provide({ actors: performanceSteps(stage) }),
      agentRun: provideAgentRunActors(stage),
      call: callMachine.provide({
        actors: {
          explainLoss: explainLoss(stage),
          explainSilence: diagnoseTimeout(stage),
          inspect: provideServerInspection(stage),
        },
      }),
      iteration: iterationMachine.provide({
        actors: iterationSteps(options.context),
      }),
      loadTask: loadMachine.provide({ actors: loadSteps(options.context) }),
      replaceTask: replaceMachine.provide({ actors: replaceSteps(options.context) }),
      restoreTask: restoreMachine.provide({ actors: restoreSteps(options.context) }),
      fixTask: fixMachine.provide({ actors: fixSteps(options.context) }),
      testRunTask: testRunMachine.provide({
        actors: {
          ...testRunSteps(options.context, { layOut: layOutExamples, own: ownTestSteps }),
          ...measureSteps(options.context),
        },
      }),
      resumeTask: resumeMachine.provide({ actors: resumeSteps(options.context) }),
      agentTask: agentSession,
      hookTask: hookRunMachine.provide({ actors: hookRunActors(stage) }),
      evalsTask: evalRunMachine.provide({ actors: { ...evalSteps(stage), evalCase } }),
      fixtureTask: fixtureRunMachine.provide({ actors: fixtureRunActors(stage) }),
      installCheckTask: installCheckMachine.provide({ actors: installCheckActors(stage) }),
      projectTestTask: projectTestRunMachine.provide({ actors: projectTestsInSession(stage) }),
      closeTask: closeMachine.provide({ actors: closeSteps(options.context) }),
      matrix: matrixMachine.provide({
        actors: matrixSteps(options.context),
      }),
    },
  });
  const projectTests = projectTestRunMachine.provide({ actors: projectTestsInPlace(options.publish) });
  return harnessMachine.provide({ actors: { session, projectTests } });
}
