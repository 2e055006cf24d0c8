/** Addresses of an environment's own network, from what the kernel tells of it. Pure. */

/** Bits of an address in /proc/net/if_inet6. */
const permanent = 0x80;

/**
 * IPv4 from the local table of routes, IPv6 without those that a network or a card brings along (temporary, link-local).
 * @param given Those that the engine or the hypervisor gave: others after each rollback
 */
export function networkAddresses(
  found: ReadonlyMap<string, string[]>,
  given: readonly string[] = [],
): string[] {
  const four = (found.get("inet") ?? []).flatMap((line) => line.match(/[\d.]{7,}/)?.[0] ?? []);
  const six = (found.get("inet6") ?? []).flatMap((line) => {
    const [address = "", , length = "", , flags = ""] = line.trim().split(/\s+/);
    const counts = (Number.parseInt(flags, 16) & permanent) !== 0 && !/^fe[89ab]/.test(address);
    return counts ? [`${shortened(address)}/${Number.parseInt(length, 16)}`] : [];
  });
  const known = new Set(given);
  return [...new Set([...four, ...six])].filter((address) => !known.has(address)).sort();
}

/** 32 digits as an address is written, by the URL standard's rules. */
function shortened(digits: string): string {
  if (!/^[\da-f]{32}$/.test(digits)) return digits;
  return new URL(`http://[${digits.match(/.{4}/g)!.join(":")}]/`).hostname.slice(1, -1);
}
