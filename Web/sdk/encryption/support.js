/**
 * Why this browser can't take part in encrypted meetings, as a sentence; null when it can.
 *
 * @returns {Promise<string | null>}
 */
export async function encryptionProblem() {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) { return "Browsers encrypt only on pages that come over HTTPS. Open the meeting by its https address."; }
  const newer = "This browser cannot encrypt from end to end. Use Chrome or Edge 141, Firefox 130, Safari 26, or a later version of one of them.";
  if (!mayEncrypt()) { return newer; }
  try {
    await Promise.all([subtle.generateKey("X25519", false, ["deriveBits"]), subtle.generateKey("Ed25519", false, ["sign", "verify"])]);
    return null;
  } catch {
    return newer;
  }
}

/** As `encryptionProblem`, as far as that is known at once. @returns {boolean} */
export function mayEncrypt() {
  return typeof globalThis.RTCRtpScriptTransform === "function" && typeof globalThis.Worker === "function" && typeof Array.prototype.toSorted === "function"
    && "transform" in globalThis.RTCRtpSender.prototype && "transform" in globalThis.RTCRtpReceiver.prototype;
}
