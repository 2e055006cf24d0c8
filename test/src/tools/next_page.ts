/** For tools whose answers have no second page. */
export const nextPage = (cursor: string): Promise<string> => Promise.reject(new Error(`no page ${cursor}`));
