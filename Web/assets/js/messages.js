/**
 * Errors and ends in plain words, with what can be done.
 *
 * @typedef {object} Notice
 * @property {string} title
 * @property {string} text
 * @property {boolean} retry whether joining again may help
 * @property {string} [icon]
 * @property {string} [still] what holds still when joining again was in vain, as "Still full"
 */

/**
 * @param {import("/sdk/parley.js").ParleyError} error
 * @returns {Notice}
 */
export function noticeForError(error) {
  switch (error.code) {
    case "noSuchMeeting":
      return { title: "There is no such meeting", text: "Check the address, or start a new meeting.", retry: false };
    case "meetingExpired":
      return { title: "This meeting is over", text: "Its time has run out. Ask the host for a new invitation, or start a new meeting.", retry: false, icon: "clock" };
    case "notStarted":
      return { title: "This meeting begins later", text: error.message, retry: true, icon: "clock" };
    case "meetingCancelled":
      return { title: "This meeting was called off", text: "Whoever invited you has cancelled it.", retry: false, icon: "clock" };
    case "tokenExpired":
      return { title: "Your invitation has expired", text: "Ask the person who invited you for a new link.", retry: false, icon: "clock" };
    case "badToken":
      return { title: "Your invitation is not valid", text: "The link may be incomplete, or made for another meeting. Ask for a new one.", retry: false, icon: "link" };
    case "tokenRequired":
      return { title: "An invitation is needed", text: "This server lets in only who has an invitation. Ask the host for a link.", retry: false, icon: "link" };
    case "quotaReached":
      return { title: "There is no room just now", text: error.message, retry: true, icon: "people", still: "Still no room" };
    case "wrongMeeting":
      return { title: "Your invitation is for another meeting", text: error.message, retry: false, icon: "link" };
    case "wrongOrigin":
      return { title: "This page may not join the meeting", text: "The invitation was made for another website. Open the meeting from there.", retry: false };
    case "notAllowed":
      return { title: "You may not join this meeting", text: "Ask the host to invite you.", retry: false };
    case "entryDenied":
      return { title: "You were not let in", text: "A host of the meeting decided so. If you think it was a mistake, ask them in another way and try again.", retry: true, icon: "leave" };
    case "lobbyTimeout":
      return { title: "Nobody let you in", text: error.message, retry: true, icon: "clock" };
    case "lobbyFull":
      return { title: "Too many people are waiting", text: "Try again in a few minutes.", retry: true, icon: "people", still: "Still too many" };
    case "meetingLocked":
      return { title: "The meeting is locked", text: "A host has locked it: nobody more can join just now. Ask them to unlock it, and try again.", retry: true, icon: "lock", still: "Still locked" };
    case "passcodeBlocked":
      return { title: "Too many wrong passcodes", text: error.message, retry: true, icon: "lock" };
    case "banned":
      return { title: "You cannot join this meeting", text: "A host has removed you from it for good, or somebody from your network. If it was not you, ask the host for an invitation of your own.", retry: false, icon: "leave" };
    case "meetingFull":
      return {
        title: "The meeting is full", text: "As many people are in it as it may have. You can join when somebody has left.", retry: true, icon: "people", still: "Still full",
      };
    case "badName":
      return { title: "The server did not accept the name", text: error.message, retry: true };
    case "mediaFailed":
      return {
        title: "No way for sound and pictures",
        text: "The server answers, but sound and pictures reach it by none of the addresses that it names. A firewall or a VPN of this network may be the reason, or the server's own set-up; try another network, or tell who runs the server.",
        retry: true, icon: "offline",
      };
    case "badOffer":
      return { title: "This browser cannot take part", text: "The server could not agree with it on sound and pictures. Use a current version, or another browser.", retry: true };
    case "encryptionRequired":
      return { title: "This link is not complete", text: "The meeting is encrypted, and only its whole link lets you in: here the part from # on is missing. Ask the person who invited you for the whole link.", retry: false, icon: "lock" };
    case "encryptedBefore":
      return { title: "This link is not complete", text: "The meeting was encrypted when you were here before, and only its whole link lets you in: here the part from # on is missing. Ask the person who invited you for it. If the room is used for other meetings now, remove it from your rooms on the start page.", retry: false, icon: "lock" };
    case "badSecret":
      return { title: "This link is damaged", text: "Characters at its end are missing or changed. Open it again as it was sent to you, or ask the person who invited you for a new one.", retry: false, icon: "lock" };
    case "wrongSecret":
      return { title: "This link does not fit the meeting", text: "The others came with another link. Yours may be old, or not the whole one: ask the person who invited you for the link that they use.", retry: false, icon: "lock" };
    case "notEncrypted":
      return { title: "This meeting is not encrypted", text: error.message, retry: false, icon: "unlock" };
    case "encryptionUnsupported":
      return { title: "This meeting is encrypted", text: error.message, retry: false, icon: "lock" };
    case "encryptionFailed":
      return { title: "The encryption has stopped", text: error.message, retry: true, icon: "lock" };
    case "encrypted":
      return { title: "Not in encrypted meetings", text: error.message, retry: false, icon: "lock" };
    case "tooFast":
      return { title: "Too much at once", text: error.message, retry: true, icon: "clock", still: "Still too much" };
    case "joinTimeout": case "unreachable":
      return { title: "The server does not answer", text: "Check your connection to the internet and try again.", retry: true, icon: "offline", still: "Still no answer" };
    case "connectionLost":
      return { title: "The connection was lost", text: "It could not be restored. Check your network and join again.", retry: true, icon: "offline" };
    default:
      return { title: "Something went wrong", text: error.message || "The server gave no reason.", retry: true };
  }
}

/**
 * @param {{reason: string, message: string, error: Error|null}} ended detail of the `ended` event
 * @returns {Notice}
 */
export function noticeForEnd(ended) {
  // The loss's cause says less than that it lasted.
  if (ended.error && ended.reason !== "connectionLost") { return noticeForError(ended.error); }
  switch (ended.reason) {
    case "left": return { title: "You left the meeting", text: "See you next time.", retry: true, icon: "leave" };
    case "removed": return { title: "You were removed from the meeting", text: "A host took you out of it.", retry: false, icon: "leave" };
    case "endedByHost": return { title: "The meeting is over", text: "A host has ended it for everybody.", retry: false, icon: "leave" };
    case "tokenExpired":
      return { title: "Your time in the meeting is over", text: "Your sign-in or your invitation has ended. Join again to go on.", retry: true, icon: "clock" };
    case "tokenRevoked":
      return { title: "Your invitation was withdrawn", text: "It was revoked, so you are out of the meeting. Ask the host for a new one.", retry: false, icon: "leave" };
    case "replaced":
      return { title: "The meeting goes on elsewhere", text: "You joined with the same place from another window or device.", retry: true };
    case "expired": return { title: "This meeting is over", text: "Its time has run out.", retry: false, icon: "clock" };
    case "shutdown": return { title: "The server is closing", text: "It may be back in a moment. Your meeting keeps its address.", retry: true };
    case "connectionLost": return noticeForError({ code: "connectionLost", message: "" });
    default: return { title: "The meeting has ended", text: ended.message, retry: true };
  }
}

/**
 * Why a device does not work, and what to do about it.
 *
 * @param {"microphone"|"camera"} device
 * @param {import("/sdk/parley.js").ParleyError} error
 * @param {boolean} [joined] whether the meeting goes on already
 * @returns {{title: string, text: string}}
 */
export function deviceProblem(device, error, joined = false) {
  const Device = device === "camera" ? "Camera" : "Microphone";
  switch (error.code) {
    case "denied":
      return { title: `${Device} is blocked`, text: `Allow it through the ${device} sign in the address bar or in the site's settings, then try again.` };
    case "deviceNotFound":
      return { title: `No ${device} found`, text: joined ? "Connect one and switch it on." : "Connect one, or join without it." };
    case "deviceBusy":
      return { title: `${Device} is in use`, text: "Another program holds it. Close that program and try again." };
    case "insecureContext":
      return { title: `${Device} needs a secure page`, text: `Browsers allow it only over HTTPS. ${joined ? "You can watch, listen and chat." : "You can still join to watch, listen and chat."}` };
    case "unsupported":
      return { title: `${Device} is not available`, text: "This browser gives pages no access to it." };
    default:
      return { title: `${Device} does not work`, text: error.message };
  }
}

/**
 * The reason for a long wait, for somebody who joins. Only once the server has let them in is it the network.
 *
 * @param {import("/sdk/parley.js").Meeting} meeting
 * @param {boolean} hasPasscode whether they came with a passcode
 * @returns {string}
 */
export function stillWaiting(meeting, hasPasscode) {
  if (meeting.info !== null) { return "Still looking for a way through your network…"; }
  if (meeting.connection === null) { return "Still waiting for your camera and microphone. The browser may be asking whether this page may use them."; }
  return hasPasscode ? "Still waiting for the server to check the passcode…" : "Still waiting for the server to answer…";
}
