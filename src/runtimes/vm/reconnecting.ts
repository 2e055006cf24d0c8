/** Something that is opened at its first use, for all who ask meanwhile, and anew when it was lost. */

export interface Reconnecting<T> {
  get(): Promise<T>;
  /** Lets go of it: what was opened, or is being opened; undefined where nothing was. */
  take(): Promise<T> | undefined;
}

/**
 * @param tries How often what is lost at once is opened anew.
 * @param neverLasts What to say then.
 */
export function createReconnecting<T extends { readonly isOpen: boolean }>(
  open: () => Promise<T>,
  tries: number,
  neverLasts: () => Error,
): Reconnecting<T> {
  let current: Promise<T> | undefined;
  const get = async (left: number): Promise<T> => {
    if (left === 0) throw neverLasts();
    const asked = current ??= open();
    const opened = await asked.catch((error) => {
      if (current === asked) current = undefined;
      throw error;
    });
    if (opened.isOpen) return opened;
    if (current === asked) current = undefined;
    return await get(left - 1);
  };
  return {
    get: () => get(tries),
    take() {
      const old = current;
      current = undefined;
      return old;
    },
  };
}
