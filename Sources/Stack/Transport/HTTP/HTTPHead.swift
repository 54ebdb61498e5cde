/// The head of a request: its request line and header fields, as they came (RFC 9112 sections 3 and 5).
struct HTTPHead: Sendable, Equatable {
  var method = ""
  var target = ""
  var version = ""
  /// Names in lower case; repeated fields are joined into one list (RFC 9110 section 5.3).
  var headers = HTTPHeaders()
}

/// Why a head is refused: two readers of it, such as a proxy and this server, could read it differently (RFC 9112
/// section 11.2).
enum HTTPHeadFault: Sendable, Equatable {
  case tooLong(limit: Int)
  case bareLineBreak
  case controlCharacter
  case requestLine
  case encodedLineBreak
  case foldedLine
  case spaceBeforeColon
  case fieldName
  case ambiguousName(String)
  case repeated(String)
  case lengthAndEncoding
  case noHost
  case badHost
  case misread

  /// The stable code of the answer.
  var code: String {
    switch self {
    case .tooLong, .requestLine, .encodedLineBreak, .misread: "badRequest"
    case .bareLineBreak, .controlCharacter, .foldedLine, .spaceBeforeColon, .fieldName, .ambiguousName, .repeated,
      .lengthAndEncoding, .noHost:
      "badHeader"
    case .badHost: "badHost"
    }
  }

  /// The fault and the expected form, as a sentence.
  var sentence: String {
    switch self {
    case .tooLong(let limit): "The request cannot be read: its request line and headers have more than \(limit) bytes."
    case .bareLineBreak:
      "A line of the request's head does not end in CR LF. Send both after each line, and neither within one."
    case .controlCharacter: "The request's head has a control character. Text, and tabs in values, are expected."
    case .requestLine:
      "The request cannot be read. Expected are a method, an address and HTTP/1.1, with one space between them."
    case .encodedLineBreak:
      "The request line's address has an encoded line break or zero byte (%0A, %0D, %00): send such text in the body."
    case .foldedLine: "A header line begins with white space. Send each header in one line."
    case .spaceBeforeColon: "A header has white space before its colon. The colon follows the name at once."
    case .fieldName:
      "A header line has no name that is allowed. A name of letters, digits or !#$%&'*+-.^_`|~ and a colon are expected."
    case .ambiguousName(let name):
      "The header \(name) is not served here: its name is the beginning of another's. Leave it out or rename it."
    case .repeated(let name): "The header \(name) comes more than once. Send it once."
    case .lengthAndEncoding:
      "The request has Content-Length and Transfer-Encoding. Send the body with a Content-Length alone."
    case .noHost: "The request names no host. HTTP/1.1 expects one Host header."
    case .badHost: "The Host header is not a host name with an optional port."
    case .misread: "The request cannot be read: its parts contradict each other."
    }
  }

  var response: HTTPResponse { .refusal(sentence, status: 400, code: code) }
}

/// Reads a head from bytes that come in pieces, and stops at the first byte that isn't part of one.
///
/// It is stricter than RFC 9112 demands where the standard leaves a choice: every reader understands an accepted head
/// in the same way.
struct HTTPHeadParser {
  enum State: Equatable {
    case incomplete
    case complete
    case malformed(HTTPHeadFault)
  }

  private(set) var state = State.incomplete
  private(set) var head = HTTPHead()
  /// Bytes that were taken; those after the head's end are not.
  private(set) var count = 0
  private let limit: Int
  /// Whether a name is one that libwebsockets would read on after (``AmbiguousNames``).
  private let isAmbiguous: (String) -> Bool
  private var line: [UInt8] = []
  private var sawReturn = false
  private var hasRequestLine = false
  private var hasHost = false

  /// - Parameters:
  ///   - limit: The most bytes of a head.
  ///   - isAmbiguous: Whether the server's library confuses a field of this name, in lower case, with its neighbour.
  init(limit: Int, isAmbiguous: @escaping (String) -> Bool = { _ in false }) {
    self.limit = limit
    self.isAmbiguous = isAmbiguous
  }

  /// The method, once a space has ended it.
  var method: String? {
    if hasRequestLine { return head.method }
    return line.firstIndex(of: 0x20).map { String(decoding: line[..<$0], as: UTF8.self) }
  }

  /// Takes what has come next, up to the head's end or what is wrong with it.
  mutating func parse(_ bytes: Span<UInt8>) {
    var index = 0
    while state == .incomplete, index < bytes.count {
      take(bytes[index])
      index += 1
    }
  }

  private mutating func take(_ byte: UInt8) {
    guard count < limit else { return fail(.tooLong(limit: limit)) }
    count += 1
    if sawReturn {
      guard byte == 0x0A else { return fail(.bareLineBreak) }
      sawReturn = false
      endLine()
      line.removeAll(keepingCapacity: true)
      return
    }
    switch byte {
    case 0x0D: sawReturn = true
    case 0x0A: fail(.bareLineBreak)
    case 0x20 where line.isEmpty, 0x09 where line.isEmpty: fail(hasRequestLine ? .foldedLine : .requestLine)
    case 0x09 where hasRequestLine: line.append(byte)
    case 0..<0x20, 0x7F: fail(.controlCharacter)
    default: line.append(byte)
    }
  }

  private mutating func fail(_ fault: HTTPHeadFault) { state = .malformed(fault) }

  private mutating func endLine() {
    if !hasRequestLine { return endRequestLine() }
    if line.isEmpty { return finish() }
    guard let colon = line.firstIndex(of: 0x3A) else { return fail(.fieldName) }
    let name = line[..<colon]
    guard !name.isEmpty, name.allSatisfy(Self.isTokenByte) else {
      return fail(name.last == 0x20 || name.last == 0x09 ? .spaceBeforeColon : .fieldName)
    }
    var value = line[(colon + 1)...]
    while value.first == 0x20 || value.first == 0x09 { value.removeFirst() }
    while value.last == 0x20 || value.last == 0x09 { value.removeLast() }
    add(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
  }

  private mutating func endRequestLine() {
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(Self.isTokenByte), !parts[1].isEmpty,
      !parts[1].contains(0x23), parts[2].starts(with: Array("HTTP/".utf8))
    else { return fail(.requestLine) }
    head.method = String(decoding: parts[0], as: UTF8.self)
    head.target = String(decoding: parts[1], as: UTF8.self)
    head.version = String(decoding: parts[2], as: UTF8.self)
    guard !Self.hasEncodedLineBreak(parts[1]) else { return fail(.encodedLineBreak) }
    hasRequestLine = true
  }

  private mutating func add(_ name: String, _ value: String) {
    let lower = name.lowercased()
    if isAmbiguous(lower) { return fail(.ambiguousName(name)) }
    if lower == "host" {
      if hasHost { return fail(.repeated(name)) }
      guard Self.isHost(value) else { return fail(.badHost) }
      hasHost = true
    }
    let framesBody = lower == "content-length" || lower == "transfer-encoding"
    // An empty field is as an absent one, but not where it says how long the body is.
    guard !value.isEmpty || framesBody else { return }
    guard let before = head.headers[lower] else { return head.headers.append(lower, value) }
    if framesBody { return fail(.repeated(name)) }
    head.headers[lower] = before + (lower == "cookie" ? "; " : ", ") + value
  }

  private mutating func finish() {
    if head.headers["content-length"] != nil, head.headers["transfer-encoding"] != nil {
      return fail(.lengthAndEncoding)
    }
    if head.version == "HTTP/1.1", !hasHost { return fail(.noHost) }
    state = .complete
  }

  /// `tchar` (RFC 9110 section 5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// `uri-host [":" port]` (RFC 9110 section 7.2), also empty, and with names beyond ASCII.
  private static func isHost(_ value: String) -> Bool {
    var host = value.utf8[...]
    if let colon = host.lastIndex(of: 0x3A), host[colon...].dropFirst().allSatisfy({ (0x30...0x39).contains($0) }) {
      host = host[..<colon]
    }
    if host.first == 0x5B {
      return host.last == 0x5D && host.dropFirst().dropLast().allSatisfy { isTokenByte($0) || $0 == 0x3A }
    }
    return host.allSatisfy { byte in
      switch byte {
      case 0x23, 0x5E, 0x60, 0x7C: false
      case 0x28, 0x29, 0x2C, 0x3B, 0x3D, 0x80...0xFF: true
      default: isTokenByte(byte)
      }
    }
  }

  /// `%0A`, `%0D` or `%00`: libwebsockets takes the first two for the end of the request line.
  private static func hasEncodedLineBreak(_ target: ArraySlice<UInt8>) -> Bool {
    var index = target.startIndex
    while index + 2 < target.endIndex {
      if target[index] == 0x25, target[index + 1] == 0x30, [0x30, 0x41, 0x61, 0x44, 0x64].contains(target[index + 2]) {
        return true
      }
      index += 1
    }
    return false
  }
}
