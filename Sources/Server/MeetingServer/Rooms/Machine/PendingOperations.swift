import Meetings
import SFU
import Signaling

/// Operations that have begun and wait for the media plane or the disk.
struct PendingOperations {
  /// A join request whose session is reserved.
  struct Join {
    var request: JoinRequest
    var member: RoomMember
    var tracks: [MediaTrack]
    /// Why one of its tracks was refused.
    var refusedTrack: String?
    var actions: [AuditedAction]
    var answer: OfferAnswer?
  }

  /// An offer of a participant.
  struct Offer {
    var offer: ClientMessage.Offer
    var tracks: [MediaTrack]
    var member: RoomMember
    var channel: RoomChannel
  }

  /// A request that needs audit entries before it is carried out.
  enum Request {
    case member(MemberRequest, audited: AuditedAction)
    /// Admits or denies people in the lobby. `isCut` when more were meant than fit in.
    case lobby(LobbyDecision, [RoomEvent.Person], isCut: Bool)
  }

  /// A request, the member who sent it, and the socket of the answer.
  struct Asked {
    var request: Request
    var id: Int?
    var member: RoomMember
    var channel: RoomChannel
  }

  private var lastToken: UInt64 = 0
  private var offers: [UInt64: Offer] = [:]
  private var requests: [UInt64: Asked] = [:]
  /// By the participant's id.
  var joins: [String: Join] = [:]

  mutating func add(_ offer: Offer) -> UInt64 {
    lastToken += 1
    offers[lastToken] = offer
    return lastToken
  }

  mutating func add(_ asked: Asked) -> UInt64 {
    lastToken += 1
    requests[lastToken] = asked
    return lastToken
  }

  mutating func removeOffer(_ token: UInt64) -> Offer? { offers.removeValue(forKey: token) }
  mutating func removeRequest(_ token: UInt64) -> Asked? { requests.removeValue(forKey: token) }
}

/// A host's decision about participants in the lobby.
enum LobbyDecision: String {
  case admit, deny
}
