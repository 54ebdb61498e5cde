// An app's protocols ask for plain optionals.
import OpenTok

protocol Tile: AnyObject {
  var view: UIView? { get }
  var stream: OTStream? { get }
}

extension OTPublisher: Tile {}
extension OTSubscriber: Tile {}

protocol Room: AnyObject {
  var sessionId: String { get }
  var connection: OTConnection? { get }
  func publish(_ publisher: OTPublisherKit, error: AutoreleasingUnsafeMutablePointer<OTError?>?)
  func subscribe(_ subscriber: OTSubscriberKit, error: AutoreleasingUnsafeMutablePointer<OTError?>?)
  func signal(
    withType type: String?, string: String?, connection: OTConnection?,
    error: AutoreleasingUnsafeMutablePointer<OTError?>?)
}

extension OTSession: Room {}
