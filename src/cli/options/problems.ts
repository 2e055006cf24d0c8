/** Collects all problems of a command line, so that they are reported together. */
import { PthError } from "../../core/errors.ts";

export class Problems {
  readonly #messages: string[] = [];

  add(message: string): void {
    this.#messages.push(message);
  }

  get empty(): boolean {
    return this.#messages.length === 0;
  }

  /** @throws {PthError} `INVALID_INPUT` with every problem, if there is one */
  throwIfAny(action: string): void {
    if (this.#messages.length === 0) return;
    const [only] = this.#messages;
    const text = this.#messages.length === 1
      ? only
      : `${this.#messages.length} problems\n${this.#messages.map((message) => `- ${message}`).join("\n")}`;
    throw new PthError("INVALID_INPUT", `${action}: ${text}`, {
      problems: [...this.#messages],
      next: ["Correct these options; nothing was started"],
    });
  }
}
