import Transport

extension HTTPRequest {
  /// The token of `Authorization: Bearer` (RFC 6750 section 2.1), with any number of blanks around it; nil where there
  /// is none.
  var bearerToken: String? {
    guard let header = headers["authorization"], header.lowercased().hasPrefix("bearer ") else { return nil }
    return String(Self.trimmed(header.dropFirst(7)))
  }

  /// The type of the body in lower case, without its parameters and the blanks before them (RFC 9110 section 8.3.1);
  /// nil where none is named.
  var mediaType: String? {
    headers["content-type"].map { String(Self.trimmed($0.prefix { $0 != ";" })).lowercased() }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }

  /// Refuses a compressed body: what it unfolds to cannot be bounded by its length.
  func requirePlainBody() throws(Refusal) {
    guard let encoding = headers["content-encoding"], encoding.lowercased() != "identity" else { return }
    throw Refusal(415, "badEncoding", "Send the body without Content-Encoding.")
  }
}
