/// Why a frame was not encrypted or decrypted. After any of these nothing was written, and the window is as it was.
public enum SFrameError: Error, Hashable, Sendable {
  /// Cut, or a number is not in its shortest form.
  case malformedHeader
  /// The header names another key than this one.
  case unknownKey
  /// The tag does not fit: damaged, forged, not encrypted at all, or under another key.
  case authenticationFailed
  /// A frame of this number was opened before. Browsers give some frames several times; that isn't an attack.
  case replayed
  /// The number lies before the window.
  case tooOld
  /// The key has reached its limit: a new one is needed.
  case keyExhausted
  /// The base key is shorter than 16 bytes.
  case keyTooShort
  /// OpenSSL refused; out of memory in practice.
  case cipherFailed
}
