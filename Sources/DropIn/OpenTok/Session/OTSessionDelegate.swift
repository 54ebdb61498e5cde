/// Receives the events of a session, on ``OTSession/apiQueue``. The names of every version are here; those that an app
/// does not implement do nothing.
///
/// A session made as in version 1 (``OTSession/init(sessionId:andDelegate:)``) reports streams with
/// `session(_:didReceive:)` and `session(_:didDrop:)`, its own ones included. Any other session does so with
/// `session(_:streamCreated:)` and `session(_:streamDestroyed:)`, for those of others only.
public protocol OTSessionDelegate: AnyObject {
  /// The session is connected.
  func sessionDidConnect(_ session: OTSession)
  /// The session is not connected any more: by this client, by the server, or since a lost connection did not come
  /// back.
  func sessionDidDisconnect(_ session: OTSession)
  /// The session could not be connected, or its connection was lost permanently.
  func session(_ session: OTSession, didFailWithError error: OTError)

  /// There is a stream of somebody else.
  func session(_ session: OTSession, streamCreated stream: OTStream)
  /// Somebody else's stream has ended.
  func session(_ session: OTSession, streamDestroyed stream: OTStream)

  /// Somebody else has connected, or was connected before.
  func session(_ session: OTSession, connectionCreated connection: OTConnection)
  /// Somebody else has disconnected.
  func session(_ session: OTSession, connectionDestroyed connection: OTConnection)
  /// A signal has come. `connection` is nil for one of the app's server.
  func session(
    _ session: OTSession, receivedSignalType type: String?, from connection: OTConnection?, with string: String?)
  /// Somebody records the session: a participant whose token has the role `recorder`. The id is that of their
  /// connection, the name theirs.
  func session(_ session: OTSession, archiveStartedWithId archiveId: String, name: String?)
  /// The participant who records has left.
  func session(_ session: OTSession, archiveStoppedWithId archiveId: String)
  /// The connection was lost and is being brought back.
  func sessionDidBeginReconnecting(_ session: OTSession)
  /// The lost connection is back.
  func sessionDidReconnect(_ session: OTSession)
  /// A moderator has muted everybody, or lifted that.
  func session(_ session: OTSession, muteForced info: OTMuteForcedInfo)
  /// The same, in the spelling of some wrappers.
  func session(_ session: OTSession, info: OTMuteForcedInfo)

  /// Version 1: there is a stream, perhaps an own one.
  func session(_ session: OTSession, didReceive stream: OTStream)
  /// Version 1, spelled out.
  func session(_ session: OTSession, didReceiveStream stream: OTStream)
  /// Version 1: a stream has ended.
  func session(_ session: OTSession, didDrop stream: OTStream)
  /// Version 1, spelled out.
  func session(_ session: OTSession, didDropStream stream: OTStream)
}

extension OTSessionDelegate {
  public func session(_ session: OTSession, streamCreated stream: OTStream) {}
  public func session(_ session: OTSession, streamDestroyed stream: OTStream) {}
  public func session(_ session: OTSession, connectionCreated connection: OTConnection) {}
  public func session(_ session: OTSession, connectionDestroyed connection: OTConnection) {}
  public func session(
    _ session: OTSession, receivedSignalType type: String?, from connection: OTConnection?, with string: String?
  ) {}
  public func session(_ session: OTSession, archiveStartedWithId archiveId: String, name: String?) {}
  public func session(_ session: OTSession, archiveStoppedWithId archiveId: String) {}
  public func sessionDidBeginReconnecting(_ session: OTSession) {}
  public func sessionDidReconnect(_ session: OTSession) {}
  public func session(_ session: OTSession, muteForced info: OTMuteForcedInfo) {}
  public func session(_ session: OTSession, info: OTMuteForcedInfo) {}
  public func session(_ session: OTSession, didReceive stream: OTStream) {}
  public func session(_ session: OTSession, didReceiveStream stream: OTStream) {}
  public func session(_ session: OTSession, didDrop stream: OTStream) {}
  public func session(_ session: OTSession, didDropStream stream: OTStream) {}
}
