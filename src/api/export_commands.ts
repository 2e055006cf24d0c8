import type { TestFilter } from "../../machines/model/suite_options.ts";
import type { RequestOptions } from "./request_options.ts";
import type { CiExport, DocsUpdate } from "../../machines/model/export.ts";

export interface ExportCommands {
  /** The report as `endSession` would commit it now, as Markdown. */
  report(): Promise<string>;
  /**
   * Writes a runner that needs no PTH, the tests that fit, and a GitHub workflow, into the worktree or `output`.
   * @throws {PthError} `NO_TESTS_MATCH`, `INVALID_INPUT` without a branch and without `output`, `UNSUPPORTED`
   */
  ci(
    request: { output?: string; filter?: TestFilter },
    options?: RequestOptions,
  ): Promise<CiExport>;
  /**
   * The README's section on tools, from their schemas and from tests that passed; with `write` written and committed.
   * @throws {PthError} `NOT_NOW` before the plugin is loaded
   */
  docs(request: { write?: boolean }, options?: RequestOptions): Promise<DocsUpdate>;
}
