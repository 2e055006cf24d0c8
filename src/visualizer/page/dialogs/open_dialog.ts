/** Which dialog is open. */
import { signal } from "@preact/signals";

export type DialogName = "help" | "send";

export const dialog = signal<DialogName | undefined>(undefined);
export const openDialog = (name: DialogName): void => void (dialog.value = name);
export const closeDialog = (): void => void (dialog.value = undefined);
