import { discover, encryptionProblem, isSupported, Meeting, Overrides, prepareEncryption, RoomName, secretOf, secretTextOf, withSecret } from "/sdk/parley.js";
import { keepToken, stashSecret, takeAddress, tokenIn } from "./address.js";
import { NotBegunPage } from "./not-begun-page.js";
import { calendarLink } from "./calendar-link.js";
import { h, setText } from "./dom.js";
import { isRecognised } from "./identity-choice.js";
import { noticeForEnd, noticeForError, stillWaiting } from "./messages.js";
import { NoticePage } from "./notice.js";
import { Prejoin } from "./prejoin.js";
import { Room } from "./room.js";
import { signedInLine, signInNotice, signInProblem } from "./sign-in.js";
import { LinkedDevices } from "./starting-devices.js";
import { choices, encryptedRooms, recentRooms, theme } from "./storage.js";
import { keepPlace } from "./token-renewal.js";
import { PasscodePage, WaitingPage } from "./waiting.js";

/** The page of a meeting: from its address through prejoin and the meeting to its end. */

const app = document.getElementById("app");
const address = takeAddress();
const overrides = new Overrides(address.hash);
const name = RoomName.fromURL(address);
const problemWithSecret = problemOf(() => secretOf(address));
const secret = problemWithSecret === null ? secretOf(address) : null;
const invitation = name === null ? "" : withSecret(new URL(`/${encodeURIComponent(name)}`, address), secret);
let title = overrides.subject ?? name ?? "Meeting";
let current = null;
let problemWithSignIn = signInProblem();
/** Whether somebody wants to come in before the time, as hosts may. */
let entersEarly = false;
/** Refusals that may be over at the next try, which needs nothing more of the person than a click. */
const mayPass = new Set(["meetingFull", "meetingLocked", "quotaReached", "lobbyFull", "lobbyTimeout", "entryDenied", "passcodeBlocked", "mediaFailed", "unreachable", "tooFast"]);

theme.apply();
if (secret !== null) { prepareEncryption(); }
// Another token or key for the same room is another visit, and the browser alone would not load the page for it.
addEventListener("hashchange", () => {
  if (tokenIn(location.hash) !== null || secretTextOf(new URL(location.href)) !== secretTextOf(address)) { location.reload(); } else { keepToken(address); }
});
begin();

function problemOf(step) {
  try { step(); return null; } catch (error) { return error; }
}

async function begin() {
  setTitle();
  if (!isSupported()) {
    showNotice({
      title: "This browser cannot take part",
      text: "It lacks WebRTC. Use a current version of Chrome, Edge, Firefox or Safari.", retry: false, icon: "warning",
    });
    return;
  }
  const problem = name === null ? "An address has one room name after the server's name." : RoomName.problem(name);
  if (problem !== null) {
    showNotice({ title: "No meeting has this address", text: problem, retry: false }, { meeting: null });
    return;
  }
  const refusal = await refusalOfEncryption();
  if (refusal !== null) { showNotice(noticeForError(refusal)); return; }
  if (!overrides.prejoin) { joinAtOnce(); return; }
  prepare();
}

/** Why an encrypted meeting can't be joined from here: no key, half a key, or a browser that can't encrypt. */
async function refusalOfEncryption() {
  if (problemWithSecret !== null) { return problemWithSecret; }
  if (secret === null) {
    return encryptedRooms.has(name) ? {
      code: "encryptedBefore", message: "",
    } : null;
  }
  const problem = await encryptionProblem();
  return problem === null ? null : { code: "encryptionUnsupported", message: problem };
}

function setTitle() { document.title = `${title} · Parley`; }

function show(element) {
  current?.close?.();
  current = null;
  app.replaceChildren(element);
}

/** Shows the page before joining, and checks at the same time whether there is such a meeting. */
function prepare() {
  const prejoin = new Prejoin({ title, overrides, encrypted: secret !== null, onJoin: (ready) => join(ready, { prejoin }) });
  show(prejoin.element);
  current = prejoin;
  prejoin.start();
  discover({ url: address }).then(({ subject, signedInAs, schedule, e2ee }) => {
    title = overrides.subject ?? subject ?? title;
    if (current === prejoin && typeof e2ee === "boolean" && e2ee !== (secret !== null)) {
      prejoin.stop();
      showNotice(noticeForError(e2ee
        ? { code: "encryptionRequired", message: "" }
        : { code: "notEncrypted", message: "Your link is for an encrypted meeting, but this one was made without encryption, so you were not brought in. Ask the person who invited you for a new link." }));
      return;
    }
    problemWithSignIn = null;
    if (current !== prejoin) { return; }
    setTitle();
    prejoin.setTitle(title);
    if (signedInAs !== undefined) { prejoin.setSignedIn(signedInAs, signedInLine(signedInAs, () => { prejoin.stop(); begin(); })); }
    if (!entersEarly && isShut(schedule)) {
      prejoin.stop();
      showSchedule(schedule);
    }
  }).catch((error) => {
    // A server that is away for a moment isn't a reason to send anybody off; joining will show.
    if (error.code !== "unreachable" && current === prejoin) {
      prejoin.stop();
      showNotice(noticeFor(error));
    }
  });
}

/** Whether a planned meeting takes in no guest now. After its end only a host's address leads on. */
function isShut(schedule) {
  return schedule?.state === "before" || schedule?.state === "cancelled" || (schedule?.state === "over" && !address.searchParams.has("jwt"));
}

/** Shows when a planned meeting begins, or that it does not any more. */
function showSchedule(schedule) {
  if (schedule.state !== "before") {
    showNotice(noticeForError({ code: schedule.state === "over" ? "meetingExpired" : "meetingCancelled", message: "" }));
    return;
  }
  const page = new NotBegunPage({
    title, schedule, calendar: calendarLink(new URL(schedule.calendar, address), address.searchParams.get("jwt"), " primary large"), onOpen: begin,
    onEnter: () => {
      entersEarly = true;
      begin();
    },
  });
  document.title = `Begins later · ${title} · Parley`;
  show(page.element);
  current = page;
  focusHeading();
}

function joinAtOnce() {
  const stored = choices.get();
  const linked = new LinkedDevices(overrides, stored);
  join({
    name: overrides.displayName ?? (stored.name || "Guest"),
    microphone: (document) => linked.opens("microphone", document), camera: (document) => linked.opens("camera", document),
    microphoneMuted: false, linked,
  });
}

/**
 * Joins. With a page before (the prejoin page, or a notice with a button to try again), that page stays until there is
 * something else to show; without one, the meeting is shown as it connects.
 */
async function join(ready, { prejoin = null, passcode, again = null } = {}) {
  const stored = choices.get();
  const meeting = new Meeting({
    url: address,
    name: ready.name,
    passcode,
    microphone: ready.microphone ?? false,
    camera: ready.camera ?? false,
    microphoneMuted: ready.microphoneMuted,
    devices: { microphone: { deviceId: stored.microphoneId }, camera: { deviceId: stored.cameraId } },
    resolution: overrides.resolution,
    preferredVideoCodec: overrides.preferredVideoCodec,
    iceTransport: overrides.iceTransport,
    identity: isRecognised() ? "device" : "guest",
  });
  window.parley = meeting;
  const pending = [];
  let room = null;
  const keep = ({ detail }) => { if (!room && !detail.fatal) { pending.push(detail.error); } };
  meeting.addEventListener("error", keep);
  let hasEnded = false;
  meeting.addEventListener("ended", ({ detail }) => {
    // A failure of joining is reported where it is awaited. A person in the lobby hears of the meeting's end here.
    if (room === null && detail.reason === "failed") { return; }
    hasEnded = true;
    showNotice(noticeForEnd(detail), detail.reason === "left" ? { action: "Rejoin" } : {});
  });
  const enter = () => {
    title = overrides.subject ?? meeting.info?.subject ?? title;
    setTitle();
    room = new Room(meeting, { title, url: invitation, address, invite: !overrides.disableInviteFunctions, withheld: ready.linked?.withheld ?? [] });
    show(room.element);
    current = room;
    meeting.addEventListener("meetingChanged", ({ detail }) => {
      const renamed = overrides.subject ?? detail.info.subject;
      if (renamed === title || current !== room) { return; }
      title = renamed;
      setTitle();
      room.rename(title);
    });
    keepPlace(meeting, address, room.element);
    for (const error of pending) { meeting.dispatchEvent(new CustomEvent("error", { detail: { error, fatal: false } })); }
    recentRooms.add(name, title === name ? undefined : title);
    if (meeting.encrypted) { encryptedRooms.add(name); }
  };
  waitVisibly(meeting, () => room !== null, () => clearTimeout(slow));
  prejoin?.setBusy(true);
  again?.trying();
  const wait = h("p", { text: "" });
  if (!prejoin && !again) {
    app.replaceChildren(h("main", { class: "notice-page" },
      h("div", { class: "notice", role: "status" }, h("span", { class: "spinner" }), h("h1", { text: "Joining…" }), wait)));
  }
  // The reason to wait may change, so it is said again.
  const say = () => {
    const text = stillWaiting(meeting, passcode !== undefined);
    setText(wait, text);
    prejoin?.setBusy(true, text);
    slow = setTimeout(say, 1_000);
  };
  let slow = setTimeout(say, 6_000);
  try {
    await meeting.join();
    enter();
  } catch (error) {
    const isTold = hasEnded;
    if (meeting.state !== "ended") { meeting.leave(); }
    if (error.code === "cancelled" || isTold) { return; }
    if (error.code === "passcodeRequired" || error.code === "wrongPasscode") {
      title = overrides.subject ?? meeting.subject ?? title;
      askForPasscode(ready, error.code === "wrongPasscode");
      return;
    }
    if (error.code === "notStarted" && await showsBeginning()) { return; }
    const notice = noticeFor(error);
    if (again !== null && current === again && again.says(notice)) { again.inVain(); return; }
    title = overrides.subject ?? meeting.subject ?? title;
    if (!mayPass.has(error.code)) { showNotice(notice); return; }
    // The devices were closed with the meeting that could not be joined, and after a wrong passcode they are asked for
    // again.
    const page = showNotice(notice, {
      onAgain: () => join(reopened(ready), { passcode: error.code === "passcodeBlocked" ? undefined : passcode, again: page }),
    });
  } finally {
    clearTimeout(slow);
  }
}

/** A person who came too early sees when the meeting begins. */
async function showsBeginning() {
  entersEarly = false;
  const { schedule } = await discover({ url: address }).catch(() => ({}));
  if (schedule?.state !== "before") { return false; }
  showSchedule(schedule);
  return true;
}

/** Shows that one waits to be let in, for as long as there is no meeting to show. */
function waitVisibly(meeting, isShown, onWaiting) {
  let page = null;
  meeting.addEventListener("waiting", ({ detail }) => {
    onWaiting();
    if (isShown()) { return; }
    if (!page) {
      title = overrides.subject ?? meeting.subject ?? title;
      page = new WaitingPage({ meeting: title, name: meeting.localParticipant.name, onLeave: () => meeting.leave() });
      page.show(detail.reason);
      show(page.element);
      focusHeading();
    }
    page.show(detail.reason, detail.lost);
    document.title = `Waiting · ${title} · Parley`;
  });
  meeting.addEventListener("statechanged", ({ detail }) => { if (detail.state === "connecting") { page?.letIn(); } });
}

/** The devices for joining again, to be opened once more. Those of a link are asked about again. */
function reopened(ready) { return ready.linked ? ready : { ...ready, microphone: Boolean(ready.microphone), camera: Boolean(ready.camera) }; }

/** The devices were closed with the meeting that could not be joined; they are opened again with the passcode. */
function askForPasscode(ready, wrong) {
  document.title = `Passcode · ${title} · Parley`;
  const page = new PasscodePage({ meeting: title, wrong, onPasscode: (passcode) => join(reopened(ready), { passcode }) });
  show(page.element);
  page.focus();
}

/** The words about an error; a person who has to sign in is shown the way. */
function noticeFor(error) {
  if (error.code === "signInRequired") { stashSecret(address); }
  return error.code === "signInRequired" ? signInNotice(title, problemWithSignIn) : noticeForError(error);
}

/**
 * Shows a page with a message and a way on.
 *
 * @param {import("./messages.js").Notice} notice
 * @param {{meeting?: string|null, action?: string, onAgain?: () => void}} [options] as of `NoticePage`
 * @returns {NoticePage}
 */
function showNotice(notice, options = {}) {
  const page = new NoticePage(notice, { meeting: title, onAgain: () => begin(), ...options });
  document.title = `${notice.title} · ${options.meeting === null ? "" : `${title} · `}Parley`;
  show(page.element);
  current = page;
  focusHeading();
  return page;
}

function focusHeading() { app.querySelector("h1")?.focus(); }
