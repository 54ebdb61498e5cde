import Encryption
import Messaging

/// A call with what its media needs.
struct CallRecord: Sendable {
  var call: Call
  var secret: LinkSecret
  /// The keys that the offer was sealed to, or signed by. Keys that come later have no part in the call.
  var peerKeys: IdentityPublicKeys
  var grant: MeetingGrant?
  /// The endpoint of the other side.
  var endpoint: EndpointID?
  /// The step that has ended the call here, while the service has not confirmed it.
  var owedStep: CallStep?
  /// Whether ``owedStep`` waits for its answer.
  var isOwedStepUnderWay = false

  var meeting: CallMeeting? {
    grant.map { CallMeeting(room: $0.room, token: $0.token, secret: secret) }
  }
}

/// The sealed part of an offer.
struct CallOffer: Codable {
  var secret: String
  var metadata: String?
}

/// The sealed part of a step.
struct CallNote: Codable {
  var step: CallStep
  var text: String?
}
