/** Limit for the start and the handshake where nothing else is asked for, in seconds. */
export const defaultStartSeconds = 60;

/** Extends the limit of the server's start where tests are given more time than it. */
export const startLimit = (
  { timeoutSeconds = 0 }: { timeoutSeconds?: number } = {},
): { startTimeoutSeconds?: number } =>
  timeoutSeconds > defaultStartSeconds ? { startTimeoutSeconds: timeoutSeconds } : {};
