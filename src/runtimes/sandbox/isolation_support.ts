/**
 * Method by which a sandbox is made on this machine. It is found by making one: kernels, policies and
 * containers forbid odd things.
 */

export interface Method {
  /** In a user namespace: PTH does not run as root. */
  userNamespace: boolean;
  /**
   * Kind of overlay that makes the lower side writable: one with root's attributes, one with user attributes,
   * or none (read-only binds, /etc copied).
   */
  lower: "overlay" | "user overlay" | "read-only";
  /** Location of the sandbox's own files: the disk under PTH's state folder, or a tmpfs. */
  data: "disk" | "memory";
  /** Program that builds the namespaces around it. */
  enter: "bubblewrap" | "util-linux";
  /** Whether what runs in it is under a filter of system calls. */
  filtered: boolean;
}

export interface IsolationSupport {
  root: boolean;
  bubblewrap: boolean;
  /** Whether system calls can be filtered. */
  filters: boolean;
  /** Whether the lower side is the host's root, which an unprivileged overlay cannot change. */
  hostRoot: boolean;
}

/** Every method worth trying, the best first. */
export function candidateMethods(machine: IsolationSupport): Method[] {
  const enters = machine.bubblewrap ? ["bubblewrap", "util-linux"] as const : ["util-linux"] as const;
  const userNamespace = !machine.root;
  const overlay = machine.root ? "overlay" : "user overlay";
  const lowers: Method["lower"][] = !machine.hostRoot
    ? [overlay]
    : userNamespace
    ? ["read-only"]
    : [overlay, "read-only"];
  // Policies that a machine has for its own programs may end where a filter begins: better an unfiltered sandbox than none.
  return (machine.filters ? [true, false] : [false]).flatMap((filtered) =>
    lowers.flatMap((lower) =>
      placesFor(lower).flatMap((data) =>
        enters.map((enter): Method => ({ userNamespace, lower, data, enter, filtered }))
      )
    )
  );
}

/** A copy of /etc for each sandbox is seven times quicker to make in memory; an overlay starts empty and may stay on disk. */
const placesFor = (lower: Method["lower"]): Method["data"][] =>
  lower === "read-only" ? ["memory", "disk"] : ["disk", "memory"];

/** For people: "overlay on disk, bubblewrap, as root, system calls filtered". */
export const describe = (method: Method): string =>
  [
    method.lower === "read-only" ? "read-only binds, /etc copied" : `${method.lower} on ${method.data}`,
    method.enter,
    method.userNamespace ? "in a user namespace" : "as root",
    method.filtered ? "system calls filtered" : "system calls not filtered",
  ].join(", ");
