// The session of a subscriber and of a stream needs no unwrapping.
import OpenTok

protocol RoomMember: AnyObject {
  var session: OTSession { get }
}

extension OTSubscriberKit: RoomMember {}
extension OTStream: RoomMember {}

enum Rooms {
  static func name(_ subscriber: OTSubscriberKit, _ stream: OTStream) -> String {
    let session: OTSession = subscriber.session
    return session.sessionId + stream.session.sessionId
  }
}
