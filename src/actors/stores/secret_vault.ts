/** Values of secret variables, and the removal of them from everything that leaves the session. */
import { makeRedactor, redactError, type Redactor } from "../../core/redact.ts";
import { isSecretName } from "../../plugin/declared_variables.ts";

export class SecretVault {
  /** Values by variable; machines and reports only ever see the names. */
  readonly values = new Map<string, string>();
  /** Variables whose values the plugin's own files declare: each load reads them again. */
  readonly declared = new Set<string>();
  /** Every value that was ever secret: a server may still print an old one. */
  readonly #hidden = new Set<string>();
  #redact: Redactor | undefined;

  constructor(values: Record<string, string> = {}) {
    for (const [name, value] of Object.entries(values)) this.add(name, value);
  }

  add(name: string, value: string): void {
    this.values.set(name, value);
    this.declared.delete(name);
    this.hide(value);
  }

  /** Forgets the declared variables; their values stay hidden. */
  dropDeclared(): void {
    for (const name of this.declared) this.values.delete(name);
    this.declared.clear();
  }

  /** Redacts the value from now on. */
  hide(value: string): void {
    this.#hidden.add(value);
    this.#redact = undefined;
  }

  /** Redacts the values of variables whose names say that they are secret. */
  hideVariables(variables: Record<string, string> = {}): void {
    for (const [name, value] of Object.entries(variables)) if (isSecretName(name)) this.hide(value);
  }

  /** True once there is something to redact. */
  get hides(): boolean {
    return this.#hidden.size > 0;
  }

  /** Redacts text and plain values. */
  get redact(): Redactor {
    return this.#redact ??= makeRedactor([...this.#hidden]);
  }

  /** Redacts an error: its message and output may contain a secret. */
  redactError(error: unknown): unknown {
    return redactError(error, this.redact);
  }
}
