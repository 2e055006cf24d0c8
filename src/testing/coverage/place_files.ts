/** Puts files into the folder that a plugin is measured into. */
import { PthError } from "../../core/errors.ts";
import type { CoverageSite } from "./collector.ts";

/** Folders are open to all: the server may run as another user. */
const script = `cd -- "$1" || exit 1
shift
while [ $# -gt 0 ]; do
  case $1 in
  */) mkdir -p -m 777 -- "$1" || exit 1 ;;
  *) printf %s "$2" >"$1" || exit 1 ;;
  esac
  shift 2
done`;

/**
 * @param files texts by path within the folder; one that ends with "/" is a folder
 * @throws {PthError} `COPY_FAILED`
 */
export async function placeFiles(
  { folder, exec }: CoverageSite,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const { code, stderr } = await exec(["sh", "-c", script, "sh", folder, ...Object.entries(files).flat()]);
  if (code === 0) return;
  throw new PthError("COPY_FAILED", `Cannot write into ${folder} of the environment: ${stderr.trim()}`);
}
