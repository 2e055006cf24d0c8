/** Where this repository lies, and the fixtures in it. */
import { join } from "node:path";

export const root = join(import.meta.dirname!, "../..");
export const fixture = (path: string): string => join(root, "test/fixtures", path);
