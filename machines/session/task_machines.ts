/** Machines of requests that take several steps, by their names among the actors of the session. */
import { agentSessionMachine } from "../agent_session_machine.ts";
import { cleanRunMachine } from "../clean_run_machine.ts";
import { closeMachine } from "../close_machine.ts";
import { evalRunMachine } from "../eval_run_machine.ts";
import { fixMachine } from "../fix_machine.ts";
import { hookRunMachine } from "../hook_run_machine.ts";
import { fixtureRunMachine } from "../fixture_run_machine.ts";
import { installCheckMachine } from "../install_check_machine.ts";
import { loadMachine } from "../load_machine.ts";
import { projectTestRunMachine } from "../project_test_run_machine.ts";
import { replaceMachine } from "../replace_machine.ts";
import { restoreMachine } from "../restore_machine.ts";
import { resumeMachine } from "../resume_machine.ts";
import { revertMachine } from "../revert_machine.ts";
import { testRunMachine } from "../test_run_machine.ts";

export const taskMachines = {
  loadTask: loadMachine,
  fixTask: fixMachine,
  revertTask: revertMachine,
  replaceTask: replaceMachine,
  restoreTask: restoreMachine,
  testRunTask: testRunMachine,
  cleanRunTask: cleanRunMachine,
  resumeTask: resumeMachine,
  closeTask: closeMachine,
  agentTask: agentSessionMachine,
  hookTask: hookRunMachine,
  evalsTask: evalRunMachine,
  fixtureTask: fixtureRunMachine,
  installCheckTask: installCheckMachine,
  projectTestTask: projectTestRunMachine,
};
