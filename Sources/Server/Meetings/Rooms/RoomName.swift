/// The name of a meeting as it stands in its URL: 1 to 128 letters, digits, `-`, `_`, `.` and `~`, in NFKC.
///
/// Two names are equal when their ``key``s are, that is without regard to case. The id of an OpenTok session is a name,
/// too, of up to 255 characters, and opaque: with other capitals it is another one. Make one only through the
/// initialisers, which check; so a value of this type is always fit for a URL, a store and a page.
public struct RoomName: Sendable, Hashable {
  /// The name as it was written, without what is left out of names, in NFKC.
  public let display: String
  /// The form in which names are compared and stored: the name in lower case, and the id of a session as it is.
  public let key: String

  /// The most characters (Unicode scalars) that a name may have.
  public static let maximumLength = 128
  /// The most characters of any name: the id of a session may have as many.
  public static let maximumSessionLength = OpenTokSession.maximumLength

  /// First path segments that the server uses itself, in lower case.
  public static let reserved: Set<String> = [
    ".well-known", "admin", "api", "assets", "browser_demo.html", "discover", "favicon.ico", "getadhocmeetingjob",
    "getanontokenjob", "healthz", "hl", "messaging", "metrics", "opentok.js", "platformservice", "readyz", "robots.txt",
    "sdk", "session", "signal", "signin", "signout", "ucwa", "v2", "whep", "whip",
  ]

  /// Checks `text`, a name after percent-decoding. Blanks and the signs of addresses are left out: `Team Ann & Bob` is
  /// `TeamAnnBob`.
  public init(_ text: some StringProtocol) throws(RoomNameError) {
    // A bound on the bytes first: normalising is linear, but nobody needs it for a megabyte.
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= Self.maximumLength * 8 else { throw .tooLong }
    let normal = NormalForm.of(text)
    guard !normal.isEmpty else { throw .empty }
    if let session = OpenTokSession(normal) {
      (display, key) = (session.text, session.text)
      return
    }
    guard normal.unicodeScalars.count <= Self.maximumLength else { throw .tooLong }
    for scalar in normal.unicodeScalars where !Self.isAllowed(scalar) { throw .character(scalar) }
    // "." and ".." mean folders in a URL and would never reach us as names.
    guard normal.unicodeScalars.contains(where: { $0 != "." }) else { throw .character(".") }
    let key = NormalForm.key(normal)
    guard !Self.reserved.contains(key) else { throw .reserved(normal) }
    self.display = normal
    self.key = key
  }

  /// Takes a name back from the store, where only checked names are.
  init(stored display: String, key: String) {
    self.display = display
    self.key = key
  }

  /// The name percent-encoded for the path of a URL (RFC 3986 section 2.1).
  public var pathSegment: String {
    display.utf8.reduce(into: "") { out, byte in
      if byte < 0x80 {
        out.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        out += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  /// An unguessable name with 130 random bits, in lower-case letters and digits.
  public static func random() -> RoomName {
    let text = RandomID.text(characters: 26)
    return RoomName(stored: text, key: text)
  }

  /// Whether both name the same room.
  public static func == (a: RoomName, b: RoomName) -> Bool { a.key == b.key }
  /// By ``key``, as equality.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "~": return true
      default: return false
      }
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .nonspacingMark, .spacingMark:
      return true
    default: return false
    }
  }
}

/// Why a text isn't a room name.
public enum RoomNameError: Error, Sendable, Equatable, CustomStringConvertible {
  case empty
  /// More than ``RoomName/maximumLength`` characters.
  case tooLong
  /// A character that names may not have.
  case character(Unicode.Scalar)
  /// The server needs this path itself.
  case reserved(String)

  /// The error and the allowed values, as a sentence.
  public var description: String {
    switch self {
    case .empty: "A meeting needs a name."
    case .tooLong: "The meeting name is too long: at most \(RoomName.maximumLength) characters are allowed."
    case .character:
      "The meeting name has a character that is not allowed: use letters, digits, '-', '_', '.' and '~'."
    case .reserved(let name): "The server uses the path /\(name) itself: choose another meeting name."
    }
  }

  public var code: String {
    if case .reserved = self { return "reservedName" }
    return "badRoomName"
  }
}
