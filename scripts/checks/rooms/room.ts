/** A folder of the source as a room, and what it may import of the others. */
export interface Room {
  /** Folder with all below it that is no room of its own; "src/*" is the files at the top of src. */
  folder: string;
  /** Content, in one line. */
  holds: string;
  /** Rooms whose values it may use, and their types. */
  imports: string[];
  /** Rooms that it may import types of, which are erased. */
  types?: string[];
}
