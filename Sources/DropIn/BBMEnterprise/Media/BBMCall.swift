// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation
import Messaging

/// A voice or video call. Its properties can be observed by an ``ObservableMonitor``.
@preconcurrency @MainActor public final class BBMCall: BBMObject {
  /// The number of the other identity.
  public let peerRegId: String!
  public let incoming: Bool
  /// Whether the other side does not hear this one.
  @BBMObserved public internal(set) var muted = false
  /// When media began to flow, in seconds since 1970; 0 before, and for calls in which it never did.
  @BBMObserved public internal(set) var connectedTime: TimeInterval = 0
  /// Whether nobody answered this incoming call.
  @BBMObserved public internal(set) var missed = false
  @BBMObserved public internal(set) var declined = false
  /// Whether the call ended by an error; ``failureReason`` is why.
  @BBMObserved public internal(set) var failed = false
  /// Whether video can be sent in it.
  @BBMObserved public internal(set) var videoSupported = true
  @BBMObserved public internal(set) var logType = kCallLogNone
  @BBMObserved public internal(set) var failureReason = kMediaErrorNoError
  /// How well media flows; unknown before the call is connected.
  @BBMObserved public internal(set) var quality = kCallQualityUnknown

  let id: CallID

  init(_ id: CallID, peer: RegID, incoming: Bool) {
    self.id = id
    peerRegId = "\(peer.value)"
    self.incoming = incoming
    super.init()
  }
}

/// The same by its name until release 7.
public typealias BBMECall = BBMCall
