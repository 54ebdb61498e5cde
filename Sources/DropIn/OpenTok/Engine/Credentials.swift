import Foundation

/// Checks a key, a session id and a token before a server is asked. Only the server knows whether they are genuine.
enum Credentials {
  /// Why they do not belong together; nil when they may.
  static func problem(apiKey: String?, sessionId: String, token: String) -> OTError? {
    if apiKey?.isEmpty == true { return OTError(.authorizationFailure, "The API key is empty.") }
    if sessionId.isEmpty { return OTError(.errorInvalidSession, "The session id is empty.") }
    if token.isEmpty { return OTError(.authorizationFailure, "The token is empty.") }
    if let problem = problem(withID: sessionId) { return problem }
    guard let apiKey, !developmentTokens.contains(token) else { return nil }
    let owner = tokenKey(token)
    if let owner, owner != apiKey {
      return OTError(
        .authorizationFailure, "The token is one of the API key \(owner), and the session was made with \(apiKey).")
    }
    let key = sessionKey(sessionId)
    if owner != nil, key == nil {
      return OTError(
        .errorInvalidSession, "The session id is not one that OpenTok's server SDKs give, whose tokens open no other.")
    }
    if let key, key != apiKey {
      return owner == nil
        ? OTError(.authorizationFailure, "The session is not one of the API key \(apiKey).")
        : OTError(.errorInvalidSession, "The session is one of the API key \(key), and the token of \(apiKey).")
    }
    return nil
  }

  /// A fault that no session id of any server has. Names of meetings, which other tokens than OpenTok's open, are
  /// checked by the server, which would leave blanks and signs out.
  private static func problem(withID id: String) -> OTError? {
    let isWritten = id.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "-", "_", ".", "~": true
      default: CharacterSet.alphanumerics.contains(scalar)
      }
    }
    guard isWritten, id.contains(where: { $0 != "." }) else {
      return OTError(
        .errorInvalidSession, "A session id has letters, digits, '-' and '_'; it was “\(id.prefix(200))”.")
    }
    let most = 255
    guard id.unicodeScalars.count <= most else {
      return OTError(
        .errorInvalidSession, "A session id has at most \(most) characters; it had \(id.unicodeScalars.count).")
    }
    return nil
  }

  /// Tokens that a server for development takes for any session of its own.
  private static let developmentTokens: Set<String> = ["devtoken", "moderator_token"]

  /// The API key in a session id; nil when the id has another form.
  static func sessionKey(_ id: String) -> String? {
    guard id.hasPrefix("1_") || id.hasPrefix("2_"), let text = decoded(String(id.dropFirst(2))) else { return nil }
    let parts = text.split(separator: "~", omittingEmptySubsequences: false)
    return parts.count >= 3 && parts[0] == "1" && !parts[1].isEmpty ? String(parts[1]) : nil
  }

  /// The API key that a token names; nil when it has another form.
  static func tokenKey(_ token: String) -> String? {
    if token.hasPrefix("T1==") {
      guard let text = decoded(String(token.dropFirst(4))), let head = text.split(separator: ":").first else {
        return nil
      }
      return head.split(separator: "&").first { $0.hasPrefix("partner_id=") }.map { String($0.dropFirst(11)) }
    }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let data = decodedBytes(String(parts[1])),
      let claims = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
      claims["ist"] as? String == "project"
    else { return nil }
    return claims["iss"] as? String
  }

  private static func decoded(_ text: String) -> String? {
    decodedBytes(text).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func decodedBytes(_ text: String) -> Data? {
    var base = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    while base.utf8.count % 4 != 0 { base += "=" }
    return Data(base64Encoded: base)
  }
}
