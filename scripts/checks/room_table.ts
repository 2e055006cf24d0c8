/** The folders of the source as rooms, from the ground up, and what each may import of the others. */
import { adapterRooms } from "./rooms/adapter_rooms.ts";
import { applicationRooms } from "./rooms/application_rooms.ts";
import { faceRooms } from "./rooms/face_rooms.ts";
import { foundationRooms } from "./rooms/foundation_rooms.ts";
import type { Room } from "./rooms/room.ts";

/** Each room stands below all that import it: a room names only rooms above it in this list. */
export const rooms: Room[] = [...foundationRooms, ...adapterRooms, ...applicationRooms, ...faceRooms];
