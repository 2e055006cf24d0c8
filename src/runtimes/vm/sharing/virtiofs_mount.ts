/** The guest's side of a source that it sees by virtiofs. */
import { PthError } from "../../../errors.ts";
import type { Guest } from "../guest.ts";

/** Where what the guest's own disk holds at the source's path is seen while the source covers it. */
const below = "/run/pth/below";

/** How often a device is tried that the guest may not know yet, every twentieth of a second and more. */
const tries = 150;

// Few programs are started: each costs an emulated guest what a hundred lines of the shell do.
const functions = `
# kind_of FOLDER: "TAG TYPE" of what is mounted there last
kind_of() {
  found=
  while read -r device place kind _; do if [ "$place" = "$1" ]; then found="$device $kind"; fi; done </proc/mounts
}
folder() { [ -d "$1" ] || mkdir -p "$1"; }`;

const prepareScript = `
modprobe -q virtiofs 2>/dev/null
grep -qw virtiofs /proc/filesystems || { echo "the guest's kernel has no virtiofs"; exit 1; }`;

/** @throws {PthError} `PROVISION_FAILED` where the guest's kernel does not know virtiofs */
export const requireVirtiofs = (guest: Guest): Promise<string> =>
  script(guest, prepareScript, [], "Cannot mount the source by virtiofs");

/**
 * What is installed or built lies on the guest's own disk: at the same path below the mount, and bound over it. What
 * the source brought of it goes in once.
 */
const mountScript = `${functions}
set -e
path=$1 tag=$2 tries=$3; shift 3
kind_of "$path"; [ "$found" = "$tag virtiofs" ] && exit 0
folder "$path"; folder ${below}
kind_of ${below}; [ -n "$found" ] || mount --bind --make-private "$path" ${below}
until said=$(mount -t virtiofs "$tag" "$path" 2>&1); do
  tries=$((tries - 1)); [ $tries -gt 0 ] || { echo "$said"; exit 1; }
  sleep 0.05
done
for own; do
  folder "$path/$own"
  [ -e "${below}/$own" ] || { mkdir -p "${below}/$own"; cp -a "$path/$own/." "${below}/$own"; }
  mount --bind "${below}/$own" "$path/$own"
done`;

/**
 * Mounts the tag at the path; one that is there already stays.
 * @param own Folders, relative, that are the guest's own.
 * @throws {PthError} `PROVISION_FAILED` with mount's words
 */
export const mountSource = (
  guest: Guest,
  path: string,
  tag: string,
  own: readonly string[],
): Promise<string> =>
  script(
    guest,
    mountScript,
    [path, tag, String(tries), ...own],
    `Cannot mount the source at ${path} by virtiofs`,
  );

const unmountScript = `${functions}
path=$1
kind_of "$path"
if [ -n "$found" ]; then umount -R "$path" 2>/dev/null || { umount -R -l "$path" && echo busy; }; fi
kind_of ${below}; [ -z "$found" ] || umount -l ${below}
kind_of "$path"; [ -z "$found" ]`;

/**
 * Takes the mount away, also from under what has its folder there; true where something had.
 * @throws {PthError} `PROVISION_FAILED`
 */
export async function unmountSource(guest: Guest, path: string): Promise<boolean> {
  const said = await script(guest, unmountScript, [path], `Cannot unmount the source at ${path}`);
  return said.includes("busy");
}

async function script(guest: Guest, text: string, words: readonly string[], action: string): Promise<string> {
  const { code, stdout, stderr } = await guest.exec(["sh", "-c", text, "sh", ...words], { cwd: "/" });
  if (code === 0) return stdout;
  const output = `${stdout}${stderr}`.trim();
  const why = output.split("\n")[0] || `a script ended with ${code}`;
  throw new PthError("PROVISION_FAILED", `${action}: ${why}`, { output });
}
