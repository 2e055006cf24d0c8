/** Requests about what the server offers. */
import type { ContractCheck, ServerSurface, TokenCost } from "../../machines/model/contract.ts";
import type { Finding } from "../../machines/model/verdict.ts";
import type { RequestOptions } from "./request_options.ts";

export interface ContractCommands {
  /** Requests the server's complete tool surface again. @throws {PthError} `NOT_NOW`, `PROTOCOL_VIOLATION`, `SERVER_LOST` */
  surface(options?: RequestOptions): Promise<ServerSurface>;
  /**
   * Compares the surface with the one kept in the plugin (default `.pth/contract.json`); with `save` it is then kept there, and
   * committed where the session has a branch.
   * @throws {PthError} `INVALID_INPUT` for a path out of the plugin's folder, or a file that is no contract; as `surface`
   */
  check(
    request: { baseline?: string; save?: boolean },
    options?: RequestOptions,
  ): Promise<ContractCheck>;
  /**
   * Checks the tools' definitions for quality; the findings are part of `report()` from then on.
   * @throws {PthError} `NOT_NOW`
   */
  lint(options?: RequestOptions): Promise<Finding[]>;
  /**
   * Counts the tokens of the tools' definitions and of the answers so far; part of `report()` from then on.
   * @throws {PthError} `NOT_NOW`
   */
  tokenCost(options?: RequestOptions): Promise<TokenCost>;
}
