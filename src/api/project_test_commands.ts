/** Requests about the plugin's own tests, those that its project brings. */
import type { ProjectTestRequest } from "../../machines/model/project_test.ts";
import type { ProjectTestAnswer } from "../../machines/model/project_test_run.ts";
import type { RequestOptions } from "./request_options.ts";

export interface OwnTestsRequest extends ProjectTestRequest {
  /** Folder of the project below the plugin's; absent: that. */
  folder?: string;
}

export interface ProjectTestCommands {
  /**
   * Runs them in the environment's copy of the plugin, as their framework runs them. Before the plugin is loaded, what they
   * need is installed first. Failures, and a project without tests, are a result.
   * @throws {PthError} `NOT_NOW` without an environment and while tests or evals run, `TARGET_NOT_FOUND`, `INVALID_INPUT`,
   * `TOOLCHAIN_MISSING`, `INSTALL_FAILED`, `BUILD_FAILED`, `NO_TESTS_MATCH`, `EXEC_FAILED`, `INTERRUPTED`
   */
  run(request: OwnTestsRequest, options?: RequestOptions): Promise<ProjectTestAnswer>;
}
