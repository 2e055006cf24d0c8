/** Which dialog is open. */
import { signal } from "@preact/signals";

export type DialogName = "help" | "send";

export const openedDialog = signal<DialogName | undefined>(undefined);
export const openDialog = (name: DialogName): void => void (openedDialog.value = name);
export const closeDialog = (): void => void (openedDialog.value = undefined);
