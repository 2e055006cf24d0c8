/** `pth_rebuild_base_images`: builds base images anew. */
import type { BuiltImage, RequestOptions } from "../../api/harness.ts";
import { buildBaseImage, listImages, resolveImage } from "../../runtimes/images.ts";

/** No names means every image that is present. A wrong name is told before the first is built, which takes minutes. */
export async function rebuildImages(names: string[], options: RequestOptions = {}): Promise<BuiltImage[]> {
  const { signal, onProgress } = options;
  const wanted = names.length > 0
    ? names.map((name) => resolveImage(name).name)
    : (await listImages()).filter(({ present }) => present).map(({ name }) => name);
  const built: BuiltImage[] = [];
  for (const [done, name] of wanted.entries()) {
    const started = performance.now();
    onProgress?.({ phase: "image", message: `building ${name}`, done, total: wanted.length });
    const image = await buildBaseImage(name, {
      ...(signal ? { signal } : {}),
      onOutput: (text) =>
        onProgress?.({ phase: "image", message: text.trim().split("\n").at(-1)!.slice(0, 200) }),
    });
    built.push({
      name: image.name,
      tag: image.tag,
      sizeMB: image.sizeMB ?? 0,
      durationMs: Math.round(performance.now() - started),
    });
  }
  return built;
}
