/** The host's settings as a machine of its own network sees them. Pure. */

/** QEMU's user network has the host, with what listens on its loopback, at this address. */
export const hostAddress = "10.0.2.2";
/** The machine itself, as QEMU's user network names the only one on it. */
export const guestAddress = "10.0.2.15";

/** A proxy or a registry on the host's loopback is at another address seen from inside. */
export function rewriteHostAddresses(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value.replaceAll(
        /(\/\/(?:[^/@\s]*@)?)(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/g,
        `$1${hostAddress}`,
      ),
    ]),
  );
}
