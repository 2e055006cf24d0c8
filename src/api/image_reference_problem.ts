/**
 * References of container images, by the grammar that registries and engines share (OCI distribution): `alpine`,
 * `alpine:3.20`, `registry.example:5000/team/image:tag@sha256:…`. A reference becomes part of an engine's URL, so
 * nothing passes that has a meaning there.
 */

/** Characters; a name has 255 at most, a tag 128, and the longest digest in use (sha512) 135. */
const longest = 512;
const longestName = 255;

const hostPart = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const host = `(?:${hostPart}(?:\\.${hostPart})*|\\[[0-9a-fA-F:]+\\])(?::[0-9]{1,5})?`;
const pathPart = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const tag = /^\w[\w.-]{0,127}$/;
const digest = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,128}$/;
const hostOnly = new RegExp(`^${host}$`);
const pathOnly = new RegExp(`^${pathPart}$`);

/** The reason why a text is no reference of an image, or undefined for one that is. */
export function imageReferenceProblem(text: string): string | undefined {
  if (text === "") return "expected an image, for example debian12 or alpine:3.20";
  if (text.length > longest) return `expected an image's name of at most ${longest} characters`;
  const [named = "", ...digests] = text.split("@");
  if (digests.length > 1 || (digests.length === 1 && !digest.test(digests[0]!))) {
    return 'expected a digest after "@", as in image@sha256:<64 hexadecimal digits>';
  }
  const slash = named.lastIndexOf("/");
  const colon = named.indexOf(":", slash + 1);
  if (colon >= 0 && !tag.test(named.slice(colon + 1))) {
    return 'expected a tag after ":" (letters, digits, _ . -, at most 128)';
  }
  const parts = (colon < 0 ? named : named.slice(0, colon)).split("/");
  if (parts.join("/").length > longestName) {
    return `expected an image's name of at most ${longestName} characters`;
  }
  // A first part of several is a registry where it can be none of a path: it has a dot, a port, or is localhost.
  const [first = ""] = parts;
  const hasHost = parts.length > 1 && (/[.:[A-Z]/.test(first) || first === "localhost");
  if (hasHost && !hostOnly.test(first)) return "expected a registry before the first /: host or host:port";
  return (hasHost ? parts.slice(1) : parts).every((part) => pathOnly.test(part))
    ? undefined
    : "expected an image: [registry[:port]/]name[:tag][@digest], the name in small letters, digits, . _ - and /";
}
