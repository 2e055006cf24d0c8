/** Finds leftovers of dead sessions on the engine by their label, for `pth clean`. */
import type { ContainerInfo } from "dockerode";
import type { Leftover } from "../runtime.ts";
import { containerLabels, removeContainer, removeVolume } from "./container.ts";
import { PthError } from "../../core/errors.ts";
import { type Engine, engineOrError, undefinedIfMissing } from "./engine.ts";
import { isOwnerAlive } from "../../platform/proc.ts";
import { shortSnapshotName } from "./snapshots.ts";

/**
 * Finds what is left of one runtime; what carries none's name counts as docker's. Containers first: volumes, images and
 * networks go only after what uses them. Nothing where no engine answers.
 */
export async function containerLeftovers(runtime: string): Promise<Leftover[]> {
  const engine = await engineOrError();
  if (engine instanceof PthError) return [];
  const isMine = ({ Labels }: Labelled) => (Labels?.[containerLabels.runtime] ?? "docker") === runtime;
  const found = (await engine.listContainers({ all: true, filters })).filter(isMine);
  const living = await livingSessions(found);
  const all = [
    ...containers(engine, found),
    ...(await volumes(engine, isMine)),
    ...(await images(engine, isMine)),
    ...(await networks(engine, isMine)),
  ];
  return all.map((left) => ({ ...left, ownerLives: living.has(left.sessionId) }));
}

/** Sessions whose PTH still runs, whichever register knows them. */
async function livingSessions(found: readonly ContainerInfo[]): Promise<Set<string>> {
  const living = new Set<string>();
  for (const { Labels } of found) {
    const [pid, startTime] = (Labels[containerLabels.owner] ?? "").split("/");
    if (pid && startTime && await isOwnerAlive({ pid: Number(pid), startTime })) {
      living.add(Labels[containerLabels.session]!);
    }
  }
  return living;
}

const filters = { label: [containerLabels.session] };

function containers(engine: Engine, found: readonly ContainerInfo[]): Leftover[] {
  return found.map(({ Id, Names, Labels }) => ({
    kind: "container",
    name: Names[0]?.replace(/^\//, "") ?? Id,
    sessionId: Labels[containerLabels.session]!,
    remove: () => removeContainer(engine, Id),
  }));
}

interface Labelled {
  Labels?: Record<string, string> | undefined;
}

type IsMine = (thing: Labelled) => boolean;

async function volumes(engine: Engine, isMine: IsMine): Promise<Leftover[]> {
  const { Volumes } = await engine.listVolumes({ filters });
  return (Volumes ?? []).filter(isMine).map(({ Name, Labels }) => ({
    kind: "volume",
    name: Name,
    sessionId: Labels[containerLabels.session]!,
    remove: () => removeVolume(engine, Name),
  }));
}

async function images(engine: Engine, isMine: IsMine): Promise<Leftover[]> {
  const found = await engine.listImages({ filters });
  return found.filter(isMine).map(({ Id, RepoTags, Labels }) => ({
    kind: "image",
    name: RepoTags?.[0] ?? Id,
    sessionId: Labels[containerLabels.session]!,
    remove: () => undefinedIfMissing(engine.getImage(Id).remove({ force: true })),
  }));
}

async function networks(engine: Engine, isMine: IsMine): Promise<Leftover[]> {
  const found = await engine.listNetworks({ filters });
  return found.filter(isMine).map(({ Id, Name, Labels }) => ({
    kind: "network",
    name: Name,
    sessionId: Labels?.[containerLabels.session] ?? "",
    remove: () => undefinedIfMissing(engine.getNetwork(Id).remove()),
  }));
}

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
  const engine = await engineOrError();
  if (engine instanceof PthError) return [];
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
