const publisher = ["publishAudio", "publishVideo", "publishScreen", "subscribe", "chat", "data"];

/** The permissions of each role, for messages that don't list them. */
const rolePermissions = {
  organizer: [...publisher, "moderate"], presenter: [...publisher, "moderate"], guest: publisher, "publisher-only": publisher.slice(0, 3),
};

/**
 * The permissions of a participant as the protocol describes it.
 *
 * @param {{role?: string, permissions?: string[]}} value
 * @returns {string[]}
 */
export function permissionsOf({ role, permissions }) {
  return isTextList(permissions) ? permissions : rolePermissions[role] ?? ["subscribe"];
}

function isTextList(value) { return Array.isArray(value) && value.every((each) => typeof each === "string"); }
