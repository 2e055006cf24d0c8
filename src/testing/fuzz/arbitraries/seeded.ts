/** Values of which a third comes from a list; they shrink as any other does, where a choice from a list would not. */
import fc from "fast-check";

type Random = Parameters<fc.Arbitrary<unknown>["generate"]>[0];

class Seeded<T> extends fc.Arbitrary<T> {
  readonly #pool: readonly T[];
  readonly #drawn: fc.Arbitrary<T>;
  readonly #range: fc.Arbitrary<T>;

  constructor(pool: readonly T[], drawn: fc.Arbitrary<T>, range: fc.Arbitrary<T>) {
    super();
    this.#range = range;
    this.#pool = pool;
    this.#drawn = drawn;
  }

  override generate(random: Random, bias: number | undefined): fc.Value<T> {
    if (random.nextInt(0, 2) > 0) return this.#drawn.generate(random, bias);
    return new fc.Value(this.#pool[random.nextInt(0, this.#pool.length - 1)]!, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.#range.canShrinkWithoutContext(value);
  }

  /** A value from the list carries no context. */
  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    if (context !== undefined) return this.#drawn.shrink(value, context);
    return this.canShrinkWithoutContext(value) ? this.#range.shrink(value, undefined) : fc.Stream.nil();
  }
}

/**
 * An empty list leaves what is drawn as it is. `range` makes values of the list smaller, and must be able to do so without
 * having made them; it is what is drawn unless given.
 */
export const seeded = <T>(
  pool: readonly T[],
  drawn: fc.Arbitrary<T>,
  range: fc.Arbitrary<T> = drawn,
): fc.Arbitrary<T> => pool.length === 0 ? drawn : new Seeded(pool, drawn, range);
