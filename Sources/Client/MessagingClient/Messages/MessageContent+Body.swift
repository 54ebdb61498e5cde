import Crypto
import Encryption
import Messaging

extension MessageContent {
  private static let version: UInt8 = 1

  /// The bytes to seal: JSON, and the thumbnail as it is.
  var body: [UInt8] {
    var rest = self
    rest.thumbnail = nil
    let json = LocalJSON.encode(rest)
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.write(UInt32(truncatingIfNeeded: json.count))
    writer.write(json)
    writer.write(thumbnail.flatMap { Base64URL.decode($0) } ?? [])
    return writer.bytes
  }

  init?(body: [UInt8]) {
    var reader = ByteReader(body)
    guard let version = try? reader.read(UInt8.self), version == Self.version,
      let count = try? reader.read(UInt32.self), let json = try? reader.read(count: Int(count)),
      let content = LocalJSON.decode(MessageContent.self, from: json),
      let thumbnail = try? reader.read(count: reader.remaining)
    else { return nil }
    self = content
    if !thumbnail.isEmpty { self.thumbnail = Base64URL.encode(thumbnail) }
  }

  /// The content as far as it is within the limits, to show what was not sent.
  var cut: MessageContent {
    guard problem != nil else { return self }
    var cut = MessageContent(tag: String(tag.prefix(100)))
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: (text ?? "").unicodeScalars.prefix(Self.maximumTextScalars))
    cut.text = text.map { _ in String(scalars) }
    return cut
  }

  /// Why the service, or another app, would not take it; nil when it is fine.
  var problem: MessengerError? {
    if let data, !LocalJSON.isObject(data) { return .badData }
    if let thumbnail, Base64URL.decode(thumbnail) == nil { return .badData }
    let bytes = (text?.utf8.count ?? 0) + (data?.utf8.count ?? 0) + (thumbnail?.utf8.count ?? 0) * 3 / 4
    guard (text?.unicodeScalars.count ?? 0) <= Self.maximumTextScalars, bytes <= Self.maximumBytes else {
      return .tooLarge
    }
    // Header, seal and signature take up to 2 KiB.
    return (body.count + 2_048) * 4 / 3 <= MessagingLimits.bodyCharacters ? nil : .tooLarge
  }
}
