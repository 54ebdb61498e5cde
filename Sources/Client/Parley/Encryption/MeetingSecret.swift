import Basics
import Crypto
import Encryption
import Signaling

/// The link secret of a meeting and what belongs to it. It lasts over rejoins, which each have keys of their own.
@MainActor final class MeetingSecret {
  /// How long a message waits for its key, which takes another way through the server.
  static let patience = TimeSpan.seconds(5)
  /// Most messages that wait.
  static let maximumHeld = 256

  /// A message whose key is lacking.
  struct Held {
    enum Message {
      case chat(ChatEntry, isHistory: Bool)
      case signal(Signal)
      case data(ReceivedData)
    }

    let message: Message
    let sender: String
    let end: Instant
  }

  let secret: LinkSecret
  /// The key that people compare: the lasting one, or one of this meeting and of no other.
  private var identity: Ed25519.PrivateKey?
  /// The keys of the connection under way.
  var ring: KeyRing?
  var messages = MessageSealing()
  var files = SealedFiles()
  var polls = SealedPolls()
  /// The names that others have signed, by id.
  var names: [String: String] = [:]
  /// The identities of others in the connection under way, by id.
  var identities: [String: ParticipantIdentity] = [:]
  /// The identities that were recognised, with the names that they had then; they stay over rejoins.
  var recognised: [Ed25519.PublicKey: (name: String, identity: ParticipantIdentity)] = [:]
  /// By the last welcome.
  var meetingID: String?
  var held: [Held] = []
  /// Chat messages and signals on their way, sealed, by their numbers.
  private var outgoing: [Int: ClientMessage] = [:]

  /// The secret, with a guest's key where there is no `identity`.
  init(_ secret: LinkSecret, identity: LastingIdentity? = nil) {
    self.secret = secret
    self.identity = identity?.key
  }

  /// The key that others know this client by, once there is one.
  var publicKey: Ed25519.PublicKey? { identity?.publicKey }

  func makeIdentity() throws(CryptoError) -> Ed25519.PrivateKey {
    if let identity { return identity }
    let made = try Ed25519.PrivateKey()
    identity = made
    return made
  }

  /// Another connection begins, with keys of its own.
  func makeRing() -> KeyRing {
    let made = KeyRing()
    ring = made
    outgoing = [:]
    held = []
    names = [:]
    identities = [:]
    polls.rejoin()
    return made
  }

  /// Seals what is sent under a number, once.
  func sealed(_ id: Int, _ make: (inout MessageSealing, KeyRing) throws(FrameDrop) -> ClientMessage) -> ClientMessage? {
    if let known = outgoing[id] { return known }
    guard let ring, let message = try? make(&messages, ring) else { return nil }
    outgoing[id] = message
    return message
  }

  func forget(_ id: Int) { outgoing[id] = nil }
}
