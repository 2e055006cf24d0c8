/** Variables that every turn has: folders of the session, which are other ones each time. */

export const folderVariables = ["project", "plugin", "home", "temporary"] as const;

/** Folders as the agent sees them. */
export type SessionFolders = Record<(typeof folderVariables)[number], string>;
