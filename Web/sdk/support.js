/**
 * Whether this browser has what a meeting needs. Devices are not part of the answer: one may join without.
 *
 * @returns {boolean}
 */
export function isSupported() {
  return typeof RTCPeerConnection === "function"
    && typeof RTCRtpTransceiver === "function"
    && "replaceTrack" in RTCRtpSender.prototype
    && typeof WebSocket === "function"
    && typeof MediaStream === "function";
}
