/** Serves tools whose answers have no second page. */
export const nextPage = (cursor: string): Promise<string> => Promise.reject(new Error(`no page ${cursor}`));

/** Serves tools that nobody asks for an earlier answer. */
export const answerOf = (call: string): Promise<never> => Promise.reject(new Error(`no call ${call}`));
