import Basics
import Media
import RTC

/// An event of a ``MediaSession`` for its meeting.
enum SessionEvent: Sendable {
  /// ICE and DTLS are done: media can flow. Only once a session.
  case connected(SessionTimes)
  /// The path that media takes changed; nil when there is none.
  case pathChanged(IcePath?)
  /// The other side has been silent, or consent is lost: another path is needed.
  case interrupted
  /// This machine lost the address of the path in use, which may be dead without anybody saying so.
  case networkChanged
  /// Media flows again after ``interrupted``.
  case restored
  /// No path works, the handshake failed, or the other side closed: only a rejoin can help.
  case failed(String)
  /// A STUN or TURN server cannot be used. Other ways may still work, unless `isLast`: media is to be relayed, and no
  /// TURN server is left.
  case serverFailed(url: String, TurnError, isLast: Bool)
  /// The first media packet came.
  case firstPacket(Instant)
  /// A message of another participant on a data channel.
  case data(ReceivedData)
  /// The server closed the reliable data channel: what it did not deliver is lost. The channel is opened again.
  case dataLost
  /// A data channel has opened, or has room again after it was full.
  case dataWanted
  /// The keys have messages to send, or have changed.
  case keysWanted
}

/// When the phases of a connection were over, on the monotonic clock.
struct SessionTimes: Sendable {
  var pathSelected: Instant?
  var connected: Instant?
}

/// A message on a data channel, before its sender is looked up.
struct ReceivedData: Sendable {
  var from: String
  var topic: String
  var bytes: [UInt8]
  var isReliable: Bool
}

/// The codecs and features that a session starts with.
struct SessionConfiguration: Sendable {
  var codecs: [Codec] = [.opus, .vp8, .vp9, .h264, .av1]
  /// As ``JoinOptions/receivedVideoCodecs``.
  var receivedVideoCodecs: [Codec]?
  /// Whether audio may come with earlier packets (RED, RFC 2198), which the server adds where the path loses some.
  var takesRedundancy = true
  var iceServers: [IceServer] = []
  var usesOnlyRelays = false
  var audioSlots = 4
  var videoSlots = 4
  /// The keys of an encrypted meeting: everything is sealed and opened with them. Nil for a meeting that is not.
  var keys: KeyRing?

  /// The codecs that slots can carry.
  var slotCodecs: [Codec] {
    let chosen = receivedVideoCodecs?.filter { $0.kind == .video && VideoCodecFactory.decodable.contains($0) } ?? []
    let received = chosen.isEmpty ? codecs : codecs.filter { $0.kind == .audio } + chosen
    // A server that adds earlier sound to a packet would have to read it.
    return received + (takesRedundancy && keys == nil ? [.red] : [])
  }
}
