// test: timeout=900
/**
 * Walks every machine at random and looks whether what must always hold does: each accepted request is answered exactly once,
 * every lease returns, what was set up is torn down, at the end nothing lives, and nothing throws.
 *
 * `PTH_WALK_EVENTS=100000` walks so many events per machine; `PTH_WALK_SEED=N` begins elsewhere, or walks a life again.
 */
import t from "tap";
import process from "node:process";
import * as machines from "../../machines/mod.ts";
import { environmentLife } from "./walks/environment_life.ts";
import { iterationLife, matrixLife } from "./walks/loop_lives.ts";
import { type Begin, runWalk } from "./walks/run_walk.ts";
import { connectionLife, dependenciesLife, pluginLife, poolLife } from "./walks/server_lives.ts";
import { harnessLife, sessionLife } from "./walks/session_lives.ts";
import { playbookLife } from "./walks/agent_lives.ts";
import {
  agentRunLife,
  callLife,
  orderLife,
  performanceLife,
  promptTestLife,
  suiteLife,
  testLife,
} from "./walks/test_lives.ts";
import {
  agentSessionLife,
  cleanRunLife,
  closeLife,
  evalCaseLife,
  evalRunLife,
  fixLife,
  fixtureRunLife,
  hookRunLife,
  installCheckLife,
  loadLife,
  projectTestRunLife,
  replaceLife,
  restoreLife,
  resumeLife,
  revertLife,
  stepLife,
  testRunLife,
} from "./walks/task_lives.ts";
import { hangInspectionLife, stuckDetectorLife } from "./walks/stuck_lives.ts";
import type { World } from "./walks/world.ts";

const events = Number(process.env["PTH_WALK_EVENTS"] ?? 2000);
const seed = Number(process.env["PTH_WALK_SEED"] ?? 1);

const lives: Record<string, (world: World) => Begin> = {
  agentRun: agentRunLife,
  agentSession: agentSessionLife,
  call: callLife,
  cleanRun: cleanRunLife,
  close: closeLife,
  connection: connectionLife,
  dependencies: dependenciesLife,
  matrix: matrixLife,
  environment: environmentLife,
  evalCase: evalCaseLife,
  evalRun: evalRunLife,
  fix: fixLife,
  fixtureRun: fixtureRunLife,
  testRun: testRunLife,
  hangInspection: hangInspectionLife,
  harness: harnessLife,
  hookRun: hookRunLife,
  installCheck: installCheckLife,
  iteration: iterationLife,
  load: loadLife,
  performance: performanceLife,
  playbook: playbookLife,
  plugin: pluginLife,
  order: orderLife,
  pool: poolLife,
  projectTestRun: projectTestRunLife,
  promptTest: promptTestLife,
  replace: replaceLife,
  restore: restoreLife,
  resume: resumeLife,
  revert: revertLife,
  session: sessionLife,
  step: stepLife,
  stuckDetector: stuckDetectorLife,
  suite: suiteLife,
  test: testLife,
};

for (const [name, life] of Object.entries(lives)) {
  t.test(`whatever comes, the ${name} machine answers once, leaves nothing, and does not throw`, (t) => {
    const started = performance.now();
    const { faults, lives, ...report } = runWalk(life, { seed, events });
    t.comment(`${report.events} events in ${lives} lives, ${Math.round(performance.now() - started)} ms`);
    t.ok(report.events >= events || faults.length > 0);
    t.same(faults.slice(0, 2), []);
    t.end();
  });
}

t.test("every machine is walked at random", (t) => {
  t.same(Object.keys(lives).map((name) => `${name}Machine`).sort(), Object.keys(machines).sort());
  t.end();
});
