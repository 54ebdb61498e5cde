// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation
import Messaging

/// A connection over which two endpoints send each other data, end-to-end encrypted.
///
/// ```swift
/// connection.fileAvailableCallback = { file, error in
///   if let file, file.transferComplete { move(file.filePath) }
/// }
/// connection.sendFile(path) { progress, done, error in print(progress) }
/// ```
///
/// Each callback gets the part that is there, 0 to 1, whether it is the last call, and the error if there is one. A
/// transfer is done when the other side has all of it and its hash is right.
@preconcurrency @MainActor public final class BBMDataConnection: BBMObject {
  /// The number of the other identity.
  public let peerRegId: String!
  /// Whether the other side has offered it.
  public let incoming: Bool
  /// What the offering side's app has added to the offer.
  public let metaData: String!
  /// Whether data can be sent.
  @BBMObserved public internal(set) var connected = false
  /// Why it has failed.
  @BBMObserved public internal(set) var failureReason = kMediaErrorNoError

  /// Gets data, texts and streams. What comes before it is set is dropped.
  public var dataAvailableCallback: (@MainActor (BBMChannelData?, (any Error)?) -> Void)!
  /// Gets files. What comes before it is set is dropped.
  public var fileAvailableCallback: (@MainActor (BBMChannelData?, (any Error)?) -> Void)!

  let id: CallID

  init(_ id: CallID, peer: RegID, incoming: Bool, metaData: String?) {
    self.id = id
    peerRegId = "\(peer.value)"
    self.incoming = incoming
    self.metaData = metaData
    super.init()
  }

  /// Opens a stream, and gives its id; nil while the connection is not there.
  public func createDataChannel(_ description: String!) -> String! { nil }

  /// Sends a block over a stream. Gives the stream's id.
  @discardableResult public func send(
    _ data: Data!, toChannel channelId: String!, callback: (@MainActor (Double, Bool, (any Error)?) -> Void)!
  ) -> String! { nil }

  /// Sends bytes. They are in memory on both sides. Gives the channel's id.
  @discardableResult public func send(
    _ data: Data!, description: String!, callback: (@MainActor (Double, Bool, (any Error)?) -> Void)!
  ) -> String! { nil }

  /// Sends a text. It is in memory on both sides. Gives the channel's id.
  @discardableResult public func send(
    _ string: String!, description: String!, callback: (@MainActor (Double, Bool, (any Error)?) -> Void)!
  ) -> String! { nil }

  /// Sends a file, which has to stay as it is until it is done. Gives the channel's id.
  @discardableResult public func sendFile(
    _ path: String!, callback: (@MainActor (Double, Bool, (any Error)?) -> Void)!
  ) -> String! { nil }

  /// Closes a channel, and cancels what of it is not sent.
  public func closeDataChannel(_ channelId: String!) {}
}
