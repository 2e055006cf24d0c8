/** Default limit in seconds on start and initialization. */
export const defaultStartSeconds = 60;

/** Extends the limit of the server's start where tests are given more time than it. */
export const startLimit = (
  { timeoutSeconds = 0 }: { timeoutSeconds?: number } = {},
): { startTimeoutSeconds?: number } =>
  timeoutSeconds > defaultStartSeconds ? { startTimeoutSeconds: timeoutSeconds } : {};
