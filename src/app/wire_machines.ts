/** Where machines meet I/O: every slot of every machine gets its actor. */
import {
  connectionMachine,
  environmentMachine,
  harnessMachine,
  pluginMachine,
  poolMachine,
  sessionMachine,
  suiteMachine,
  testMachine,
} from "../../machines/mod.ts";
import { branchWork } from "../actors/branch_work.ts";
import { callTool } from "../actors/call_tool.ts";
import { closeConnection } from "../actors/close_connection.ts";
import { destroy } from "../actors/destroy.ts";
import { judgeTest } from "../actors/judge_test.ts";
import { buildPlugin, installPlugin, planPlugin } from "../actors/load_plugin.ts";
import { openConnection } from "../actors/open_connection.ts";
import { perform } from "../actors/perform.ts";
import { ping } from "../actors/ping.ts";
import { prepareSource } from "../actors/prepare_source.ts";
import type { Stage } from "../actors/promise_actor.ts";
import { provision } from "../actors/provision.ts";
import { release } from "../actors/release.ts";
import { rollback } from "../actors/rollback.ts";
import { runCheck } from "../actors/run_check.ts";
import { snapshot } from "../actors/snapshot.ts";
import { cleanUpTest, prepareTest, verifyTest } from "../actors/test_commands.ts";
import { watchConnection } from "../actors/watch_connection.ts";

/** The harness machine with everything below it filled. `stage` gives the session that slots work for. */
export function wireMachines(stage: Stage, options: { fingerprints: () => boolean }) {
  const connection = connectionMachine.provide({
    actors: {
      open: openConnection(stage),
      watch: watchConnection(stage),
      call: callTool(stage),
      close: closeConnection(stage),
    },
  });
  const pool = poolMachine.provide({ actors: { connection } });
  const plugin = pluginMachine.provide({
    actors: {
      plan: planPlugin(stage),
      install: installPlugin(stage),
      build: buildPlugin(stage),
      pool,
    },
  });
  const environment = environmentMachine.provide({
    actors: {
      provision: provision(stage, options),
      perform: perform(stage),
      snapshot: snapshot(stage),
      rollback: rollback(stage),
      destroy: destroy(stage),
    },
  });
  const test = testMachine.provide({
    actors: {
      check: runCheck(stage),
      prepare: prepareTest(stage),
      verify: verifyTest(stage),
      ping: ping(stage),
      judge: judgeTest(stage),
      cleanUp: cleanUpTest(stage),
    },
  });
  const suite = suiteMachine.provide({ actors: { test } });
  const session = sessionMachine.provide({
    actors: {
      prepareSource: prepareSource(stage),
      release: release(stage),
      work: branchWork(stage),
      environment,
      plugin,
      suite,
    },
  });
  return harnessMachine.provide({ actors: { session } });
}
