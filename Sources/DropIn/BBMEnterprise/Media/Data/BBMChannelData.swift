// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation

/// The content of a data channel, as far as it has come.
@preconcurrency @MainActor public final class BBMChannelData: BBMObject {
  public let type: BBMDataChannelType
  /// The description that the sender gave, or a file's name; nil when there is none.
  public let name: String!
  /// The bytes, when they are all there. Of a stream, those that have come with this call. Nil for files.
  public internal(set) var data: Data!
  /// The file, when it is all there. It is a temporary one: move it.
  public internal(set) var filePath: String!
  /// The part that is there, 0 to 1; always 1 for streams.
  public internal(set) var progress = 0.0
  /// Whether everything is there. Always true for streams.
  public internal(set) var transferComplete = false

  init(_ type: BBMDataChannelType, name: String?) {
    self.type = type
    self.name = name
    super.init()
  }
}
