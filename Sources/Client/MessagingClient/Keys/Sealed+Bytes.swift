import Crypto
import Messaging

extension Sealed {
  /// The text of `bytes`.
  init(bytes: [UInt8]) { self.init(Base64URL.encode(bytes)) }

  /// The bytes of the text; nil when it isn't base64url in its only form.
  var bytes: [UInt8]? { Base64URL.decode(text) }
}
