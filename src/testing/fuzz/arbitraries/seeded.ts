/** Values of which a third comes from a list; they shrink as any other does, where a choice from a list would not. */
import fc from "fast-check";

type Random = Parameters<fc.Arbitrary<unknown>["generate"]>[0];

class Seeded<T> extends fc.Arbitrary<T> {
  readonly #pool: readonly T[];
  readonly #drawn: fc.Arbitrary<T>;

  constructor(pool: readonly T[], drawn: fc.Arbitrary<T>) {
    super();
    this.#pool = pool;
    this.#drawn = drawn;
  }

  override generate(random: Random, bias: number | undefined): fc.Value<T> {
    if (random.nextInt(0, 2) > 0) return this.#drawn.generate(random, bias);
    return new fc.Value(this.#pool[random.nextInt(0, this.#pool.length - 1)]!, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.#drawn.canShrinkWithoutContext(value);
  }

  /** A value from the list carries no context. */
  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    const known = context !== undefined || this.canShrinkWithoutContext(value);
    return known ? this.#drawn.shrink(value, context) : fc.Stream.nil();
  }
}

/** An empty list leaves what is drawn as it is. `drawn` must be able to shrink a value that it has not made itself. */
export const seeded = <T>(pool: readonly T[], drawn: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  pool.length === 0 ? drawn : new Seeded(pool, drawn);
