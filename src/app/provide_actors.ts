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
import { lazyActors } from "../actors/lazy_actors.ts";
import { agentSessionActors } from "../actors/agents/agent_session_actors.ts";
import { branchWork } from "../actors/branch/branch_work.ts";
import { destroy } from "../actors/environment/destroy.ts";
import { diagnoseTimeout, explainLoss } from "../actors/connection/explain_loss.ts";
import { buildDependency, installDependency, planDependency } from "../actors/plugin/dependency_actors.ts";
import { treeAccessOf } from "../actors/plugin/tree_access_of.ts";
import { buildPluginActor, installPluginActor, planPluginActor } from "../actors/plugin/plugin_actors.ts";
import { iterationSteps } from "./loop/iteration_steps.ts";
import { performOperation } from "../actors/environment/perform_operation.ts";
import { projectTestsInSession } from "../actors/project_tests/project_tests_in_session.ts";
import { projectTestsInPlace } from "../actors/project_tests/project_tests_in_place.ts";
import { lazyFunction } from "../core/lazy_function.ts";
import type { analysisOperations } from "../actors/tests/analysis_operations.ts";
import type { PublishedEvent } from "../api/published_event.ts";
import { prepareSourceActor } from "../actors/session/prepare_source_actor.ts";
import { fixSteps } from "./fixes/fix_steps.ts";
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
import { matrixSteps } from "./loop/matrix_steps.ts";
import { measureSteps } from "./tests/measure_steps.ts";
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
  const { open } = lazyActors({ open: "promise" }, async () => ({
    open: (await import("../actors/connection/open_connection.ts")).openConnection(stage),
  })).actors;
  const pool = providePoolActors(stage, open);
  const plugin = pluginMachine.provide({
    actors: {
      plan: planPluginActor(stage),
      install: installPluginActor(stage, treeAccessOf),
      build: buildPluginActor(stage, startCoverage),
      pool,
    },
  });
  const dependencyOpening = lazyActors({ open: "promise" }, async () => ({
    open: (await import("../actors/plugin/open_dependency.ts")).openDependency(stage),
  })).actors;
  const dependency = pluginMachine.provide({
    actors: {
      plan: planDependency(stage),
      install: installDependency(stage),
      build: buildDependency(stage),
      pool: providePoolActors(stage, dependencyOpening.open),
    },
  });
  const environment = environmentMachine.provide({
    actors: {
      provision: provisionActor(stage, options),
      perform: performOperation(stage, analyses),
      snapshot: snapshot(stage),
      rollback: rollbackActor(stage),
      destroy: destroy(stage),
    },
  });
  const agentSession = agentSessionMachine.provide({ actors: agentSessionActors(stage) });
  const evalCase = evalCaseMachine.provide({
    actors: {
      session: agentSession,
      ...lazyActors(
        { grade: "promise", cleanUp: "promise" },
        async () => (await import("../actors/agents/eval_case_actors.ts")).evalCaseActors(stage),
      ).actors,
    },
  });
  const slots = lazyActors(
    {
      check: "promise",
      endRetained: "promise",
      prepare: "promise",
      prepareAgentRun: "promise",
      verify: "promise",
      judge: "promise",
      judgeStep: "promise",
      judgeAgentRun: "promise",
      cleanUp: "promise",
    },
    async () => (await import("../actors/tests/suite_slots.ts")).suiteSlots(stage),
  );
  const { prepare, verify, cleanUp } = slots.actors;
  const promptTest = promptTestMachine.provide({
    actors: {
      session: agentSession,
      prepare,
      verify,
      ...lazyActors({ judge: "promise" }, async () => ({
        judge: (await import("../actors/tests/judge_prompt_test_actor.ts")).judgePromptTestActor(stage),
      })).actors,
      cleanUp,
    },
  });
  const suite = provideSuiteActors(stage, slots.actors, promptTest);
  const session = sessionMachine.provide({
    actors: {
      prepareSource: prepareSourceActor(stage),
      release: releaseSource(stage),
      work: branchWork(stage),
      environment,
      dependencies: dependenciesMachine.provide({ actors: { plugin: dependency } }),
      plugin,
      suite,
      performance: performanceMachine.provide({
        actors: lazyActors(
          { prepare: "promise", measure: "promise", assess: "promise" },
          async () => (await import("../actors/tests/performance_steps.ts")).performanceSteps(stage),
        ).actors,
      }),
      agentRun: provideAgentRunActors(slots.actors),
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
      replaceTask: replaceMachine.provide({
        actors: lazyActors({ prepare: "promise", noteAbandoned: "promise" }, async () =>
          (await replacing()).replaceSteps(options.context)).actors,
      }),
      restoreTask: restoreMachine.provide({
        actors: lazyActors({ noteRecovery: "promise" }, async () =>
          (await replacing()).restoreSteps(options.context)).actors,
      }),
      fixTask: fixMachine.provide({ actors: fixSteps(options.context) }),
      testRunTask: testRunMachine.provide({
        actors: {
          ...lazyActors({ plan: "promise", collect: "promise", abandon: "promise" }, async () => {
            const [{ testRunSteps }, { ownTestSteps }] = await Promise.all([
              import("./tests/test_run_steps.ts"),
              import("./tests/own_test_steps.ts"),
              // A test is judged as it ends, while its connection is known: nothing is loaded then.
              slots.ready(),
            ]);
            return testRunSteps(options.context, { layOut, own: ownTestSteps });
          }).actors,
          ...measureSteps(options.context),
        },
      }),
      resumeTask: resumeMachine.provide({ actors: resumeSteps(options.context) }),
      agentTask: agentSession,
      hookTask: hookRunMachine.provide({
        actors: lazyActors(
          { prepare: "promise", work: "promise", collect: "promise" },
          async () => (await import("../actors/agents/hook_run_actors.ts")).hookRunActors(stage),
        ).actors,
      }),
      evalsTask: evalRunMachine.provide({
        actors: {
          ...lazyActors(
            { plan: "promise" },
            async () => (await import("./agents/eval_steps.ts")).evalSteps(stage),
          ).actors,
          evalCase,
        },
      }),
      fixtureTask: fixtureRunMachine.provide({
        actors: lazyActors(
          { plan: "promise", judge: "promise" },
          async () => (await import("../actors/agents/fixture_run_actors.ts")).fixtureRunActors(stage),
        ).actors,
      }),
      installCheckTask: installCheckMachine.provide({
        actors: lazyActors(
          {
            survey: "promise",
            pack: "promise",
            install: "promise",
            tryPrograms: "promise",
            compare: "promise",
          },
          async () =>
            (await import("../actors/install_checks/install_check_actors.ts")).installCheckActors(stage),
        ).actors,
      }),
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

const layOut = lazyFunction(async () => (await import("../actors/tests/lay_out_examples.ts")).layOutExamples);

const replacing = () => import("./environment/replace_steps.ts");

const operations = async () => (await import("../actors/tests/analysis_operations.ts")).analysisOperations;
const analyses: typeof analysisOperations = {
  relay: lazyFunction(async () => (await operations()).relay),
  surface: lazyFunction(async () => (await operations()).surface),
  fuzz: lazyFunction(async () => (await operations()).fuzz),
  learn: lazyFunction(async () => (await operations()).learn),
};
