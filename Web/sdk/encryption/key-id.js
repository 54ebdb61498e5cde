/** Epochs that differ by this many share their key ids. */
export const epochs = 16;
/** Tracks of a sender. */
export const tracks = 16;

/** The source of a publisher's track. The publisher's own word, sent with its key, counts more than the server's. */
export const sources = Object.freeze({ microphone: 1, camera: 2, screen: 3, screenAudio: 4, data: 5, chat: 6 });

/**
 * The key id of a track's frames of an epoch.
 *
 * @param {number} sender
 * @param {number} track
 * @param {number} epoch
 * @returns {bigint}
 */
export const keyIDOf = (sender, track, epoch) => BigInt(sender) << 8n | BigInt(track) << 4n | BigInt(epoch % epochs);

/**
 * Takes a key id apart; null when no sender has it.
 *
 * @param {bigint} keyID
 * @returns {{ sender: number, track: number, epochBits: number } | null}
 */
export function parseKeyID(keyID) {
  const sender = keyID >> 8n;
  if (sender === 0n || sender > 0xFFFFn) { return null; }
  return { sender: Number(sender), track: Number(keyID >> 4n & 15n), epochBits: Number(keyID & 15n) };
}
