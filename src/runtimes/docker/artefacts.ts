/** Lists what PTH stores on the container engine: base images, snapshots, layers that containers wrote. */
import { containerLabels } from "./container.ts";
import { answeringEngine } from "./engine.ts";
import { shortSnapshotName } from "./snapshots.ts";

/** Item of PTH's that takes up disk. */
export interface RecoveryArtefact {
  /** Path, or name on the engine. */
  name: string;
  sizeMB: number;
  /** Kind of the item, and the session that it belongs to. */
  what: string;
}

/** Lists images and containers of PTH; empty if no engine answers. */
export async function dockerArtefacts(): Promise<RecoveryArtefact[]> {
  const engine = await answeringEngine();
  if (engine === undefined) return [];
  const [found, containers] = await Promise.all([
    engine.listImages(),
    engine.listContainers({ all: true, size: true, filters: { label: [containerLabels.session] } }),
  ]);
  const images = found.flatMap(({ RepoTags, Size, Labels }): RecoveryArtefact[] => {
    const name = RepoTags?.map(shortSnapshotName).find((tag) => /^pth-(base|snapshot)-/.test(tag));
    const session = Labels?.[containerLabels.session];
    if (name === undefined) return [];
    return [{ name, sizeMB: mib(Size), what: session ? `snapshot of session ${session}` : "base image" }];
  });
  const running = containers.map(({ Names, Labels, ...rest }): RecoveryArtefact => ({
    name: Names[0]?.replace(/^\//, "") ?? rest.Id,
    sizeMB: mib((rest as { SizeRw?: number }).SizeRw ?? 0),
    what: `container of session ${Labels[containerLabels.session]}`,
  }));
  return [...images, ...running];
}

const mib = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);
