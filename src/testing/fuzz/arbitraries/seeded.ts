/** Values of which a third comes from a list; they shrink as any other does, where a choice from a list would not. */
import fc from "fast-check";

type Random = Parameters<fc.Arbitrary<unknown>["generate"]>[0];

interface Shrinking<T> {
  /** Makes a value smaller that it has not made itself; what is drawn unless given. */
  range?: fc.Arbitrary<T>;
  /** Much smaller values that are tried before: each try that fails costs a server, or a wait. */
  first: (value: T) => T[];
}

class Seeded<T> extends fc.Arbitrary<T> {
  readonly #pool: readonly T[];
  readonly #drawn: fc.Arbitrary<T>;
  readonly #range: fc.Arbitrary<T>;
  readonly #first: (value: T) => T[];

  constructor(pool: readonly T[], drawn: fc.Arbitrary<T>, { range = drawn, first }: Shrinking<T>) {
    super();
    this.#pool = pool;
    this.#drawn = drawn;
    this.#range = range;
    this.#first = first;
  }

  override generate(random: Random, bias: number | undefined): fc.Value<T> {
    if (this.#pool.length === 0 || random.nextInt(0, 2) > 0) return this.#drawn.generate(random, bias);
    return new fc.Value(this.#pool[random.nextInt(0, this.#pool.length - 1)]!, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.#range.canShrinkWithoutContext(value);
  }

  /** A value of the list, and one that was tried first, carries no context. */
  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    const small = this.#first(value).filter((each) => this.canShrinkWithoutContext(each));
    const tried = fc.Stream.of(...small.map((each) => new fc.Value(each, undefined)));
    if (context !== undefined) return tried.join(this.#drawn.shrink(value, context));
    return this.canShrinkWithoutContext(value) ? tried.join(this.#range.shrink(value, undefined)) : tried;
  }
}

export const seeded = <T>(
  pool: readonly T[],
  drawn: fc.Arbitrary<T>,
  shrinking: Shrinking<T>,
): fc.Arbitrary<T> => new Seeded(pool, drawn, shrinking);
