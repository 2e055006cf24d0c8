/** Makes a function that is loaded when it is called: what is seldom asked for costs a start nothing. */
export const lazyFunction = <Given extends readonly unknown[], Result>(
  load: () => Promise<(...given: Given) => Promise<Result>>,
): (...given: Given) => Promise<Result> =>
async (...given) => await (await load())(...given);
