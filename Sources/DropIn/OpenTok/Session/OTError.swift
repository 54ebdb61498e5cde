public import Foundation

/// An error: `domain` and `code` as OpenTok numbers them, `localizedDescription` for people.
// unchecked: open to subclasses; an NSError does not change, and nothing is added to it.
open class OTError: NSError, @unchecked Sendable {
  convenience init(_ code: OTSessionErrorCode, _ message: String) {
    self.init(OTSessionErrorDomain, Int(code.rawValue), message)
  }

  convenience init(_ code: OTPublisherErrorCode, _ message: String) {
    self.init(OTPublisherErrorDomain, Int(code.rawValue), message)
  }

  convenience init(_ code: OTSubscriberErrorCode, _ message: String) {
    self.init(OTSubscriberErrorDomain, Int(code.rawValue), message)
  }

  convenience init(_ domain: String, _ code: Int, _ message: String) {
    self.init(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: message])
  }

  /// The domain, the code and the sentence.
  open override var description: String { "\(domain) \(code): \(localizedDescription)" }

  /// The same error as one of a publisher, where those have its number; else it stays one of the session.
  var ofPublisher: OTError {
    let isKnown = OTPublisherErrorCode(rawValue: Int32(clamping: code)) != nil
    return isKnown ? OTError(OTPublisherErrorDomain, code, localizedDescription) : self
  }

  /// The same error as one of a subscriber, where those have its number; else it stays one of the session.
  var ofSubscriber: OTError {
    let isKnown = OTSubscriberErrorCode(rawValue: Int32(clamping: code)) != nil
    return isKnown ? OTError(OTSubscriberErrorDomain, code, localizedDescription) : self
  }

  /// The same error with the number that version 1 gave it.
  func asLegacy() -> OTError { OTError(domain, OTLegacyErrorCode.number(of: code, in: domain), localizedDescription) }

  /// Hands a synchronous error out.
  static func put(_ problem: OTError?, _ place: UnsafeMutablePointer<OTError?>?) {
    if let problem { place?.pointee = problem }
  }
}

/// The domain of errors of a session.
public let OT_SESSION_ERROR_DOMAIN = "OTSessionErrorDomain"
/// The domain of errors of a publisher.
public let OT_PUBLISHER_ERROR_DOMAIN = "OTPublisherErrorDomain"
/// The domain of errors of a subscriber.
public let OT_SUBSCRIBER_ERROR_DOMAIN = "OTSubscriberErrorDomain"
/// The domain of errors of video frames.
public let OT_VIDEOKIT_ERROR_DOMAIN = "OTVideoKitErrorDomain"

/// The domain of errors of a session.
public let OTSessionErrorDomain = "OTSessionErrorDomain"
/// The domain of errors of a publisher.
public let OTPublisherErrorDomain = "OTPublisherErrorDomain"
/// The domain of errors of a subscriber.
public let OTSubscriberErrorDomain = "OTSubscriberErrorDomain"
/// The domain of errors of video frames.
public let OTVideoKitErrorDomain = "OTVideoKitErrorDomain"
