// The session of a subscriber and of a stream needs no unwrapping.
import OpenTok

enum Rooms {
  static func name(_ subscriber: OTSubscriberKit, _ stream: OTStream) -> String {
    let session: OTSession = subscriber.session
    return session.sessionId + stream.session.sessionId
  }
}
