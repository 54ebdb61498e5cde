/** The memory of this browser. Storage may be refused or full: then nothing is remembered, and all else works. */

const key = (name) => `parley.${name}`;

function read(name, fallback) {
  try {
    const text = localStorage.getItem(key(name));
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

function write(name, value) {
  try { localStorage.setItem(key(name), JSON.stringify(value)); } catch { /* not remembered */ }
}

/**
 * @typedef {object} Choices
 * @property {string} name
 * @property {boolean} microphone
 * @property {boolean} camera
 * @property {string} [microphoneId]
 * @property {string} [cameraId]
 * @property {string} [speakerId]
 * @property {boolean} mirror
 * @property {boolean} [encrypted] whether new meetings are to be encrypted, where there is a choice
 * @property {boolean} [recognised] whether encrypted meetings are joined with the lasting key of this browser
 * @property {boolean} [linkDevices] whether links that skip the page before joining may turn on what is chosen above
 */

/** Remembered choices of the user. */
export const choices = {
  /** @returns {Choices} */
  get() {
    const stored = read("choices", {});
    return { name: "", microphone: true, camera: true, mirror: true, ...(stored !== null && typeof stored === "object" ? stored : {}) };
  },
  /** @param {Partial<Choices>} change */
  update(change) { write("choices", { ...choices.get(), ...change }); },
};

/** Rooms visited lately, newest first. */
export const recentRooms = {
  /** @returns {{name: string, subject?: string, time: number}[]} */
  get() {
    const list = read("rooms", []);
    return Array.isArray(list) ? list.filter((each) => typeof each?.name === "string" && typeof each?.time === "number") : [];
  },
  /** @param {string} name @param {string} [subject] */
  add(name, subject) {
    const rest = recentRooms.get().filter((each) => each.name.toLowerCase() !== name.toLowerCase());
    write("rooms", [{ name, subject, time: Date.now() }, ...rest].slice(0, 6));
  },
  /** @param {string} name */
  remove(name) {
    write("rooms", recentRooms.get().filter((each) => each.name !== name));
    encryptedRooms.remove(name);
  },
};

/** How many encrypted rooms are remembered. */
const mostEncryptedRooms = 500;

/** Rooms that were encrypted here, which are never joined in clear. Their keys are in the links alone, and not here. */
export const encryptedRooms = {
  /** @returns {string[]} */
  get() {
    const list = read("encryptedRooms", []);
    return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
  },
  /** @param {string} name @returns {boolean} */
  has(name) { return encryptedRooms.get().includes(name.toLowerCase()); },
  /** @param {string} name */
  add(name) { write("encryptedRooms", [name.toLowerCase(), ...encryptedRooms.get().filter((each) => each !== name.toLowerCase())].slice(0, mostEncryptedRooms)); },
  /** @param {string} name */
  remove(name) { write("encryptedRooms", encryptedRooms.get().filter((each) => each !== name.toLowerCase())); },
};

/** Light, dark, or as the system has it. The early script reads the same key. */
export const theme = {
  /** @returns {"system"|"light"|"dark"} */
  get() {
    const value = read("theme", "system");
    return value === "light" || value === "dark" ? value : "system";
  },
  /** @param {"system"|"light"|"dark"} value */
  set(value) {
    write("theme", value);
    theme.apply();
  },
  /** Puts the choice on the page. */
  apply() {
    const value = theme.get();
    if (value === "system") { delete document.documentElement.dataset.theme; } else { document.documentElement.dataset.theme = value; }
  },
};
