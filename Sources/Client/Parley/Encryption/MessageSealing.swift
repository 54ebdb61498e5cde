import Basics
import Crypto
import Encryption
import FoundationEssentials
import Signaling

/// Chat messages, signals and data of an encrypted meeting: their content under the sender's message track.
///
/// A chat text is `{"t": text}`, a message about a file `{"f": {"i": id, "n": name, "m": type, "s": size, "k": key}}`,
/// a signal `{"s": type, "d": data}`, data stands behind a byte of zero. Each kind has a form of its own, so that the
/// server can pass none off as another.
struct MessageSealing {
  /// The text in place of a message that does not open.
  static let unreadable = "A message that this device cannot read."
  /// Bytes that data gains at most.
  static let overhead = 40
  /// Most texts that are remembered.
  private static let maximumTexts = 4_000
  private static let dataMark: UInt8 = 0

  /// The content of a chat message.
  enum ChatContent: Equatable {
    case text(String)
    case file(SealedFile)
  }

  private struct ChatForm: Codable {
    struct File: Codable {
      var i: String
      var n: String
      var m: String
      var s: Int
      var k: String
    }

    var t: String?
    var f: File?

    init(_ content: ChatContent) {
      switch content {
      case .text(let text): t = text
      case .file(let sealed):
        let file = sealed.file
        f = File(i: file.id, n: file.name, m: file.type, s: file.size, k: sealed.key.text)
      }
    }

    /// Nil for a form of neither kind, or of both.
    var content: ChatContent? {
      switch (t, f) {
      case (let text?, nil): .text(text)
      case (nil, let f?): SealedFile(id: f.i, name: f.n, type: f.m, size: f.s, key: f.k).map { .file($0) }
      case (nil, nil), (_?, _?): nil
      }
    }
  }

  private struct SignalContent: Codable, Hashable {
    var s: String
    var d: String
  }

  /// A text that was sealed or opened. Its seal is for one message of one sender, however often the server shows it.
  private struct Known {
    let sender: String
    let content: ChatContent
    var message: Int?
  }

  /// Texts by their sealed form: a seal opens once, and a history repeats messages. Own ones come back, too.
  private var chat: [String: Known] = [:]
  private var order: [String] = []
  /// Own signals that have not come back.
  private var signals: [String: SignalContent] = [:]

  private mutating func remember(_ known: Known, as sealed: String) {
    guard chat.updateValue(known, forKey: sealed) == nil else { return }
    order.append(sealed)
    guard order.count > 2 * Self.maximumTexts else { return }
    for old in order.prefix(Self.maximumTexts) { chat[old] = nil }
    order.removeFirst(Self.maximumTexts)
  }

  // MARK: Sealing

  /// The sealed text of a chat message of `sender`, who is this client.
  mutating func seal(chat text: String, of sender: String, with ring: KeyRing, now: Instant) throws(FrameDrop)
    -> String
  {
    try seal(.text(text), of: sender, with: ring, now: now)
  }

  /// The sealed text of the message about a file of `sender`, who is this client.
  mutating func seal(file: SealedFile, of sender: String, with ring: KeyRing, now: Instant) throws(FrameDrop) -> String
  {
    try seal(.file(file), of: sender, with: ring, now: now)
  }

  private mutating func seal(
    _ content: ChatContent, of sender: String, with ring: KeyRing, now: Instant
  ) throws(FrameDrop) -> String {
    let sealed = try sealText(encoded(ChatForm(content)), with: ring, now: now)
    remember(Known(sender: sender, content: content, message: nil), as: sealed)
    return sealed
  }

  /// The sealed form of a signal; its type stays readable, and is sealed with the data.
  mutating func seal(_ signal: Signal, with ring: KeyRing, now: Instant) throws(FrameDrop) -> Signal {
    let content = SignalContent(s: signal.type, d: signal.data)
    let sealed = try sealText(encoded(content), with: ring, now: now)
    if signals.count >= Self.maximumTexts { signals = [:] }
    signals[sealed] = content
    return Signal(type: signal.type, data: sealed)
  }

  /// The sealed payload of a data message.
  func seal(_ payload: [UInt8], with ring: KeyRing, now: Instant) throws(FrameDrop) -> [UInt8] {
    try seal(content: [Self.dataMark] + payload, with: ring, now: now)
  }

  private func seal(content: [UInt8], with ring: KeyRing, now: Instant) throws(FrameDrop) -> [UInt8] {
    var sealed: [UInt8] = []
    sealed.reserveCapacity(content.count + Self.overhead)
    try ring.seal(content.span, codec: .opaque, track: KeyRing.messageTrack, now: now, appendingTo: &sealed)
    return sealed
  }

  private func sealText(_ content: [UInt8], with ring: KeyRing, now: Instant) throws(FrameDrop) -> String {
    Base64URL.encode(try seal(content: content, with: ring, now: now))
  }

  private func encoded(_ content: some Encodable) throws(FrameDrop) -> [UInt8] {
    guard let bytes = Self.encoded(content) else { throw .malformed }
    return bytes
  }

  private static func encoded(_ content: some Encodable) -> [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(content)).map { Array($0) }
  }

  /// Whether the server takes a chat message once it is sealed. Quotation marks and line breaks take two bytes each.
  static func fits(chat text: String) -> Bool {
    fits(encoded(ChatForm(.text(text))), SignalingLimits.sealedChatBytes)
  }

  /// Whether the server takes a signal once it is sealed, with its type.
  static func fits(_ signal: Signal) -> Bool {
    fits(encoded(SignalContent(s: signal.type, d: signal.data)), Signal.maximumSealedData)
  }

  private static func fits(_ content: [UInt8]?, _ limit: Int) -> Bool {
    content.map { EncryptionLimits.textLength(bytes: $0.count + overhead) <= limit } ?? false
  }

  // MARK: Opening

  /// The content of a chat message.
  mutating func open(_ entry: ChatEntry, with ring: KeyRing, now: Instant) throws(FrameDrop) -> ChatContent {
    if var known = chat[entry.text] {
      guard known.sender == entry.from, known.message ?? entry.id == entry.id else { throw .refused(.replayed) }
      known.message = entry.id
      chat[entry.text] = known
      return known.content
    }
    let bytes = try openText(entry.text, from: entry.from, with: ring, now: now)
    guard let content = (try? JSONDecoder().decode(ChatForm.self, from: Data(bytes)))?.content else {
      throw .malformed
    }
    remember(Known(sender: entry.from, content: content, message: entry.id), as: entry.text)
    return content
  }

  /// A signal of `sender`; `own` is this client, whose signals come back to it once.
  mutating func open(
    _ signal: Signal, from sender: String, own: String, with ring: KeyRing, now: Instant
  ) throws(FrameDrop) -> Signal {
    let content: SignalContent
    if sender == own, let sent = signals.removeValue(forKey: signal.data) {
      content = sent
    } else {
      let bytes = try openText(signal.data, from: sender, with: ring, now: now)
      guard let read = try? JSONDecoder().decode(SignalContent.self, from: Data(bytes)) else { throw .malformed }
      content = read
    }
    guard content.s == signal.type else { throw .malformed }
    return Signal(type: content.s, data: content.d)
  }

  /// The payload of a data message.
  func open(_ payload: [UInt8], from sender: String, with ring: KeyRing, now: Instant) throws(FrameDrop) -> [UInt8] {
    let content = try open(sealed: payload, from: sender, with: ring, now: now)
    guard content.first == Self.dataMark else { throw .malformed }
    return Array(content.dropFirst())
  }

  private func open(sealed: [UInt8], from sender: String, with ring: KeyRing, now: Instant) throws(FrameDrop) -> [UInt8]
  {
    var content: [UInt8] = []
    try ring.open(
      sealed.span, codec: .opaque, from: ParticipantID(rawValue: sender), source: .chat, now: now,
      appendingTo: &content)
    return content
  }

  private func openText(
    _ sealed: String, from sender: String, with ring: KeyRing, now: Instant
  ) throws(FrameDrop) -> [UInt8] {
    guard let bytes = Base64URL.decode(sealed) else { throw .malformed }
    return try open(sealed: bytes, from: sender, with: ring, now: now)
  }
}
