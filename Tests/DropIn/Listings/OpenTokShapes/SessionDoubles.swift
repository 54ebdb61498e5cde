// A session that tests of an app put in the place of a real one.
import OpenTok

class SessionDouble: OTSession {
  var calls: [String] = []
  override var sessionConnectionStatus: OTSessionConnectionStatus { .connected }
  override var connection: OTConnection? { ConnectionDouble(id: "own") }
  override var capabilities: OTSessionCapabilities? {
    OTSessionCapabilities(canPublish: true, canSubscribe: true, canForceMute: false, canForceDisconnect: false)
  }
  override func connect(withToken token: String, error: AutoreleasingUnsafeMutablePointer<OTError?>?) {
    calls.append("connect \(token)")
  }
  override func disconnect(_ error: AutoreleasingUnsafeMutablePointer<OTError?>?) { calls.append("disconnect") }
  override func publish(_ publisher: OTPublisherKit, error: AutoreleasingUnsafeMutablePointer<OTError?>?) {
    calls.append("publish")
  }
  override func subscribe(_ subscriber: OTSubscriberKit, error: AutoreleasingUnsafeMutablePointer<OTError?>?) {
    error?.pointee = OTError(domain: OT_SESSION_ERROR_DOMAIN, code: 1011, userInfo: nil)
  }
  override func signal(
    withType type: String?, string: String?, connection: OTConnection?,
    error: AutoreleasingUnsafeMutablePointer<OTError?>?
  ) { calls.append("signal \(type ?? "")") }
  override func forceMuteAll(_ excludedStreams: [OTStream]?, error: AutoreleasingUnsafeMutablePointer<OTError?>?) {
    calls.append("mute")
  }
  override func forceMuteStream(_ stream: OTStream, error: AutoreleasingUnsafeMutablePointer<OTError?>?) {
    calls.append("mute \(stream.streamId)")
  }
}

/// With an initialiser of its own, which calls one of the SDK's.
class NamedSession: OTSession {
  let name: String
  init?(name: String, delegate: OTSessionDelegate?) {
    self.name = name
    super.init(apiKey: "100", sessionId: name, delegate: delegate)
  }
}
