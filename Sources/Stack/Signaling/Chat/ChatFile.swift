/// A file that hangs on a chat message. It is fetched over HTTP, with the member's resume token (`docs/protocol.md`).
public struct ChatFile: Sendable, Hashable, Codable {
  /// Names it on the server, `f_…`; random.
  public var id: String
  /// What to call it, cleaned by the server: no folder, no control characters, no direction marks.
  public var name: String
  /// Its media type, judged by the server from the content and never from the name.
  public var type: String
  /// How many bytes it has.
  public var size: Int

  /// A file.
  public init(id: String, name: String, type: String, size: Int) {
    self.id = id
    self.name = name
    self.type = type
    self.size = size
  }

  /// The types of pictures that browsers show without running anything. Every other file is only ever saved.
  public static let pictures: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]

  /// Whether it may be shown in place.
  public var isPicture: Bool { Self.pictures.contains(type) }
}
