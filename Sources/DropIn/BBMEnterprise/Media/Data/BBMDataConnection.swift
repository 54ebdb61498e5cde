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
  /// The text that the offering side's app has added.
  public let metaData: String!
  /// Whether data can be sent.
  @BBMObserved public internal(set) var connected = false
  /// Why it has failed.
  @BBMObserved public internal(set) var failureReason = kMediaErrorNoError

  /// Gets data, texts and streams. Data that comes before it is set is dropped.
  public var dataAvailableCallback: (@MainActor (BBMChannelData?, (any Error)?) -> Void)!
  /// Gets files. Data that comes before it is set is dropped.
  public var fileAvailableCallback: (@MainActor (BBMChannelData?, (any Error)?) -> Void)!

  let id: CallID
  /// Carries the channels while the connection is there.
  private var pump: DataPump?

  init(_ id: CallID, peer: RegID, incoming: Bool, metaData: String?) {
    self.id = id
    peerRegId = "\(peer.value)"
    self.incoming = incoming
    self.metaData = metaData
    super.init()
  }

  /// Opens a stream, and gives its id; nil while the connection is not there.
  public func createDataChannel(_ description: String!) -> String! {
    open(nil) { .stream($0, name: Self.name(description)) }
  }

  /// Sends a block over a stream. Gives the stream's id, nil if there is none.
  @discardableResult public func send(
    _ data: Data!, toChannel channelId: String!, callback: (@MainActor (Double, Bool, (any Error)?) -> Void)!
  ) -> String! {
    guard let pump, let id = channelId as String?, pump.channels.send(data ?? Data(), to: id, callback) else {
      callback?(0, true, kMediaErrorCancelled)
      return nil
    }
    pump.wake()
    return id
  }

  /// Sends bytes. They are in memory on both sides. Gives the channel's id.
  @discardableResult public func send(
    _ data: Data!, description: String!, callback: (@MainActor (Double, Bool, (any Error)?) -> Void)!
  ) -> String! {
    let data: Data = data ?? Data()
    guard UInt64(data.count) <= ChannelHeader.memoryLimit else {
      callback?(0, true, kMediaErrorTooLarge)
      return nil
    }
    return open(callback) { .memory($0, kDataChannelData, name: Self.name(description), data, callback) }
  }

  /// Sends a text. It is in memory on both sides. Gives the channel's id.
  @discardableResult public func send(
    _ string: String!, description: String!, callback: (@MainActor (Double, Bool, (any Error)?) -> Void)!
  ) -> String! {
    let data = Data((string ?? "").utf8)
    guard UInt64(data.count) <= ChannelHeader.memoryLimit else {
      callback?(0, true, kMediaErrorTooLarge)
      return nil
    }
    return open(callback) { .memory($0, kDataChannelString, name: Self.name(description), data, callback) }
  }

  /// Sends a file, which has to stay as it is until it is done. Gives the channel's id.
  @discardableResult public func sendFile(
    _ path: String!, callback: (@MainActor (Double, Bool, (any Error)?) -> Void)!
  ) -> String! {
    open(callback) { .file($0, path: path ?? "", callback) }
  }

  /// Closes a channel, and cancels what of it is not sent.
  public func closeDataChannel(_ channelId: String!) {
    guard let id = channelId as String? else { return }
    pump?.channels.close(id)
    pump?.wake()
  }

  private static func name(_ description: String?) -> String? {
    description.map { ChannelHeader.cut($0) }
  }

  private func open(
    _ callback: OutgoingChannel.Callback?, _ make: (UInt32) -> OutgoingChannel?
  ) -> String? {
    guard let pump else {
      callback?(0, true, kMediaErrorCancelled)
      return nil
    }
    guard let id = pump.channels.open(make) else {
      callback?(0, true, kMediaErrorTransfer)
      return nil
    }
    pump.wake()
    return id
  }

  /// Takes what comes, once the meeting of the connection is joined.
  func follow(_ pump: DataPump) {
    self.pump = pump
    pump.channels.isTaken = { [weak self] isFile in
      guard let self else { return false }
      return isFile ? fileAvailableCallback != nil : dataAvailableCallback != nil
    }
    pump.channels.received = { [weak self] data, error in
      guard let self else { return }
      if data.type == kDataChannelFile {
        fileAvailableCallback?(data, error)
      } else {
        dataAvailableCallback?(data, error)
      }
    }
  }

  /// The connection is over.
  func close() {
    connected = false
    let ended = pump
    pump = nil
    ended?.end(failureReason == kMediaErrorNoError ? kMediaErrorCancelled : failureReason)
  }
}
