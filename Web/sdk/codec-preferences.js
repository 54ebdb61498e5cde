/**
 * Orders the codecs of a transceiver.
 *
 * @param {RTCRtpTransceiver} transceiver
 * @param {"audio"|"video"} kind
 * @param {object} options
 * @param {boolean} options.isSending
 * @param {string} [options.preferred] the app's codec: `VP8`, `VP9`, `H264` or `AV1`
 * @param {{name: string, parameters?: string}|null} [options.requested] the server's codec, which comes before all
 *   others
 * @param {boolean} [options.isEncrypted] leaves redundant audio out, which the server couldn't forward as ciphertext
 */
export function preferCodecs(transceiver, kind, { isSending, preferred, requested = null, isEncrypted = false }) {
  if (typeof transceiver.setCodecPreferences !== "function") { return; }
  const codecs = RTCRtpReceiver.getCapabilities?.(kind)?.codecs;
  if (!codecs) { return; }
  const usual = kind === "audio" ? (isEncrypted ? opusRank : audioRank) : videoRank(preferred, isSending);
  const rank = requested === null ? usual : (codec) => requestedRank(codec, requested) ?? usual(codec);
  const chosen = codecs.filter((codec) => rank(codec) < unused);
  const sorted = chosen.map((codec, index) => ({ codec, index }))
    .sort((a, b) => rank(a.codec) - rank(b.codec) || a.index - b.index)
    .map(({ codec }) => codec);
  try { transceiver.setCodecPreferences(sorted); } catch { /* the browser's own order is as good */ }
}

/** The rank of a codec that isn't offered. */
const unused = 100;

function audioRank(codec) {
  switch (codec.mimeType.toLowerCase()) {
    case "audio/red": return 0;
    case "audio/opus": return 1;
    default: return unused;
  }
}

const opusRank = (codec) => (codec.mimeType.toLowerCase() === "audio/opus" ? 1 : unused);

/** The requested profile comes first, then other profiles of its codec; null for other codecs. */
function requestedRank(codec, { name, parameters }) {
  if (codec.mimeType.toLowerCase() !== `video/${name}`.toLowerCase()) { return null; }
  return (codec.sdpFmtpLine ?? "") === (parameters ?? "") ? -2 : -1;
}

function videoRank(preferred, isSending) {
  return (codec) => {
    const name = codec.mimeType.slice(codec.mimeType.indexOf("/") + 1).toUpperCase();
    if (name === "RTX") { return 50; }
    if (!["VP8", "VP9", "H264", "AV1"].includes(name)) { return unused; }
    // Dozens of slots with every profile would make an offer of hundreds of kilobytes.
    const parameters = codec.sdpFmtpLine ?? "";
    if (name === "VP9" && /profile-id=[1-9]/.test(parameters)) { return unused; }
    if (name === "AV1" && /profile=[1-9]/.test(parameters)) { return unused; }
    if (name === "H264" && (/packetization-mode=0/.test(parameters) || !/profile-level-id=42/i.test(parameters))) {
      return isSending ? 40 : unused;
    }
    return name === preferred ? 0 : 10;
  };
}
