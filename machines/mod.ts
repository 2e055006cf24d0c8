/** The public list of machines, for the app, the model-based tests and the visualizer. */
import { callMachine } from "./call_machine.ts";
import { connectionMachine } from "./connection_machine.ts";
import { environmentMachine } from "./environment_machine.ts";
import { harnessMachine } from "./harness_machine.ts";
import { pluginMachine } from "./plugin_machine.ts";
import { poolMachine } from "./pool_machine.ts";
import { sessionMachine } from "./session_machine.ts";
import { suiteMachine } from "./suite_machine.ts";
import { testMachine } from "./test_machine.ts";

export const machines = {
  harness: harnessMachine,
  session: sessionMachine,
  environment: environmentMachine,
  plugin: pluginMachine,
  pool: poolMachine,
  connection: connectionMachine,
  suite: suiteMachine,
  test: testMachine,
  call: callMachine,
};
