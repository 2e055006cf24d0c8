/** How long a server may take to start, where tests are given more time than that. */

/** Limit for the start and the handshake where nothing else is asked for, in seconds. */
export const defaultStartSeconds = 60;

/** Who gives tests more time than a server has to start gives it to the start as well. */
export const startLimit = (
  { timeoutSeconds = 0 }: { timeoutSeconds?: number } = {},
): { startTimeoutSeconds?: number } =>
  timeoutSeconds > defaultStartSeconds ? { startTimeoutSeconds: timeoutSeconds } : {};
