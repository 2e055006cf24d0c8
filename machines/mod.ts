/** The public list of machines, for the app, the model-based tests and the visualizer. */
export { agentRunMachine } from "./agent_run_machine.ts";
export { callMachine } from "./call_machine.ts";
export { connectionMachine } from "./connection_machine.ts";
export { dependenciesMachine } from "./dependencies_machine.ts";
export { matrixMachine } from "./matrix_machine.ts";
export { environmentMachine } from "./environment_machine.ts";
export { harnessMachine } from "./harness_machine.ts";
export { iterationMachine } from "./iteration_machine.ts";
export { performanceMachine } from "./performance_machine.ts";
export { pluginMachine } from "./plugin_machine.ts";
export { poolMachine } from "./pool_machine.ts";
export { sessionMachine } from "./session_machine.ts";
export { suiteMachine } from "./suite_machine.ts";
export { testMachine } from "./test_machine.ts";
