/// A file that hangs on a chat message. It is fetched over HTTP, with the member's resume token (`docs/protocol.md`).
public struct ChatFile: Sendable, Hashable, Codable {
  /// Names it on the server, `f_…`; random.
  public var id: String
  /// The file's name, cleaned by the server: no folder, no control characters, no direction marks. In encrypted
  /// meetings the server has a neutral name, and clients clean the one in the sealed message.
  public var name: String
  /// Its media type, judged by the server from the content and never from the name.
  public var type: String
  /// How many bytes it has.
  public var size: Int

  public init(id: String, name: String, type: String, size: Int) {
    self.id = id
    self.name = name
    self.type = type
    self.size = size
  }

  /// The types of images that browsers show without running anything. Every other file is only ever saved.
  public static let pictures: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]

  /// The type of files that are only ever saved.
  public static let unknownType = "application/octet-stream"

  /// A file of an encrypted meeting, as the server knows it.
  public static func sealed(id: String, size: Int) -> ChatFile {
    ChatFile(id: id, name: "file", type: unknownType, size: size)
  }

  /// The type of an image that begins with `head`, and ``unknownType`` for everything else.
  public static func type(beginningWith head: some Collection<UInt8>) -> String {
    let head = Array(head.prefix(12))
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if head.starts(with: Array("GIF87a".utf8)) || head.starts(with: Array("GIF89a".utf8)) { return "image/gif" }
    if head.starts(with: Array("RIFF".utf8)), head.dropFirst(8).elementsEqual(Array("WEBP".utf8)) {
      return "image/webp"
    }
    return unknownType
  }

  /// Whether it may be shown in place.
  public var isPicture: Bool { Self.pictures.contains(type) }
}
